"""Displays of a fitted classifier and of its predictions."""
