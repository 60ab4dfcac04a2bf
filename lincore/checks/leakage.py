"""Target leakage: single columns that predict the class of nearly every row."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.utils.typing import Array

# A single column that predicts the classes of at least this share of rows is suspicious.
LEAKS = 0.99
_ENOUGH_ROWS = 50
# Minimum distance from a cluster's edge to its nearest quartile, in units of half its interquartile
# range. Well-separated Gaussians have 2.4; a class cut from a uniform column has 1, one cut from a
# tail less.
_GAP = 1.75
_ENOUGH_IN_CLASS = 10


def may_leak(codes: NDArray[np.intp]) -> bool:
    """Return whether there are enough rows, not nearly all of one class, to detect leakage."""
    commonest = np.bincount(codes).max() / len(codes) if len(codes) else 1.0
    return len(codes) >= _ENOUGH_ROWS and 1 - commonest >= 2 * (1 - LEAKS)


class Predictability(NamedTuple):
    """How well a single column predicts the classes."""

    share: float  # share of rows whose class it predicts
    # Whether it predicts nearly all, with one cluster of numbers per class
    by_clusters: bool = False

    @property
    def is_leak(self) -> bool:
        """Whether the column predicts too many rows to be a measurement."""
        return self.share >= LEAKS and not self.by_clusters


def predictability(values: Any, codes: NDArray[np.intp], *, by_order: bool) -> Predictability:
    """Measure how well a column predicts the classes, by the order of its numbers or by levels."""
    if not by_order:
        return Predictability(share_by_level(values, codes))
    share = share_by_order(values, codes)
    return Predictability(share, share >= LEAKS and is_made_of_clusters(values, codes))


def share_by_level(values: Any, codes: NDArray[np.intp]) -> float:
    """Return the share of rows whose class is the most common among other rows of their level."""
    levels, distinct = pd.factorize(values)
    n_classes = int(codes.max()) + 1
    cells = (levels * n_classes + codes)[levels >= 0]
    counts = np.bincount(cells, minlength=len(distinct) * n_classes).reshape(-1, n_classes)
    top = counts.max(axis=1)
    # A level with a single row predicts nothing: it has no other rows.
    runner_up = np.partition(counts, -2, axis=1)[:, -2] if n_classes > 1 else 0 * top
    return float(top[(top >= 2) & (top - 1 >= runner_up)].sum() / len(codes))


def share_by_order(values: Array, codes: NDArray[np.intp]) -> float:
    """Return the share of rows with the same class as the previous row, sorted by value."""
    present = ~np.isnan(values)
    ordered = codes[present][np.argsort(values[present], kind="stable")]
    bounds = int((np.diff(ordered) != 0).sum())
    # A perfect order has one change from each class to the next.
    needed = np.count_nonzero(np.bincount(codes)) - 1
    return float((present.sum() - max(bounds - needed, 0)) / len(codes))


def is_made_of_clusters(values: Array, codes: NDArray[np.intp]) -> bool:
    """Return whether rows are rare on both sides of every border between classes."""
    # This is true of well-separated measurements. A class that was derived from the column, by a
    # threshold or by row number, ends abruptly at a value with many rows. A class with few rows
    # counts as derived.
    classes = [values[(codes == k) & ~np.isnan(values)] for k in np.unique(codes)]
    if min(map(len, classes)) < _ENOUGH_IN_CLASS:
        return False
    quantiles = sorted((np.quantile(x, [0.01, 0.25, 0.75, 0.99]) for x in classes), key=np.mean)
    for (_, low_25, low_75, low_end), (high_end, high_25, high_75, _) in pairwise(quantiles):
        border = (low_end + high_end) / 2
        if border - low_75 < _GAP * (low_75 - low_25) / 2:
            return False
        if high_25 - border < _GAP * (high_75 - high_25) / 2:
            return False
    return True
