"""Fisher's J and the training errors of many directions at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.errors import DataError
from lincore.linalg.fisher_criterion import Definition, fisher_criterion
from lincore.moments.moments import Moments
from lincore.utils.typing import Array


class DirectionScores(NamedTuple):
    """Criterion, thresholds and errors of m directions for two classes.

    Attributes
    ----------
    criterion : ndarray of shape (m,)
        Fisher's J.
    between, within : ndarray of shape (m,)
        Scatter of the projections on the normalised direction, between and within classes; J is
        their ratio under the "lecture" definition.
    midpoint : ndarray of shape (m,)
        Threshold halfway between the projected means, along the normalised direction.
    midpoint_errors : ndarray of shape (m,)
        Rows misclassified with the midpoint as threshold.
    threshold : ndarray of shape (m,)
        Threshold with the fewest errors, in the middle of its gap; infinite if one side is best
        left empty.
    errors : ndarray of shape (m,)
        Rows misclassified with the best threshold.
    """

    criterion: Array
    between: Array
    within: Array
    midpoint: Array
    midpoint_errors: NDArray[np.intp]
    threshold: Array
    errors: NDArray[np.intp]


def direction_scores(
    X: ArrayLike, y: ArrayLike, directions: ArrayLike, *, definition: Definition = "lecture"
) -> DirectionScores:
    """Evaluate directions by Fisher's criterion and by the errors of thresholds along them.

    Above a threshold, the class with the larger projected mean is predicted.

    Parameters
    ----------
    X : array-like of shape (n, p)
    y : array-like of shape (n,)
        Labels of two classes.
    directions : array-like of shape (m, p)
        Of any nonzero length. For angles in a plane: ``[cos, sin]``.
    definition : {"lecture", "prml"}
        Definition of J, see `lincore.linalg.fisher_criterion`.

    Raises
    ------
    DataError
        If there are not exactly two classes.

    References
    ----------
    "lecture-linear-classifiers", "Fisher Discriminant Analysis"; "prml-chapter-4-in-r", section
    4.1.4.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.0, 2.0], [4.0, 1.0], [4.0, 3.0], [5.0, 2.0], [3.0, 2.0]]
    >>> scores = direction_scores(X, [0, 0, 1, 1, 1, 1], [[1.0, 0.0], [0.0, 1.0]])
    >>> scores.criterion.round(3).tolist(), scores.errors.tolist(), scores.midpoint.tolist()
    ([10.667, 0.333], [0, 1], [2.0, 1.5])
    """
    rows, W = np.asarray(X, dtype=float), np.atleast_2d(np.asarray(directions, dtype=float))
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) != 2 or len(codes) != len(rows):
        raise DataError(
            f"Directions are evaluated for two classes, not {len(labels)}.",
            where="y",
            remedy="Leave classes out, or merge them; give each row one label.",
        )
    moments = Moments.from_groups(rows, codes, 2)
    criterion = fisher_criterion(moments, W, definition)
    along = rows @ (W / np.linalg.norm(W, axis=1, keepdims=True)).T
    groups = [along[codes == code] for code in (0, 1)]
    means = np.stack([group.mean(axis=0) for group in groups])
    n, m = map(len, groups)
    between = n * m / (n + m) * (means[1] - means[0]) ** 2
    within = sum(
        ((group - mean) ** 2).sum(axis=0) for group, mean in zip(groups, means, strict=True)
    )
    above = means.argmax(axis=0)
    midpoint = means.mean(axis=0)
    wrong = (along > midpoint) != (codes[:, None] == above)
    threshold, errors = _fewest(along, codes[:, None] == above)
    n_wrong = np.count_nonzero(wrong, axis=0)
    return DirectionScores(
        criterion, between, np.asarray(within), midpoint, n_wrong, threshold, errors
    )


def _fewest(along: Array, positive: NDArray[np.bool_]) -> tuple[Array, NDArray[np.intp]]:
    """Return the thresholds of columns (n, m) with the fewest errors, and those errors."""
    n, m = along.shape
    order = np.argsort(along, axis=0, kind="stable")
    values = np.take_along_axis(along, order, axis=0)
    sign = np.where(np.take_along_axis(positive, order, axis=0), 1, -1)
    # Errors if the lowest j rows are predicted negative, j = 0 .. n.
    start = np.count_nonzero(~positive, axis=0)
    errors = np.vstack([start, start + np.cumsum(sign, axis=0)])
    ends = np.vstack([np.full(m, -np.inf), values, np.full(m, np.inf)])
    # No threshold lies between rows of equal value.
    errors = np.where(ends[1:] > ends[:-1], errors, n + 1)
    best = errors.argmin(axis=0)
    columns = np.arange(m)
    threshold = (ends[best, columns] + ends[best + 1, columns]) / 2
    return threshold, errors[best, columns]
