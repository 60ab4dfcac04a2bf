"""The cost of the imbalance in a file, and what recovers it."""
