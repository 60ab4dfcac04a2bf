"""Displays of the cost of an imbalance, and of a study of class sizes."""
