"""Count, mean and scatter of many small groups of rows, as many at a time as stay in cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.moments.accumulate import TILE_ROWS, WIDE, where_not_finite
from lincore.utils.typing import Array

# Values in the rows of the groups that are summed at a time (128 kB).
STACKED_VALUES = 16_384


def are_small(lengths: NDArray[np.intp], p: int) -> bool:
    """Tell whether what is done around the products of groups of rows would take longer than they.

    Parameters
    ----------
    lengths : ndarray of shape (G,)
        Rows in each group.
    p : int
        Features.
    """
    return bool(p < WIDE and np.count_nonzero(lengths) > 1 and lengths.max() <= TILE_ROWS)


def stacked_moments(
    X: NDArray[Any], order: NDArray[np.intp], bounds: NDArray[np.intp], mean: Array, scatter: Array
) -> None:
    """Summarise groups that `are_small`; those of the same length go together.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Of any real type.
    order : ndarray of row numbers
        Those of group g stand from ``bounds[g]`` to ``bounds[g + 1]``.
    bounds : ndarray of shape (G + 1,)
    mean : ndarray of shape (G, p)
    scatter : ndarray of shape (G, p, p), or (G, p) for the diagonal alone
        Both zeros, which are written over where a group has rows.

    Raises
    ------
    ValueError
        For rows that hold NaN or infinity.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [4.0, 1.0], [5.0, 7.0]])
    >>> mean, scatter = np.zeros((2, 2)), np.zeros((2, 2, 2))
    >>> stacked_moments(X, np.arange(3), np.array([0, 2, 3]), mean, scatter)
    >>> mean.tolist(), scatter[0].tolist()
    ([[2.0, 1.0], [5.0, 7.0]], [[8.0, 0.0], [0.0, 0.0]])
    """
    lengths = np.diff(bounds)
    for length in np.unique(lengths[lengths > 0]).tolist():
        alike = np.flatnonzero(lengths == length)
        if length == 1:  # nothing varies, and the scatters are zero already
            mean[alike] = X[order[bounds[alike]]]
            continue
        step = max(1, STACKED_VALUES // max(1, length * X.shape[1]))
        for start in range(0, len(alike), step):
            groups = alike[start : start + step]
            members = order[bounds[groups, None] + np.arange(length)]
            # What is not finite shows in the means, so it need not warn on its way there.
            with np.errstate(invalid="ignore", over="ignore"):
                mean[groups], scatter[groups] = _summarised(X, members, scatter.ndim == 2)
    if not np.isfinite(mean).all():
        raise ValueError(where_not_finite(X, order))


def _summarised(
    X: NDArray[Any], members: NDArray[np.intp], diagonal: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return means (g, p) and scatters (g, p, p), or (g, p), of rows numbered as (g, m).

    As in `block_moments`: about a point next to the mean, and corrected for what is missing. It
    is reached by steps from the first row, so that what is constant is so to the last bit.
    """
    rows = X.take(members, axis=0).astype(np.float64, copy=False)
    length = rows.shape[1]
    anchor = rows[:, 0].copy()
    rows -= anchor[:, None]
    each = np.ones((1, length))
    step = (each @ rows)[:, 0] / length
    rows -= step[:, None]
    rest = (each @ rows)[:, 0] / length
    lacking = np.sqrt(length) * rest
    if diagonal:
        scatter = np.maximum(np.einsum("gij,gij->gj", rows, rows) - lacking**2, 0.0)
    else:
        # NumPy sees products with their own transposes and calls syrk: half of the work.
        scatter = rows.swapaxes(1, 2) @ rows
        scatter -= lacking[:, :, None] * lacking[:, None]
    return anchor + (step + rest), scatter
