"""Figures of a fitted model: coefficients, components, convergence."""
