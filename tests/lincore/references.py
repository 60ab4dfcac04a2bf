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


def stepwise_by_determinants(X, codes, to_enter=3.84, to_remove=2.71):
    """Stepwise discriminant analysis: Wilks' lambda of every set anew, as a ratio of determinants.

    Returns (feature, whether it enters, lambda, partial F, df1, df2) of every step.
    """
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    classes = np.unique(codes)
    n, K = len(X), len(classes)
    within = np.vstack([X[codes == k] - X[codes == k].mean(axis=0) for k in classes])

    def wilks(chosen):
        if not chosen:
            return 1.0
        W, T = (part[:, chosen].T @ part[:, chosen] for part in (within, X))
        return np.linalg.det(W) / np.linalg.det(T)

    def partial(smaller, larger):
        ratio = wilks(larger) / wilks(smaller)
        df2 = n - K - len(smaller)
        return (1 - ratio) / ratio * df2 / (K - 1), K - 1, df2

    chosen, steps = [], []
    while True:
        without = {j: [i for i in chosen if i != j] for j in chosen}
        leaving = {j: partial(rest, chosen) for j, rest in without.items()}
        j = min(leaving, key=leaving.get, default=None)
        if j is not None and leaving[j][0] <= to_remove:
            chosen = without[j]
            steps.append((j, False, wilks(chosen), *leaving[j]))
            continue
        others = [j for j in range(X.shape[1]) if j not in chosen]
        entering = {j: partial(chosen, [*chosen, j]) for j in others}
        j = max(entering, key=entering.get, default=None)
        if j is None or entering[j][0] < to_enter:
            return steps
        chosen = [*chosen, j]
        steps.append((j, True, wilks(chosen), *entering[j]))
