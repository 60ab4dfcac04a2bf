"""Panels of the page Geometry."""
