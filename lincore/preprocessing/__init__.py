"""Standardising, PCA, truncated SVD, basis functions, preparation of tabular columns."""
