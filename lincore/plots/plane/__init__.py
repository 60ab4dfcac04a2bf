"""Figures of rows, densities and decision boundaries in a plane."""
