"""Figures of a data set: classes, columns, images."""
