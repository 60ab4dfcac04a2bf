"""Slow, obvious versions of the Bayes classifier and its error, for tests."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal


def joint_densities(means, covariances, priors, X):
    """Prior times density of each class at each row, by scipy."""
    columns = [
        p * multivariate_normal(m, S).pdf(X)
        for m, S, p in zip(means, covariances, priors, strict=True)
    ]
    return np.column_stack([np.atleast_1d(column) for column in columns])


def least_expected_loss(means, covariances, priors, loss, X):
    """Return the decision of each row: expected losses written out and compared."""
    chosen = []
    for joint in joint_densities(means, covariances, priors, X):
        posterior = joint / joint.sum()
        expected = [
            sum(posterior[k] * loss[k][d] for k in range(len(joint))) for d in range(len(loss))
        ]
        chosen.append(int(np.argmin(expected)))
    return np.array(chosen)


def loss_by_counting(decide, means, covariances, priors, loss, n, seed=0):
    """Draw n rows, decide, and average what was lost; returns the mean and its standard error."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(priors), size=n, p=priors)
    X = np.empty((n, len(means[0])))
    for k, (m, S) in enumerate(zip(means, covariances, strict=True)):
        X[truth == k] = rng.multivariate_normal(m, S, size=np.count_nonzero(truth == k))
    lost = np.asarray(loss, dtype=float)[truth, decide(X)]
    return lost.mean(), lost.std() / np.sqrt(n)
