"""Column rules: processing of the parsed columns of a text table, one rule per file."""
