"""Logistic regression: estimator, loss, solvers, Wald inference, separation."""
