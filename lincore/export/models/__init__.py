"""Fitted models as files that run no code, and as formulas in five languages."""
