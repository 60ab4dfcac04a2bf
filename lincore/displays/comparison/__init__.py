"""Displays of a comparison of models."""
