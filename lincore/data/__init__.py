"""The data set, its labels and splits, and generated data."""
