"""Panels of the page Explore."""
