"""The area under the ROC curve: how well the posterior of a class ranks rows, resampled fast."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


class Area(NamedTuple):
    """Areas under the curves of one class against the rest, and of their mean.

    Attributes
    ----------
    by_class : ndarray of shape (K,)
        NaN for a class that has no rows, or all rows.
    value : float
        Their mean over the classes that have one; NaN without any.
    influence : ndarray of shape (m,)
        Derivative of `value` by the share of each row, times m.
    """

    by_class: Array
    value: float
    influence: Array


def area(log_proba: Array, truth: Codes) -> Area:
    """Return the share of pairs (a row of the class, another row) that are ranked right.

    A tie counts half. Rows of all folds are ranked together: posteriors are on one scale.

    Parameters
    ----------
    log_proba : ndarray of shape (m, K)
    truth : ndarray of shape (m,)

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), "Comparing the areas under two or more correlated
    receiver operating characteristic curves", eq. 4 (the placements).
    """
    m, n_classes = log_proba.shape
    by_class, influence = np.full(n_classes, np.nan), np.zeros(m)
    for k in range(n_classes):
        inside = truth == k
        n_inside = np.count_nonzero(inside)
        if 0 < n_inside < m:
            values = log_proba[:, k]
            placement = np.empty(m)
            placement[inside] = _share_below(values[inside], values[~inside])
            placement[~inside] = 1 - _share_below(values[~inside], values[inside])
            by_class[k] = placement[inside].mean()
            influence += (placement - by_class[k]) * m / np.where(inside, n_inside, m - n_inside)
    usable = np.count_nonzero(~np.isnan(by_class))
    if not usable:
        return Area(by_class, np.nan, np.full(m, np.nan))
    return Area(by_class, float(np.nanmean(by_class)), influence / usable)


def _share_below(values: Array, others: Array) -> Array:
    """Return for each value the share of the others below it, equal ones counting half."""
    others = np.sort(others)
    left, right = np.searchsorted(others, values), np.searchsorted(others, values, side="right")
    return (left + right) / (2 * len(others))


def resampled_areas(log_proba: Array, truth: Codes, weights: NDArray[np.float32]) -> Array:
    """Return the mean area for each of B resamples, exactly; NaN where no class has one.

    Parameters
    ----------
    log_proba : ndarray of shape (m, K)
    truth : ndarray of shape (m,)
    weights : ndarray of shape (m, B)
        How often each row stands in each resample.

    Returns
    -------
    ndarray of shape (B,)
    """
    total, usable = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
    everyone = weights.sum(axis=0)
    for k in range(log_proba.shape[1]):
        inside = truth == k
        if not inside.any() or inside.all():
            continue
        pairs = _pairs_ranked_right(log_proba[:, k], inside, weights)
        n_inside = weights[inside].sum(axis=0)
        possible = n_inside * (everyone - n_inside)
        total += np.where(possible > 0, pairs / np.maximum(possible, 1), 0)
        usable += possible > 0
    return np.where(usable > 0, total / np.maximum(usable, 1), np.nan)


def _pairs_ranked_right(
    values: Array, inside: NDArray[np.bool_], weights: NDArray[np.float32]
) -> Array:
    """Count weighted pairs (B,), from sums over stretches of rows that need no telling apart."""
    order = np.lexsort((inside, values))  # within a tie the other rows come first
    inside, values = inside[order], values[order]
    new_tie = np.append(True, values[1:] != values[:-1])
    tie = np.cumsum(new_tie) - 1
    share_inside = np.bincount(tie, inside) / np.bincount(tie)
    mixed = ((share_inside > 0) & (share_inside < 1))[tie]
    # Neighbours of one kind make one stretch; a tie of both kinds makes two, of its own.
    alone = new_tie[1:] & (mixed[1:] | mixed[:-1])
    starts = np.flatnonzero(np.append(True, (inside[1:] != inside[:-1]) | alone))
    sums = np.add.reduceat(weights[order], starts, axis=0)
    kind, halved = inside[starts], (inside & mixed)[starts]
    others_before = np.cumsum(np.where(kind[:, None], 0, sums), axis=0)
    others_before[halved] -= sums[np.flatnonzero(halved) - 1] / 2
    return np.einsum("gb,gb->b", sums[kind], others_before[kind], dtype=np.float64)
