"""Slow, obvious logistic regression: the formulas of the texts, one row at a time."""

from __future__ import annotations

import numpy as np


def softmax_by_the_text(a):
    """``y_k = exp(a_k) / Σ_j exp(a_j)`` ("faces-generative-vs-discriminative")."""
    powers = np.array([np.exp(value - max(a)) for value in a])
    return powers / sum(powers)


def error_and_gradient_by_loops(Phi, y, W, weight=None):
    """``E = -Σ_n Σ_k t_nk ln y_nk`` and ``∇_j E = Σ_n (y_nj - t_nj) φ_n``, W of shape (q, K)."""
    error, gradient = 0.0, np.zeros_like(W)
    for n, phi in enumerate(Phi):
        s = 1.0 if weight is None else weight[n]
        p = softmax_by_the_text(phi @ W)
        error -= s * np.log(p[y[n]])
        for k in range(W.shape[1]):
            gradient[:, k] += s * (p[k] - (y[n] == k)) * phi
    return error, gradient


def hessian_by_loops(Phi, W, weight=None):
    """``∇_k ∇_j E = Σ_n y_nk (I_kj - y_nj) φ_n φ_nᵀ``, with shape (K, q, K, q)."""
    q, K = W.shape
    H = np.zeros((K, q, K, q))
    for n, phi in enumerate(Phi):
        s = 1.0 if weight is None else weight[n]
        p = softmax_by_the_text(phi @ W)
        for k in range(K):
            for j in range(K):
                H[k, :, j, :] += s * p[k] * ((k == j) - p[j]) * np.outer(phi, phi)
    return H


def irls_by_the_text(Phi, y, steps=30):
    """``w ← (ΦᵀRΦ)⁻¹ Φᵀ R z`` with ``z = Φw - R⁻¹(y - t)``, two classes, no penalty, from zero."""
    w = np.zeros(Phi.shape[1])
    for _ in range(steps):
        p = np.array([1 / (1 + np.exp(-phi @ w)) for phi in Phi])
        R = np.diag(p * (1 - p))
        z = Phi @ w - (p - y) / (p * (1 - p))
        w = np.linalg.solve(Phi.T @ R @ Phi, Phi.T @ R @ z)
    return w


def newton_by_the_text(Phi, y, n_classes, steps=30):
    """``w ← w - H⁻¹ ∇E`` for the differences from class 0, no penalty, from zero: (q, K)."""
    q = Phi.shape[1]
    W = np.zeros((q, n_classes))
    m = (n_classes - 1) * q
    for _ in range(steps):
        gradient = error_and_gradient_by_loops(Phi, y, W)[1]
        H = hessian_by_loops(Phi, W)[1:, :, 1:, :].reshape(m, m)
        W[:, 1:] -= np.linalg.solve(H, gradient[:, 1:].T.ravel()).reshape(n_classes - 1, q).T
    return W
