"""Tables in other formats than text: workbooks, statistical packages, JSON, Parquet, zips."""
