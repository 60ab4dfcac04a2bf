"""Displays of data sets: classes, columns, pairs, projections, rows."""
