"""Tables that are no text: workbooks, statistical packages, JSON, Parquet, zips of tables."""
