"""Columns of a table, and their roles, kinds and conversion to a data set."""
