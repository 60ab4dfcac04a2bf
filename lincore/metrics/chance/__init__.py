"""Effects of chance on scores: permuted labels, and the best of several methods."""
