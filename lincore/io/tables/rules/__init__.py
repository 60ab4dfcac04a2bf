"""Column rules: changes of the parsed columns of a text table, and what they look for."""
