"""Panels of the page Classify."""
