"""A single column by class: histogram, density, box plot, shares of levels, summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import gaussian_kde

from lincore.inspection.association import column_values, level_names
from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.data.dataset import Dataset

# Limits on the bars of a histogram: fewer hide the shape, more show noise.
FEWEST_BINS, MOST_BINS = 8, 60
# Integers with a range of at most this have one bar per value.
MOST_UNIT_BARS = 40
MOST_SPREAD = 20
GRID_POINTS = 201
# Maximum number of rows per class for a kernel density, and of outliers drawn.
MOST_KERNELS, MOST_OUTLIERS = 2_000, 200
OTHER = "other levels"


class Histogram(NamedTuple):
    """Rows by class in bins."""

    edges: Array  # (b + 1,)
    counts: NDArray[np.intp]  # (K, b)

    def shares(self) -> Array:
        """Return the shares (K, b) of the rows of each class by bin."""
        return self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)


class Density(NamedTuple):
    """Kernel density estimates by class."""

    grid: Array  # (m,)
    values: Array  # (K, m); each integrates to one; NaN for a class with constant values
    n_used: NDArray[np.intp]  # (K,); rows used for each


class Boxes(NamedTuple):
    """The parts of Tukey's box plots, each of shape (K,); NaN for a class without a value."""

    # `low`, `q1`, `median`, `q3`, `high`: `low` and `high` are the outermost values within 1.5
    # interquartile ranges of the box
    low: Array  # (K,)
    q1: Array  # (K,)
    median: Array  # (K,)
    q3: Array  # (K,)
    high: Array  # (K,)
    mean: Array  # (K,)
    outliers: list[Array]  # (K,); values outside the whiskers, at most 200 per class
    n_outliers: NDArray[np.intp]  # (K,)


class LevelCounts(NamedTuple):
    """Rows by class and level of a categorical column."""

    levels: list[str]  # (L,); most frequent first; rare levels may be merged into "other levels"
    counts: NDArray[np.intp]  # (K, L)

    def of_class(self) -> Array:
        """Return the shares (K, L) of the levels within each class."""
        return self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)

    def of_level(self) -> Array:
        """Return the shares (K, L) of the classes within each level."""
        return self.counts / np.maximum(self.counts.sum(axis=0, keepdims=True), 1)


def class_histograms(
    values: ArrayLike, codes: ArrayLike, n_classes: int, bins: int | None = None
) -> Histogram:
    """Count the rows of each class in common bins.

    Parameters
    ----------
    values : array-like of shape (n,)
        Values that are not finite are left out.
    codes : array-like of shape (n,)
    bins : int, optional
        Default: by the Freedman-Diaconis rule within the classes, from 8 to 60; a few integers get
        one bin each.

    Examples
    --------
    >>> class_histograms([1, 2, 2, 4], [0, 0, 1, 1], 2).counts
    array([[1, 1, 0, 0],
           [0, 1, 0, 1]])
    """
    v, y = _finite(values, codes)
    edges = _edges(v, y, bins)
    counts = [np.histogram(v[y == code], edges)[0] for code in range(n_classes)]
    return Histogram(edges, np.asarray(counts, dtype=np.intp))


def _edges(values: Array, codes: NDArray[np.intp], bins: int | None) -> Array:
    if not len(values):
        return np.array([0.0, 1.0])
    low, high = values.min(), values.max()
    if bins is None and high - low < MOST_UNIT_BARS and (values == np.floor(values)).all():
        return np.asarray(np.arange(low, high + 2) - 0.5)
    if low == high:
        pad = max(abs(low), 1.0) / 2
        return np.array([low - pad, high + pad])
    if bins is None:
        # Within classes: quartiles of all rows would measure the distances between classes.
        by_class = [values[codes == code] for code in np.unique(codes)]
        widths = [2 * np.subtract(*np.percentile(v, [75, 25])) / np.cbrt(len(v)) for v in by_class]
        width = np.average(widths, weights=[len(v) for v in by_class])
        wanted = np.ceil((high - low) / width) if width > 0 else np.sqrt(len(values))
        bins = int(np.clip(wanted, FEWEST_BINS, MOST_BINS))
    return np.asarray(np.linspace(low, high, bins + 1))


