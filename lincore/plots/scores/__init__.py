"""Figures of scores: confusion, curves, intervals, sweeps."""
