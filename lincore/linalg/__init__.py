"""Cholesky factors, covariances, Gaussian densities, quadrics, optimisers."""
