"""Plotly figures of results and fitted models; each carries its finding as text."""