def class_densities(values: ArrayLike, codes: ArrayLike, n_classes: int) -> Density:
    """Estimate the density of each class by Gaussian kernels with Scott's bandwidth.

    Parameters
    ----------
    values : array-like of shape (n,)
        Values that are not finite are left out.
    codes : array-like of shape (n,)

    References
    ----------
    D. W. Scott, "Multivariate Density Estimation" (1992), section 6.5.

    Examples
    --------
    >>> density = class_densities([0.0, 1.0, 2.0, 5.0], [0, 0, 0, 1], 2)
    >>> density.n_used.tolist(), bool(np.isnan(density.values[1]).all())
    ([3, 0], True)
    """
    v, y = _finite(values, codes)
    low, high = (v.min(), v.max()) if len(v) else (0.0, 1.0)
    pad = 0.1 * (high - low) or 1.0
    grid = np.linspace(low - pad, high + pad, GRID_POINTS)
    densities, used = np.full((n_classes, GRID_POINTS), np.nan), np.zeros(n_classes, dtype=np.intp)
    # Scale first: for values near 1e-200 the kernel's determinant would underflow.
    unit = high - low if high > low else 1.0
    for code in range(n_classes):
        own = (v[y == code] - low) / unit
        own = own[:: -(-len(own) // MOST_KERNELS) or 1]
        if len(own) >= 2 and np.ptp(own) > 1e-12:
            densities[code] = gaussian_kde(own)((grid - low) / unit) / unit
            used[code] = len(own)
    return Density(np.asarray(grid), densities, used)


def box_plot_statistics(values: ArrayLike, codes: ArrayLike, n_classes: int) -> Boxes:
    """Return the statistics of a box plot for each class.

    Parameters
    ----------
    values : array-like of shape (n,)
        Values that are not finite are left out.
    codes : array-like of shape (n,)

    Examples
    --------
    >>> boxes = box_plot_statistics([1, 2, 3, 4, 50], [0] * 5, 1)
    >>> boxes.q1.item(), boxes.high.item(), boxes.outliers[0].tolist()
    (2.0, 4.0, [50.0])
    """
    v, y = _finite(values, codes)
    statistics = np.full((6, n_classes), np.nan)
    outliers: list[Array] = [np.empty(0)] * n_classes
    n_outliers = np.zeros(n_classes, dtype=np.intp)
    for code in range(n_classes):
        own = v[y == code]
        if not len(own):
            continue
        q1, median, q3 = np.percentile(own, [25, 50, 75])
        reach = 1.5 * (q3 - q1)
        inside = own[(own >= q1 - reach) & (own <= q3 + reach)]
        statistics[:, code] = inside.min(), q1, median, q3, inside.max(), own.mean()
        outside = np.sort(own[(own < q1 - reach) | (own > q3 + reach)])
        n_outliers[code] = len(outside)
        # Evenly spaced among the sorted outliers, so the extremes are included.
        drawn = np.linspace(0, len(outside) - 1, min(len(outside), MOST_OUTLIERS)).astype(np.intp)
        outliers[code] = outside[drawn]
    low, q1, middle, q3, high, mean = statistics
    return Boxes(low, q1, middle, q3, high, mean, outliers, n_outliers)


def level_counts(
    values: ArrayLike, codes: ArrayLike, n_classes: int, names: tuple[str, ...], most: int = 20
) -> LevelCounts:
    """Count the rows of each class in the levels of a categorical column.

    Parameters
    ----------
    values : array-like of shape (n,)
        Positions in `names`; NaN is left out.
    codes : array-like of shape (n,)
    names : tuple of str
    most : int
        Maximum number of levels; rarer ones are merged.

    Examples
    --------
    >>> level_counts([0, 1, 1, np.nan], [0, 0, 1, 1], 2, ("f", "m"))
    LevelCounts(levels=['m', 'f'], counts=array([[1, 1],
           [1, 0]]))
    """
    v, y = _finite(values, codes)
    flat = np.bincount(y * len(names) + v.astype(np.intp), minlength=n_classes * len(names))
    counts = flat.reshape(n_classes, len(names))
    total = counts.sum(axis=0)
    order = np.argsort(-total, kind="stable")
    order = order[total[order] > 0]
    shown, rest = order[:most], order[most:]
    levels, merged = [names[i] for i in shown], counts[:, shown]
    if len(rest):
        levels.append(f"{OTHER} ({len(rest):,})")
        merged = np.column_stack([merged, counts[:, rest].sum(axis=1)])
    return LevelCounts(levels, merged)


def jitter(values: ArrayLike, seed: int = 0) -> tuple[Array, bool]:
    """Add random noise to integers with few distinct values, so that points do not overlap.

    Parameters
    ----------
    values : array-like of shape (n,)

    Returns
    -------
    (n,) float64
        Moved by up to a quarter of the smallest step, if there are at most 20 distinct integers.
    bool
        Whether they were moved.

    Examples
    --------
    >>> jitter([1, 3] * 20)[1], jitter([0.5, 1.0] * 20)[1]
    (True, False)
    """
    v = np.asarray(values, dtype=np.float64)
    levels = np.unique(v[np.isfinite(v)])
    few = 2 <= len(levels) <= MOST_SPREAD < len(v) and (levels == np.floor(levels)).all()
    if not few:
        return v, False
    reach = np.diff(levels).min() / 4
    return v + np.random.default_rng(seed).uniform(-reach, reach, len(v)), True


def summarise_columns(
    data: Dataset, columns: ArrayLike, rows: ArrayLike | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Summarise columns by class and over all classes.

    Parameters
    ----------
    columns : array-like of int
        Positions among the features, not word counts.
    rows : array-like of int, optional
        Row numbers. Default: all rows.

    Returns
    -------
    numbers : DataFrame
        column, class, n (rows with a value), missing (per cent of the rows), mean, sd (divisor
        n − 1), min, q25, median, q75, max.
    levels : DataFrame
        column, class, n, missing, levels, most frequent, share (per cent of n).

    Examples
    --------
    >>> from lincore import sample
    >>> numbers, levels = summarise_columns(sample("iris"), [0])
    >>> numbers["class"].tolist(), numbers["mean"].round(2).tolist()
    (['all', 'setosa', 'versicolor', 'virginica'], [5.84, 5.01, 5.94, 6.59])
    """
    codes = data.codes if rows is None else data.codes[np.asarray(rows)]
    classes = [("all", np.ones(len(codes), dtype=bool))]
    classes += [(str(label), codes == k) for k, label in enumerate(data.classes)]
    numbers: list[dict[str, Any]] = []
    levels: list[dict[str, Any]] = []
    for column in np.asarray(columns, dtype=np.intp).tolist():
        values, names = column_values(data, column, rows), level_names(data, column)
        for label, is_member in classes:
            present = values[is_member & np.isfinite(values)]
            n, n_rows = len(present), int(is_member.sum())
            line = {"column": data.feature_names[column], "class": label, "n": n}
            line["missing"] = 100 * (n_rows - n) / n_rows if n_rows else np.nan
            if names is None:
                numbers.append(line | _numeric_summary(present))
            else:
                levels.append(line | _level_summary(present, names))
    return pd.DataFrame(numbers), pd.DataFrame(levels)


def summary_columns(data: Dataset, most_lines: int) -> list[int]:
    """Return the first columns whose summary by class fits into a number of lines.

    Parameters
    ----------
    most_lines : int
        A column takes one line per class and one for all rows.

    Returns
    -------
    list of int
        Positions among the columns of the table, at least one.
    """
    return list(range(min(data.n_table_columns, max(1, most_lines // (data.n_classes + 1)))))


def _numeric_summary(values: Array) -> dict[str, float]:
    n = len(values)
    five = np.percentile(values, [0, 25, 50, 75, 100]) if n else np.full(5, np.nan)
    mean = float(values.mean()) if n else np.nan
    sd = float(values.std(ddof=1)) if n > 1 else np.nan
    keys = ("min", "q25", "median", "q75", "max")
    return {"mean": mean, "sd": sd, **dict(zip(keys, five.tolist(), strict=True))}


def _level_summary(values: Array, names: tuple[str, ...]) -> dict[str, Any]:
    counts = np.bincount(values.astype(np.intp), minlength=len(names))
    if not len(values):
        return {"levels": 0, "most frequent": "", "share": np.nan}
    top = int(counts.argmax())
    share = 100 * counts[top] / len(values)
    return {"levels": int((counts > 0).sum()), "most frequent": names[top], "share": share}


def _finite(values: ArrayLike, codes: ArrayLike) -> tuple[Array, NDArray[np.intp]]:
    v = np.asarray(values, dtype=np.float64)
    present = np.isfinite(v)
    return v[present], np.asarray(codes, dtype=np.intp)[present]
