"""Target leakage: single columns that predict the class of nearly every row."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.utils.typing import Array

# From this share of rows, a single column predicts the classes too well to be a measurement.
LEAKS = 0.99
_ENOUGH_ROWS = 50
# From its border to the nearest quarter of its rows a cluster has so many times the distance of its
# quartiles from their middle: Gaussians that an order tells apart have 2.4, a class that was cut
# off a uniform column has 1, one that was cut off a tail less.
_GAP = 1.75
_ENOUGH_IN_CLASS = 10


def may_leak(codes: NDArray[np.intp]) -> bool:
    """Return whether there are rows enough, and of several classes, to judge a column by them."""
    commonest = np.bincount(codes).max() / len(codes) if len(codes) else 1.0
    return len(codes) >= _ENOUGH_ROWS and 1 - commonest >= 2 * (1 - LEAKS)


class Told(NamedTuple):
    """How well a single column predicts the classes.

    Attributes
    ----------
    share : float
        Share of rows whose class it predicts.
    by_clusters : bool
        Whether it predicts nearly all, with one cluster of numbers per class.
    """

    share: float
    by_clusters: bool = False

    @property
    def is_leak(self) -> bool:
        """Whether it predicts too many rows for a measurement."""
        return self.share >= LEAKS and not self.by_clusters


def classes_told(values: Any, codes: NDArray[np.intp], *, by_order: bool) -> Told:
    """Judge a column by the order of its numbers, or by its levels."""
    if not by_order:
        return Told(share_by_level(values, codes))
    share = share_by_order(values, codes)
    return Told(share, share >= LEAKS and is_made_of_clusters(values, codes))


def share_by_level(values: Any, codes: NDArray[np.intp]) -> float:
    """Return the share of rows whose class is the commonest of the other rows of their level."""
    levels, found = pd.factorize(values)
    n_classes = int(codes.max()) + 1
    cells = (levels * n_classes + codes)[levels >= 0]
    counts = np.bincount(cells, minlength=len(found) * n_classes).reshape(-1, n_classes)
    top = counts.max(axis=1)
    # A level of one row tells nothing: without that row nothing is known of it.
    second = np.partition(counts, -2, axis=1)[:, -2] if n_classes > 1 else 0 * top
    return float(top[(top >= 2) & (top - 1 >= second)].sum() / len(codes))


def share_by_order(values: Array, codes: NDArray[np.intp]) -> float:
    """Return the share of rows that have the class of the row before, in order of the value."""
    present = ~np.isnan(values)
    ordered = codes[present][np.argsort(values[present], kind="stable")]
    bounds = int((np.diff(ordered) != 0).sum())
    # One step from each class to the next is what a perfect order needs.
    needed = np.count_nonzero(np.bincount(codes)) - 1
    return float((present.sum() - max(bounds - needed, 0)) / len(codes))


def is_made_of_clusters(values: Array, codes: NDArray[np.intp]) -> bool:
    """Return whether rows are rare on both sides of every border between classes.

    Measured classes that lie apart are such clusters. A class that was made from the column, by a
    threshold or in the order of the rows, ends abruptly where it has many rows. A class of few rows
    is taken for one that was made.
    """
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
