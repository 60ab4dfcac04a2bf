"""Data that an operator has named: databases, folders and objects that are read by their name."""
