"""Panels of the page Balance."""
