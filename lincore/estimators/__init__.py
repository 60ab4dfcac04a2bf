"""Linear classifiers and their relatives, one file a family."""
