"""Phases from the bytes of a text table to typed columns."""
