"""Uneven lines of a text table: found, repaired if that is certain, otherwise reported."""
