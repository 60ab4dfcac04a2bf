"""What chance does to scores: permuted labels, and the best of several methods."""
