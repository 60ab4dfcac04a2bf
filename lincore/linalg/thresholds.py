"""Thresholds of scores that minimise the training error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lincore.utils.typing import Array, Flags

# Values nearer to each other than this share of their range are not distinguished: the score of a
# row may come out a little different when it is computed again among other rows.
TOLERANCE = 1e-9


def minimum_error_shifts(
    scores: Array, codes: NDArray[np.intp], weight: Array | None = None
) -> Array:
    """Return what to add to the score of each class so that fewer rows are misclassified.

    One class after the other is given the best shift that there is for it, the others staying
    as they are, until none of them can be bettered. For two classes that is the minimum over
    all thresholds; for more, where the minimum over all shifts together is a combinatorial
    problem, it is a local one, never worse than the scores as given.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
    codes : ndarray of shape (n,)
        The true class of each row.
    weight : ndarray of shape (n,), optional
        An error costs the weight of its row; a row of none is absent.

    Returns
    -------
    ndarray of shape (K,)
        In units of the scores; all zero when the scores as given are already best.

    Examples
    --------
    >>> scores = np.array([[0.0, -3.0], [0.0, -2.0], [0.0, -1.0]])
    >>> minimum_error_shifts(scores, np.array([0, 1, 1]))  # the scores say class 0 of all rows
    array([0. , 2.5])
    """
    weight = np.ones(len(scores)) if weight is None else weight
    present = weight > 0
    scores, codes, weight = scores[present], codes[present], weight[present]
    shifts = np.zeros(scores.shape[1])
    # Of two classes one shift moves the threshold; the other would move it the same way.
    movable = range(1 if len(shifts) == 2 else 0, len(shifts))
    bettered = True
    while bettered:
        bettered = False
        for k in movable:
            rivals = scores + shifts
            own = rivals[:, k].copy()
            rivals[:, k] = -np.inf
            strongest = rivals.argmax(axis=1)
            # Other rows are misclassified on both sides of any cut.
            counts = (codes == k) | (codes == strongest)
            margin = (own - rivals.max(axis=1))[counts]
            cut = best_threshold(margin, (codes == k)[counts], weight[counts], current=0.0)
            shifts[k] -= cut
            bettered = bettered or cut != 0
    return shifts


def best_threshold(values: Array, positive: Flags, weight: Array, *, current: float) -> float:
    """Return the c for which "positive where the value is above c" errs least.

    Parameters
    ----------
    values : ndarray of shape (n,)
    positive : ndarray of shape (n,)
    weight : ndarray of shape (n,)
        What it costs to be wrong about each value.
    current : float
        The c to keep unless another one errs less.

    Returns
    -------
    float
        The middle of the widest gap between values among those that err least; one unit
        beyond the values where it is best to put them all on one side.
    """
    least_gain = 1e-12 * weight.sum()
    present = weight[(values > current) != positive].sum()
    if present <= least_gain:
        return current
    order = np.argsort(values, kind="stable")
    values, gained = values[order], np.where(positive, weight, -weight)[order]
    # Errors when the first j values are called negative, j = 0 .. n.
    errors = weight[~positive].sum() + np.append(0.0, np.cumsum(gained))
    gaps = np.diff(values)
    apart = np.flatnonzero(gaps > TOLERANCE * (values[-1] - values[0]))
    cuts = np.r_[values[0] - 1, (values[apart] + values[apart + 1]) / 2, values[-1] + 1]
    errors = errors[np.r_[0, apart + 1, len(values)]]
    if errors.min() >= present - least_gain:
        return current
    widths = np.where(errors <= errors.min() + least_gain, np.r_[0.0, gaps[apart], 0.0], -1.0)
    # Gaps of one width but for rounding: the first, whatever the rounding.
    return float(cuts[np.argmax(widths >= widths.max() * (1 - TOLERANCE))])
