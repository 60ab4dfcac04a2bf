"""Findings in words, computed from results."""
