"""Bytes to images, and images to a data set."""
