"""The steps of the perceptron algorithm, one visited row after the other, from any start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.errors import DataError
from lincore.utils.typing import Array, Flags


class PerceptronWalk(NamedTuple):
    """The steps of a perceptron with two classes.

    Attributes
    ----------
    rows : ndarray of shape (t,)
        Visited rows.
    epochs : ndarray of shape (t,)
        Epoch of each visit, from 0.
    mistaken : ndarray of shape (t,)
        Whether the row was misclassified or on the boundary, and so changed the weights.
    weights : ndarray of shape (t + 1, p + 1)
        Weights before the first and after every visit, the intercept first.
    converged : bool
        Whether the last epoch had no mistake.
    """

    rows: NDArray[np.intp]
    epochs: NDArray[np.intp]
    mistaken: Flags
    weights: Array
    converged: bool

    @property
    def mistakes(self) -> NDArray[np.intp]:
        """Number of mistakes in each epoch."""
        return np.bincount(self.epochs, self.mistaken).astype(np.intp)


def perceptron_walk(
    X: ArrayLike,
    y: ArrayLike,
    *,
    start: ArrayLike | None = None,
    eta: float = 1.0,
    max_epochs: int = 100,
    order: ArrayLike | None = None,
) -> PerceptronWalk:
    """Visit rows one by one and change the weights at every mistake.

    ``w += eta (d - s) (1, x)`` with the true side d = ±1 and the predicted side s = ±1: a correctly
    classified row changes nothing, and a row on the boundary counts as a mistake.

    Parameters
    ----------
    X : array-like of shape (n, p)
        The features of the perceptron.
    y : array-like of shape (n,)
        Labels of two classes; scores are positive for the second one in sorted order.
    start : array-like of shape (p + 1,), optional
        The intercept first. Default: zero.
    order : array-like of shape (n,), optional
        Order in which rows are visited in every epoch. Default: their order in X.

    Raises
    ------
    DataError
        If there are not exactly two classes, or the start, the order or eta is invalid.

    References
    ----------
    "prml-chapter-4-in-r", section 4.1.7; Bishop (2006), eq. 4.55.

    Examples
    --------
    >>> walk = perceptron_walk([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> walk.mistakes.tolist(), walk.converged, walk.weights[-1].tolist()
    ([2, 2, 2, 1, 1, 0], True, [-8.0, 4.0])
    """
    rows = np.column_stack([np.ones(len(np.asarray(X))), np.asarray(X, dtype=float)])
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) != 2 or len(codes) != len(rows):
        raise DataError(
            f"The perceptron needs two classes, not {len(labels)}.",
            where="y",
            remedy="Leave classes out, or merge them; give each row one label.",
        )
    weights = np.zeros(rows.shape[1]) if start is None else np.array(start, dtype=float)
    visited = np.arange(len(rows)) if order is None else np.asarray(order, dtype=np.intp)
    if weights.shape != (rows.shape[1],) or not np.isfinite(weights).all():
        raise DataError(
            f"The start must have {rows.shape[1]} finite weights, the intercept first.",
            where="start",
            remedy="Give one weight for each feature and one more.",
        )
    if not np.array_equal(np.sort(visited), np.arange(len(rows))) or not eta > 0:
        raise DataError(
            "The order must contain every row once, and eta must be positive.",
            where="order, eta",
            remedy="Give a permutation of the rows and a positive eta.",
        )
    sides = 2.0 * codes - 1
    path, mistaken = [weights], []
    for _ in range(max_epochs):
        for row in visited.tolist():
            wrong = sides[row] * float(rows[row] @ path[-1]) <= 0
            mistaken.append(wrong)
            path.append(path[-1] + 2 * eta * sides[row] * rows[row] if wrong else path[-1])
        if not any(mistaken[-len(rows) :]):
            break
    n_epochs = len(mistaken) // len(rows)
    return PerceptronWalk(
        np.tile(visited, n_epochs),
        np.repeat(np.arange(n_epochs), len(rows)),
        np.array(mistaken),
        np.array(path),
        not any(mistaken[-len(rows) :]),
    )
