"""Slow, obvious versions of what the library does fast: written from the formulas, for tests."""

from __future__ import annotations

import numpy as np


def moments_by_loops(X, codes, n_groups, weight=None):
    """Count, mean and scatter by definition, in extended precision, one row at a time."""
    X = np.asarray(X).astype(np.longdouble)
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.longdouble)
    p = X.shape[1]
    count = np.zeros(n_groups, dtype=np.longdouble)
    mean = np.zeros((n_groups, p), dtype=np.longdouble)
    scatter = np.zeros((n_groups, p, p), dtype=np.longdouble)
    for g in range(n_groups):
        rows = [i for i in range(len(X)) if codes[i] == g and weight[i] > 0]
        for i in rows:
            count[g] += weight[i]
            mean[g] += weight[i] * X[i]
        if rows:
            mean[g] /= count[g]
        for i in rows:
            scatter[g] += weight[i] * np.outer(X[i] - mean[g], X[i] - mean[g])
    return count.astype(float), mean.astype(float), scatter.astype(float)


def lda_by_the_text(X, y, priors=None):
    """Scores w_k·x + b_k with w_k = S⁻¹ m_k, b_k = log p_k - m_kᵀ S⁻¹ m_k / 2 ("lda-from-scratch").

    With the covariance divided by n once, as the text defines it (its code divides twice).
    """
    classes = np.unique(y)
    means = np.array([X[y == c].mean(axis=0) for c in classes])
    centred = np.vstack([X[y == c] - m for c, m in zip(classes, means, strict=True)])
    S = sum(np.outer(row, row) for row in centred) / len(X)
    p = np.array([(y == c).mean() for c in classes]) if priors is None else np.asarray(priors)
    W = np.linalg.solve(S, means.T).T
    b = np.log(p) - 0.5 * np.array([m @ w for m, w in zip(means, W, strict=True)])
    return lambda Z: np.array([[w @ z + c for w, c in zip(W, b, strict=True)] for z in Z])


def pca_by_svd(X):
    """Axes and variances from the singular values of the centred rows."""
    _, s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return Vt, s**2 / (len(X) - 1)
