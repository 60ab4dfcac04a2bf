"""Target leakage: single columns that predict the class of nearly every row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.utils.typing import Array

# From this share of rows on, a single column tells the classes too well to be a measurement.
LEAKS = 0.99
_ENOUGH_ROWS = 50


def may_leak(codes: NDArray[np.intp]) -> bool:
    """Tell whether there are rows enough, and of several classes, to judge a column by them."""
    commonest = np.bincount(codes).max() / len(codes) if len(codes) else 1.0
    return len(codes) >= _ENOUGH_ROWS and 1 - commonest >= 2 * (1 - LEAKS)


def share_by_level(values: Any, codes: NDArray[np.intp]) -> float:
    """Return the share of rows whose class is the commonest of the other rows of their level.

    Parameters
    ----------
    values : (n,) Series or array
        Levels; a missing one tells nothing.
    codes : (n,) intp
        The classes.

    Examples
    --------
    >>> share_by_level(np.array(["u", "u", "v", "v", "w"]), np.array([0, 0, 1, 1, 1]))
    0.8
    """
    levels, found = pd.factorize(values)
    n_classes = int(codes.max()) + 1
    cells = (levels * n_classes + codes)[levels >= 0]
    counts = np.bincount(cells, minlength=len(found) * n_classes).reshape(-1, n_classes)
    top = counts.max(axis=1)
    # A level of one row tells nothing: without that row nothing is known of it.
    second = np.partition(counts, -2, axis=1)[:, -2] if n_classes > 1 else 0 * top
    return float(top[(top >= 2) & (top - 1 >= second)].sum() / len(codes))


def share_by_order(values: Array, codes: NDArray[np.intp]) -> float:
    """Return the share of rows that have the class of the row before, in order of the value.

    Parameters
    ----------
    values : (n,) float64
        NaN where one is missing.
    codes : (n,) intp
        The classes.

    Examples
    --------
    >>> share_by_order(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    present = ~np.isnan(values)
    ordered = codes[present][np.argsort(values[present], kind="stable")]
    bounds = int((np.diff(ordered) != 0).sum())
    # One step from each class to the next is what a perfect order needs.
    needed = np.count_nonzero(np.bincount(codes)) - 1
    return float((present.sum() - max(bounds - needed, 0)) / len(codes))
