"""Planes, decision functions, coefficients and projections; descriptions of columns."""
