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
    """Return the c for which "positive where the value is above c" errs least."""
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
