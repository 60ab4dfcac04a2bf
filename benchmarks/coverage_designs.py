"""Populations of Gaussian classes with unequal covariances, and quick fits of three methods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

P = 4  # features
DESIGNS = {
    "50/50": (0.5, 0.5),
    "90/10": (0.9, 0.1),
    "70/22/8": (0.7, 0.22, 0.08),
    "96/4": (0.96, 0.04),
}
Model = Callable[[np.ndarray], np.ndarray]


def draw(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return rows (n, P) of classes whose means lie apart and whose covariances differ."""
    X = rng.standard_normal((len(codes), P))
    for k in range(codes.max() + 1):
        mean, root = np.zeros(P), np.eye(P) * (1.0, 1.5, 0.7)[k]
        mean[k] = 1.5 * (k > 0) + 0.3 * k
        root[1, 0], root[3, 2] = 0.5 * (-1) ** k, 0.4 * k
        X[codes == k] = mean + X[codes == k] @ root.T
    return X


def sample(
    n: int, shares: tuple[float, ...], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw n rows; how many of each class is chance."""
    codes = rng.choice(len(shares), n, p=shares)
    return draw(codes, rng), codes


def lda(X: np.ndarray, y: np.ndarray, n_classes: int) -> Model:
    """Return the discriminant scores of LDA."""
    count = np.bincount(y, minlength=n_classes)
    means = np.stack([X[y == k].mean(axis=0) for k in range(n_classes)])
    inside = X - means[y]
    weights = np.linalg.solve(inside.T @ inside / (len(X) - n_classes), means.T)
    offset = np.log(count / len(X)) - 0.5 * (means.T * weights).sum(axis=0)
    return lambda rows: rows @ weights + offset


def qda(X: np.ndarray, y: np.ndarray, n_classes: int) -> Model:
    """Return the discriminant scores of QDA."""
    parts = []
    for k in range(n_classes):
        rows = X[y == k]
        root = np.linalg.cholesky(np.cov(rows.T))
        constant = np.log(len(rows) / len(X)) - np.log(np.diag(root)).sum()
        parts.append((rows.mean(axis=0), np.linalg.inv(root).T, constant))
    return lambda rows: np.stack(
        [c - 0.5 * (((rows - mean) @ root) ** 2).sum(axis=1) for mean, root, c in parts], axis=1
    )


def logistic(
    X: np.ndarray, y: np.ndarray, n_classes: int, start: np.ndarray | None = None
) -> Model:
    """Return the scores of logistic regression with C = 1 on standardised features (Newton)."""
    weights = logistic_weights(standardised(X), y, n_classes, start)
    return lambda rows: standardised(rows, X) @ weights


def standardised(rows: np.ndarray, by: np.ndarray | None = None) -> np.ndarray:
    """Return rows with mean 0 and variance 1, of themselves or of others, and a feature of ones."""
    by = rows if by is None else by
    return np.column_stack([(rows - by.mean(axis=0)) / by.std(axis=0), np.ones(len(rows))])


def logistic_weights(
    Z: np.ndarray, y: np.ndarray, n_classes: int, start: np.ndarray | None = None
) -> np.ndarray:
    """Return the weights (features, K) of rows whose last feature is 1, which has no penalty."""
    q = Z.shape[1]
    weights = np.zeros((q, n_classes)) if start is None else start.copy()
    one_hot, penalty = np.eye(n_classes)[y], np.append(np.ones(q - 1), 1e-8)
    ridge = np.diag(np.tile(penalty, n_classes))
    for _ in range(30):
        proba = np.exp(_normalised(Z @ weights))
        gradient = Z.T @ (proba - one_hot) + penalty[:, None] * weights
        wide = (proba[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
        hessian = ridge - wide.T @ wide
        for k in range(n_classes):
            block = slice(k * q, (k + 1) * q)
            hessian[block, block] += Z.T @ wide[:, block]
        step = np.linalg.solve(hessian, gradient.T.ravel()).reshape(n_classes, q).T
        weights -= step
        if np.abs(step).max() < 1e-5:
            break
    return weights


METHODS = {"lda": lda, "qda": qda, "logistic": logistic}
#: QDA needs a covariance of every class, the others a row.
FEWEST = {"lda": 1, "qda": P + 2, "logistic": 1}


def log_posteriors(model: Model, rows: np.ndarray) -> np.ndarray:
    """Return the log posteriors (n, K) of a model."""
    return _normalised(model(rows))


def _normalised(scores: np.ndarray) -> np.ndarray:
    # Several times as quick as scipy's logsumexp, which is what the grid waits for: by columns.
    scores = scores - np.maximum.reduce([*scores.T])[:, None]
    return np.asarray(scores - np.log(np.add.reduce([*np.exp(scores).T]))[:, None])
