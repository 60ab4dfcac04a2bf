"""Phases from the bytes of a text table to parsed columns."""
