"""Panels of the page Data."""
