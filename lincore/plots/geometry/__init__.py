"""Experiments in a plane: rows, and lines, areas and arrows that move."""
