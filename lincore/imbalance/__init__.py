"""The study of class sizes: subsets, error decomposition, remedies, sweep, priors in deployment."""
