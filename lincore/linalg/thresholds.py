"""Thresholds of scores that minimise the training error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lincore.utils.typing import Array, Flags

# Values closer than this share of their range are treated as equal: the score of a row may differ
# slightly when it is computed again among other rows.
TOLERANCE = 1e-9


def minimum_error_shifts(scores: Array, codes: NDArray[np.intp], weight: Array | None) -> Array:
    """Return offsets for the class scores with which fewer rows are misclassified."""
    # Each class in turn gets its best offset with the others fixed, until no offset can be
    # improved. For two classes this is the minimum over all thresholds. For more, the joint minimum
    # is a combinatorial problem, and the result is a local minimum that is never worse than the
    # original scores.
    weight = np.ones(len(scores)) if weight is None else weight
    present = weight > 0
    scores, codes, weight = scores[present], codes[present], weight[present]
    shifts = np.zeros(scores.shape[1])
    # With two classes one offset is enough to move the threshold.
    movable = range(1 if len(shifts) == 2 else 0, len(shifts))
    improved = True
    while improved:
        improved = False
        for k in movable:
            rivals = scores + shifts
            own = rivals[:, k].copy()
            rivals[:, k] = -np.inf
            strongest = rivals.argmax(axis=1)
            # Other rows are misclassified whatever the offset.
            decides = (codes == k) | (codes == strongest)
            margin = (own - rivals.max(axis=1))[decides]
            cut = _best_cut(margin, (codes == k)[decides], weight[decides])
            shifts[k] -= cut
            improved = improved or cut != 0
    return shifts


def _best_cut(values: Array, positive: Flags, weight: Array) -> float:
    """Return the threshold c for which "positive above c" has the fewest errors; 0 if best."""
    least_gain = 1e-12 * weight.sum()
    present = weight[(values > 0) != positive].sum()
    if present <= least_gain:
        return 0.0
    order = np.argsort(values, kind="stable")
    values, changes = values[order], np.where(positive, weight, -weight)[order]
    # Errors if the first j values are predicted negative, j = 0 .. n.
    errors = weight[~positive].sum() + np.append(0.0, np.cumsum(changes))
    gaps = np.diff(values)
    separated = np.flatnonzero(gaps > TOLERANCE * (values[-1] - values[0]))
    cuts = np.r_[values[0] - 1, (values[separated] + values[separated + 1]) / 2, values[-1] + 1]
    errors = errors[np.r_[0, separated + 1, len(values)]]
    if errors.min() >= present - least_gain:
        return 0.0
    widths = np.where(errors <= errors.min() + least_gain, np.r_[0.0, gaps[separated], 0.0], -1.0)
    # Of gaps that are equal up to rounding, use the first.
    return float(cuts[np.argmax(widths >= widths.max() * (1 - TOLERANCE))])
