"""Fitted models as files that contain no code, and as formulas."""
