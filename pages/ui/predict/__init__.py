"""Panels of the page Predict."""
