"""Association of each column with the classes, and a test of the largest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from lincore.utils.typing import Array, Codes

if TYPE_CHECKING:
    from lincore.data.dataset import Dataset

# Numeric columns processed at a time.
_BLOCK = 64
# Rows × columns × permutations of a test (half a second); beyond it, fewer permutations, then rows.
_MAX_WORK, _MIN_PERMUTATIONS, _MAX_PERMUTATIONS = 300_000_000, 199, 999
# Cost of a categorical column and of permuting the labels, in numeric columns.
_CATEGORICAL_COST, _PERMUTATION_COST = 6, 40
# Labels permuted at a time.
_LABEL_BLOCK = 1_000_000
# Values closer than this are ties.
_ROUNDING = 1e-9
_SEED = 0


class Association(NamedTuple):
    """The association of a column with the classes.

    Attributes
    ----------
    column : int
        Position among the features.
    name : str
    measure : {"eta", "V"}
        Correlation ratio for a numeric column, Cramér's V for a categorical one. Both lie between 0
        and 1, and both equal the absolute correlation if column and target are binary.
    value : float
        Adjusted for its expectation under independence; at least 0.
    """

    column: int
    name: str
    measure: Literal["eta", "V"]
    value: float


class LargestAssociation(NamedTuple):
    """Permutation test of the largest association over all columns.

    Attributes
    ----------
    p : float
        P-value adjusted for the number of columns.
    n_columns : int
    n_permutations : int
    n_rows : int
        Number of rows used.
    is_sample : bool
        Whether only a random sample of the rows was used, to save time.
    by_groups : bool
        Whether labels were permuted between groups instead of rows.
    """

    p: float
    n_columns: int
    n_permutations: int
    n_rows: int
    is_sample: bool
    by_groups: bool


def associations(data: Dataset, rows: ArrayLike | None = None) -> list[Association]:
    """Return the association of every column with the classes, the strongest first.

    Parameters
    ----------
    data : Dataset
        Counts of words are left out.
    rows : array-like of int, optional
        Row numbers. Default: all rows. Rows without a value are left out column by column.

    Examples
    --------
    >>> from lincore import sample
    >>> [(a.name, round(a.value, 2)) for a in associations(sample("iris"))[:2]]
    [('petal length (cm)', 0.97), ('petal width (cm)', 0.96)]
    """
    labels = _Labels.of((data.codes if rows is None else data.codes[np.asarray(rows)])[None])
    measured = [
        Association(column, data.feature_names[column], block.name, value)
        for columns, block in _blocks(data, rows)
        for column, value in zip(columns, block.measure(labels)[0].tolist(), strict=True)
    ]
    return sorted(measured, key=lambda association: (-association.value, association.column))


def largest_association_test(
    data: Dataset, column: int, rows: ArrayLike | None = None
) -> LargestAssociation:
    """Test the largest association by permutation of the labels, adjusted for all columns.

    The null distribution is that of the largest association over all columns, so correlations
    between columns are accounted for. If rows belong to groups, each group receives the labels of
    another one in order, repeated or cut to its size. This is exact if groups have equal sizes or
    one label each.

    Parameters
    ----------
    data : Dataset
        Counts of words are left out.
    column : int
        Column with the largest association, see `associations`.
    rows : array-like of int, optional

    Returns
    -------
    LargestAssociation
        Uses 999 permutations; for large tables as few as 199, and then a random sample of the rows,
        so that it takes about half a second.

    References
    ----------
    P. H. Westfall, S. S. Young, "Resampling-based multiple testing" (1993), section 2.3.

    Examples
    --------
    >>> from lincore import sample
    >>> largest_association_test(sample("iris"), 2).p
    0.001
    """
    chosen = np.arange(len(data.codes)) if rows is None else np.asarray(rows, dtype=np.intp)
    rng, n_columns = np.random.default_rng(_SEED), data.n_table_columns
    n_categorical = sum(level_names(data, i) is not None for i in range(n_columns))
    cost = max(n_columns + (_CATEGORICAL_COST - 1) * n_categorical, _PERMUTATION_COST)
    affordable = _MAX_WORK // cost
    n_rows = min(len(chosen), max(affordable // _MIN_PERMUTATIONS, 1))
    if is_sample := n_rows < len(chosen):
        chosen = np.sort(rng.choice(chosen, n_rows, replace=False))
    n_permutations = affordable // max(n_rows, 1)
    n_permutations = min(max(n_permutations, _MIN_PERMUTATIONS), _MAX_PERMUTATIONS)
    _, codes = np.unique(data.codes[chosen], return_inverse=True)
    groups = None if data.groups is None else np.unique(data.groups[chosen], return_inverse=True)[1]
    blocks = [block for _, block in _blocks(data, chosen)]
    (observed,) = (
        block.measure(_Labels.of(codes[None]))[0] for _, block in _blocks(data, chosen, [column])
    )
    n_as_large, step = 0, max(1, _LABEL_BLOCK // max(n_rows, 1))
    for start in range(0, n_permutations, step):
        labels = _permute_labels(codes, groups, min(step, n_permutations - start), rng)
        classes = _Labels.of(labels)
        largest = np.max([block.measure(classes).max(axis=1) for block in blocks], axis=0)
        n_as_large += int((largest >= observed - _ROUNDING).sum())
    p = (n_as_large + 1) / (n_permutations + 1)
    return LargestAssociation(
        p, n_columns, n_permutations, n_rows, is_sample, by_groups=groups is not None
    )


def _permute_labels(
    codes: Codes, groups: Codes | None, times: int, rng: np.random.Generator
) -> Codes:
    """Return permuted labels, shape (times, n)."""
    if groups is None:
        return np.asarray(rng.permuted(np.tile(codes, (times, 1)), axis=1))
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    within = np.arange(len(codes)) - np.repeat(starts, sizes)
    donors = rng.permuted(np.tile(np.arange(len(sizes)), (times, 1)), axis=1)[:, groups[order]]
    labels = np.empty((times, len(codes)), dtype=codes.dtype)
    labels[:, order] = codes[order][starts[donors] + within % sizes[donors]]
    return labels


class _Labels(NamedTuple):
    """B permuted labellings of the same rows, as indicators of the classes."""

    members: csr_array  # (B * K, n)
    shape: tuple[int, int]  # (B, K)

    @classmethod
    def of(cls, labels: Codes) -> _Labels:
        times, n = labels.shape
        n_classes = int(labels.max(initial=0)) + 1
        # Sorting small integers takes linear time.
        order = np.argsort(labels.astype(np.min_scalar_type(n_classes)), axis=1, kind="stable")
        classes = labels + n_classes * np.arange(times)[:, None]
        sizes = np.bincount(classes.ravel(), minlength=times * n_classes)
        ends = np.concatenate([[0], np.cumsum(sizes)])
        ones = np.ones(times * n)
        members = csr_array((ones, order.ravel(), ends), shape=(times * n_classes, n))
        return cls(members, (times, n_classes))

    def sums(self, values: Array) -> Array:
        """Return the sums of columns (n, p) over the rows of each class, shape (B, K, p)."""
        return np.asarray(self.members @ values).reshape(*self.shape, -1)


class _Numbers(NamedTuple):
    """Numeric columns, centred and of unit scale: `total` is their sum of squares."""

    name: Literal["eta"]
    centred: Array
    present: Array
    total: Array

    @classmethod
    def of(cls, values: Array) -> _Numbers:
        present = np.isfinite(values)
        count = present.sum(axis=0)
        means = np.divide(
            np.sum(values, axis=0, where=present), count,
            out=np.zeros(values.shape[1]), where=count > 0,
        )  # fmt: skip
        centred = np.where(present, values - means, 0.0)
        # Scale first, because squares of 1e200 overflow.
        scale = np.abs(centred).max(axis=0, initial=0.0)
        centred /= np.where(scale > 0, scale, 1.0)
        return cls("eta", centred, present.astype(float), np.square(centred).sum(axis=0))

    def measure(self, classes: _Labels) -> Array:
        """Return the adjusted correlation ratio η of each column, shape (B, p)."""
        # η² is the share of the variance between the classes, adjusted like R²: 1 − (1 − η²)(n −
        # 1)/(n − K), which is Kelley's ε².
        count = self.present.sum(axis=0)
        if self.present.all():
            sizes = np.diff(classes.members.indptr).reshape(*classes.shape, 1)
        else:
            sizes = classes.sums(self.present)
        between = (np.square(classes.sums(self.centred)) / np.maximum(sizes, 1)).sum(axis=1)
        free = count - (sizes > 0).sum(axis=1)
        is_defined = (free > 0) & (self.total > 0)
        share = between / np.where(self.total > 0, self.total, 1.0)
        unexplained = (1 - share) * (count - 1) / np.where(is_defined, free, 1)
        return np.sqrt(np.where(is_defined, np.clip(1 - unexplained, 0.0, 1.0), 0.0))


class _Levels(NamedTuple):
    """A categorical column: which rows have which level, and how many rows each level has."""

    name: Literal["V"]
    level_of: csr_array  # (n, L), zero where a value is missing
    counts: Array

    @classmethod
    def of(cls, values: Array) -> _Levels:
        rows = np.flatnonzero(np.isfinite(values))
        levels, level = np.unique(values[rows], return_inverse=True)
        ones, shape = np.ones(len(rows)), (len(values), len(levels))
        level_of = csr_array((ones, (rows, level)), shape=shape)
        return cls("V", level_of, np.bincount(level).astype(float))

    def measure(self, classes: _Labels) -> Array:
        """Return Cramér's V, corrected for bias, shape (B, 1)."""
        # Without the correction a column with many rare levels would be associated with any target.
        table = (classes.members @ self.level_of).tocoo()
        sizes = np.bincount(table.row, table.data, len(classes.members.indptr) - 1)
        expected = self.counts[table.col] * sizes[table.row]
        times, n_classes = classes.shape
        squares = np.bincount(table.row // n_classes, table.data**2 / expected, times)
        r, k = len(self.counts), (sizes.reshape(classes.shape) > 0).sum(axis=1)
        n = self.counts.sum()
        if n < 2:
            return np.zeros((times, 1))
        phi = np.maximum(0.0, squares - 1 - (r - 1) * (k - 1) / (n - 1))
        largest = np.minimum(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
        is_defined = (np.minimum(r, k) > 1) & (largest > 0)
        share = np.where(is_defined, phi / np.where(is_defined, largest, 1.0), 0.0)
        return np.sqrt(np.minimum(share, 1.0))[:, None]


def _blocks(
    data: Dataset, rows: ArrayLike | None, columns: Sequence[int] | None = None
) -> Iterator[tuple[list[int], _Numbers | _Levels]]:
    """Yield blocks of columns of one kind: all columns or the given ones."""
    wanted = range(data.n_table_columns) if columns is None else columns
    numeric = [column for column in wanted if level_names(data, column) is None]
    for start in range(0, len(numeric), _BLOCK):
        block = numeric[start : start + _BLOCK]
        yield block, _Numbers.of(column_values(data, block, rows))
    for column in sorted(set(wanted).difference(numeric)):
        yield [column], _Levels.of(column_values(data, column, rows))


def level_names(data: Dataset, column: int) -> tuple[str, ...] | None:
    """Return the names of the levels of a categorical column; None for a numeric one.

    Parameters
    ----------
    column : int
        Position among the columns of the table.

    Returns
    -------
    tuple of str or None
        In the order of the level codes.
    """
    return None if data.levels is None else data.levels[column]


def column_values(data: Dataset, columns: ArrayLike, rows: ArrayLike | None = None) -> Array:
    """Return some columns in their own units (or level codes), NaN where missing.

    Parameters
    ----------
    columns : int or array-like of int
        Not word counts.
    rows : array-like of int, optional

    Returns
    -------
    (n,) or (n, p) float64
    """
    wanted = np.atleast_1d(np.asarray(columns, dtype=np.intp))
    if data.kind.is_sparse:
        # Columns first, so that not all word counts are copied.
        selected = data.X[:, wanted].toarray()
        selected = selected if rows is None else selected[np.asarray(rows)]
    else:
        selected = data.X[:, wanted] if rows is None else data.X[np.ix_(np.asarray(rows), wanted)]
    values = np.asarray(selected, dtype=np.float64)
    return values[:, 0] if np.ndim(columns) == 0 else values
