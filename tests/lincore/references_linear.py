"""Slow, obvious versions of Fisher, least squares, the perceptron and multinomial Bayes."""

from __future__ import annotations

import numpy as np


def one_column_per_class(y, on=1.0, off=0.0):
    return np.where(y[:, None] == np.unique(y), on, off)


def least_squares_by_lstsq(X, T, weight=None):
    """Weights (p, q) and intercepts (q,) that minimise Σ w ‖t - Wᵀx - b‖², ‖W‖ smallest.

    Centring first leaves the intercept out of the norm.
    """
    w = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    x_mean, t_mean = w @ X / w.sum(), w @ T / w.sum()
    root = np.sqrt(w)[:, None]
    W = np.linalg.lstsq(root * (X - x_mean), root * (T - t_mean), rcond=1e-10)[0]
    return W, t_mean - x_mean @ W


def least_squares_of_the_r_text(X, codes):
    """``solve(t(X) %*% X) %*% t(X) %*% C`` of "prml-chapter-4-in-r", section 4.1.3."""
    X = np.column_stack([np.ones(len(X)), X])
    return np.linalg.inv(X.T @ X) @ X.T @ codes


def fisher_by_the_text(X, y):
    """``S_W⁻¹ (m_2 - m_1)`` with S_W summed row by row, each about its own class's mean.

    "prml-chapter-4-in-r", section 4.1.4, without the faults of its code.
    """
    first, second = np.unique(y)
    m_1, m_2 = X[y == first].mean(axis=0), X[y == second].mean(axis=0)
    S_W = np.zeros((X.shape[1], X.shape[1]))
    for x, label in zip(X, y, strict=True):
        m = m_1 if label == first else m_2
        S_W += np.outer(x - m, x - m)
    return np.linalg.solve(S_W, m_2 - m_1)


def criterion_of_the_lecture(X, y, w):
    """Σ n_k (μ̂_k - μ̂)² / Σ_k Σ_i (wᵀx_i - μ̂_k)² of the embedded rows."""
    z = X @ w
    between = within = 0.0
    for c in np.unique(y):
        own = z[y == c]
        between += len(own) * (own.mean() - z.mean()) ** 2
        within += sum((value - own.mean()) ** 2 for value in own)
    return between / within


def criterion_of_prml(X, y, w):
    """(m_2 - m_1)² / (s_1² + s_2²), s_k² being the sum of squares about m_k (eq. 4.24)."""
    first, second = ((X @ w)[y == c] for c in np.unique(y))
    scatter = sum(((z - z.mean()) ** 2).sum() for z in (first, second))
    return (second.mean() - first.mean()) ** 2 / scatter


def fewest_errors_of_a_threshold(z, positive, weight=None):
    """Weight of the wrong rows under the best rule "positive where z > c", trying every gap."""
    weight = np.ones(len(z)) if weight is None else weight
    values = np.unique(z)
    cuts = [values[0] - 1, *((values[1:] + values[:-1]) / 2), values[-1] + 1]
    return min(weight[(z > c) != positive].sum() for c in cuts)


def perceptron_of_the_r_text(X, d, eta=1.0, max_epochs=100):
    """Rows one at a time, ``W + eta * (d - y) * x``; d is -1 or 1, and W begins at zero.

    A score of zero, which the text's random beginning never meets, counts as wrong.
    """
    W = np.zeros(X.shape[1] + 1)
    mistakes = []
    for _ in range(max_epochs):
        mistakes.append(0)
        for x, wanted in zip(np.column_stack([np.ones(len(X)), X]), d, strict=True):
            score = W @ x
            y = np.sign(score) if score != 0 else -wanted
            mistakes[-1] += y != wanted
            W = W + eta * (wanted - y) * x
        if not mistakes[-1]:
            break
    return W, mistakes


def perceptron_of_many_classes(X, codes, n_classes, eta=1.0, max_epochs=100, weight=None):
    """Rows one at a time: raise the true class, lower its strongest rival.

    Returns the last weights, the mean of the weights after every row, and mistakes by epoch.
    """
    weight = np.ones(len(X)) if weight is None else weight
    W = np.zeros((n_classes, X.shape[1] + 1))
    total, visits, mistakes = np.zeros_like(W), 0, []
    for _ in range(max_epochs):
        mistakes.append(0)
        for x, true, share in zip(
            np.column_stack([np.ones(len(X)), X]), codes, weight, strict=True
        ):
            scores = W @ x
            own, scores[true] = scores[true], -np.inf
            rival = int(scores.argmax())
            if own <= scores[rival]:
                mistakes[-1] += 1
                W[true] += eta * share * x
                W[rival] -= eta * share * x
            total, visits = total + W, visits + 1
        if not mistakes[-1]:
            break
    return W, total / visits, mistakes


def multinomial_by_counting(X, y, row, alpha=0.0):
    """Return log p(y = k) + Σ x⁽ⁱ⁾ log p(x⁽ⁱ⁾|y = k) of one row, unused words left out."""
    scores = []
    for c in np.unique(y):
        words = X[y == c].sum(axis=0) + alpha
        score = np.log(np.mean(y == c))
        for count, occurrences in zip(row, words, strict=True):
            if count:
                score += count * np.log(occurrences / words.sum())
        scores.append(score)
    return np.array(scores)
