"""The area under the ROC curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from lincore.metrics.intervals import LEVEL, Interval
from lincore.utils.typing import Array, Codes, Flags


class Area(NamedTuple):
    """Areas under the curves of one class against the rest, and of their mean."""

    by_class: Array  # (K,); NaN for a class with no rows, or with all rows
    value: float  # mean over the classes that have an area; NaN if none has
    influence: Array  # (m,); derivative of `value` with respect to the share of each row, times m


def area(
    scores: Array, truth: Codes, folds: Codes | None = None, weight: Array | None = None
) -> Area:
    """Return the share of pairs (a row of the class, another row) that are ranked correctly."""
    # A tie counts half.
    m, n_classes = scores.shape
    folds = np.zeros(m, dtype=np.intp) if folds is None else folds
    n_folds = int(folds.max(initial=0)) + 1
    weight = np.ones(m) if weight is None else weight
    by_class, influence = np.full(n_classes, np.nan), np.zeros(m)
    for k in range(n_classes):
        inside = truth == k
        n_inside = np.bincount(folds[inside], weight[inside], n_folds)
        n_outside = np.bincount(folds[~inside], weight[~inside], n_folds)
        n_pairs = float((n_inside * n_outside).sum())
        if n_pairs:
            opposite = np.where(inside, n_outside[folds], n_inside[folds])
            ranked = _pairs_by_row(scores[:, k], inside, folds, weight)
            by_class[k] = (ranked * weight)[inside].sum() / n_pairs
            influence += (ranked - by_class[k] * opposite) * weight * m / n_pairs
    usable = np.count_nonzero(~np.isnan(by_class))
    if not usable:
        return Area(by_class, np.nan, np.full(m, np.nan))
    influence /= usable * (2 if n_folds > 1 else 1)
    return Area(by_class, float(np.nanmean(by_class)), influence)


def delong_interval(scores: ArrayLike, is_positive: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the AUC of two classes with DeLong's interval, as in R's `pROC::ci.auc`.

    For one fixed model and independent rows. The interval is symmetric and clipped to [0, 1]. For a
    perfect ranking it has zero width, and close to that it is too narrow; `lincore.metrics.score`
    avoids this by adding two rows.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Larger for the positive class: posteriors, log odds or any other scores.
    is_positive : array-like of shape (n,), bool

    Raises
    ------
    ValueError
        If scores are not numbers, or a class has fewer than two rows.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), "Comparing the areas under two or more correlated
    receiver operating characteristic curves", eqs. 4 to 6.

    Examples
    --------
    >>> interval = delong_interval([0.1, 0.4, 0.35, 0.8, 0.6], [False, False, True, True, True])
    >>> [f"{end:.4f}" for end in interval]
    ['0.8333', '0.3714', '1.0000']
    """
    values = np.asarray(scores, dtype=float)
    positive = np.asarray(is_positive, dtype=bool)
    if values.ndim != 1 or values.shape != positive.shape or np.isnan(values).any():
        raise ValueError(
            f"One score, not NaN, is needed for each row; got scores of shape {values.shape} for "
            f"{positive.size} rows."
        )
    counts = np.array([positive.sum(), (~positive).sum()])
    if counts.min() < 2:
        raise ValueError(
            f"DeLong's interval needs two rows of each class; there are {counts[0]} positive and "
            f"{counts[1]} negative ones."
        )
    folds, weight = np.zeros(len(values), dtype=np.intp), np.ones(len(values))
    ranked = _pairs_by_row(values, positive, folds, weight)
    placements = (ranked[positive] / counts[1], ranked[~positive] / counts[0])
    value = float(placements[0].mean())
    error = np.sqrt(sum(placement.var(ddof=1) / len(placement) for placement in placements))
    half = float(ndtri((1 + level) / 2) * error)
    return Interval(value, value - half, value + half).within(0.0, 1.0)


def _pairs_by_row(values: Array, inside: Flags, folds: Codes, weight: Array) -> Array:
    """Return for each row the weight of correctly ordered rows of the other kind in its fold."""
    codes = np.unique(values, return_inverse=True)[1].ravel()
    # Scores of each fold are shifted above those of earlier folds.
    ranks = folds * (int(codes.max(initial=0)) + 1) + codes
    ranked = np.empty(len(values))
    for side in (inside, ~inside):
        order = np.argsort(ranks[~side], kind="stable")
        others = ranks[~side][order]
        up_to = np.append(0.0, np.cumsum(weight[~side][order]))  # exact if all weights are 1
        left = np.searchsorted(others, ranks[side])
        below = (up_to[left] + up_to[np.searchsorted(others, ranks[side], side="right")]) / 2
        counts = np.bincount(folds[~side], weight[~side], int(folds.max(initial=0)) + 1)
        below -= (np.cumsum(counts) - counts)[folds[side]]
        ranked[side] = below if side is inside else counts[folds[side]] - below
    return ranked
