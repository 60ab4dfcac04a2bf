"""Column rules: what is done to the columns of a text table once they are parsed, one a file."""
