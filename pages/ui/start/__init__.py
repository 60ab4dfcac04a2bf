"""Panels of the page Start."""
