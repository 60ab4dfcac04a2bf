"""Association of each column with the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.data.dataset import Dataset

# Columns of numbers that are held in memory at once, beside the data.
_BLOCK = 64


class Association(NamedTuple):
    """The association of a column with the classes.

    Attributes
    ----------
    column : int
        Position among the features.
    name : str
    measure : {"eta", "V"}
        The correlation ratio of a numeric column, Cramér's V of a categorical one. Both lie
        between 0 and 1, and both are the absolute correlation where column and target are binary.
    value : float
        Adjusted for its expectation under independence, 0 at least.
    """

    column: int
    name: str
    measure: Literal["eta", "V"]
    value: float


def associations(data: Dataset, rows: ArrayLike | None = None) -> list[Association]:
    """Return the association of every column with the classes, the strongest first.

    Parameters
    ----------
    data : Dataset
        Counts of words are left out.
    rows : array-like of int, optional
        Row numbers; all rows when not given. Rows without a value are left out column by column.

    Examples
    --------
    >>> from lincore import sample
    >>> [(one.name, round(one.value, 2)) for one in associations(sample("iris"))[:2]]
    [('petal length (cm)', 0.97), ('petal width (cm)', 0.96)]
    """
    codes = data.codes if rows is None else data.codes[np.asarray(rows)]
    found = []
    for start in range(0, data.n_table_columns, _BLOCK):
        block = list(range(start, min(start + _BLOCK, data.n_table_columns)))
        values = column_values(data, block, rows)
        numeric = [i for i, column in enumerate(block) if level_names(data, column) is None]
        ratios = dict(zip(numeric, correlation_ratios(values[:, numeric], codes), strict=True))
        for i, column in enumerate(block):
            name = data.feature_names[column]
            if i in ratios:
                found.append(Association(column, name, "eta", float(ratios[i])))
            else:
                found.append(Association(column, name, "V", cramers_v(values[:, i], codes)))
    return sorted(found, key=lambda one: (-one.value, one.column))


def correlation_ratios(values: ArrayLike, codes: ArrayLike) -> Array:
    """Return the adjusted correlation ratio η of each column with the classes, shape (p,).

    η² is the share of the variance that lies between the classes; adjusted as R² is,
    1 − (1 − η²)(n − 1)/(n − K), which is Kelley's ε².

    Parameters
    ----------
    values : array-like of shape (n, p)
        NaN where a value is missing.
    codes : array-like of shape (n,)

    References
    ----------
    T. L. Kelley, "An unbiased correlation ratio measure", PNAS 21 (1935), 554-559.

    Examples
    --------
    >>> correlation_ratios([[1.0, 1.0], [1.0, 2.0], [3.0, 1.0], [3.0, 2.0]], [0, 0, 1, 1])
    array([1., 0.])
    """
    X, y = np.asarray(values, dtype=np.float64), np.asarray(codes)
    present = np.isfinite(X)
    count = present.sum(axis=0)
    means = np.divide(
        np.sum(X, axis=0, where=present), count, out=np.zeros(X.shape[1]), where=count > 0
    )
    centred = np.where(present, X - means, 0.0)
    # To unit scale first: squares of 1e200 have no bound.
    scale = np.abs(centred).max(axis=0, initial=0.0)
    centred /= np.where(scale > 0, scale, 1.0)
    between, classes = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for code in np.unique(y):
        mine = y == code
        n_mine = present[mine].sum(axis=0)
        between += np.square(centred[mine].sum(axis=0)) / np.maximum(n_mine, 1)
        classes += n_mine > 0
    total = np.square(centred).sum(axis=0)
    share = np.divide(between, total, out=np.zeros(X.shape[1]), where=total > 0)
    free = count - classes
    judged = (free > 0) & (total > 0)
    unexplained = (1 - share) * (count - 1) / np.where(judged, free, 1)
    return np.sqrt(np.where(judged, np.clip(1 - unexplained, 0.0, 1.0), 0.0))


def cramers_v(levels: ArrayLike, codes: ArrayLike) -> float:
    """Return Cramér's V of two categorical variables, corrected for bias.

    Without the correction a column of many rare levels would go with any target.

    Parameters
    ----------
    levels : array-like of shape (n,)
        Level codes, NaN where missing.
    codes : array-like of shape (n,)

    References
    ----------
    W. Bergsma, "A bias-correction for Cramér's V and Tschuprow's T", Journal of the Korean
    Statistical Society 42 (2013), 323-328.

    Examples
    --------
    >>> round(cramers_v([0, 0, 1, 1] * 10, [0, 0, 1, 1] * 10), 3)
    1.0
    """
    values = np.asarray(levels, dtype=np.float64)
    present = np.isfinite(values)
    n = int(present.sum())
    if n < 2:
        return 0.0
    _, row = np.unique(values[present], return_inverse=True)
    _, column = np.unique(np.asarray(codes)[present], return_inverse=True)
    r, k = int(row.max()) + 1, int(column.max()) + 1
    if min(r, k) < 2:
        return 0.0
    table = np.bincount(row * k + column, minlength=r * k).reshape(r, k)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi = float((np.square(table - expected) / expected).sum()) / n
    phi = max(0.0, phi - (r - 1) * (k - 1) / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    return float(np.sqrt(min(phi / least, 1.0))) if least > 0 else 0.0


def level_names(data: Dataset, column: int) -> tuple[str, ...] | None:
    """Return the names of the levels of a categorical column, None for a numeric one.

    Parameters
    ----------
    data : Dataset
    column : int
        Position among the columns of the table.

    Returns
    -------
    tuple of str or None
        In the order of the codes that stand for the levels.
    """
    return None if data.levels is None else data.levels[column]


def column_values(data: Dataset, columns: ArrayLike, rows: ArrayLike | None = None) -> Array:
    """Return some columns in their own units (or level codes), NaN where missing.

    Parameters
    ----------
    data : Dataset
    columns : int or array-like of int
        Not counts of words.
    rows : array-like of int, optional

    Returns
    -------
    (n,) or (n, p) float64
    """
    wanted = np.atleast_1d(np.asarray(columns, dtype=np.intp))
    if data.kind.is_sparse:
        # By column first: of all the words nothing is copied.
        picked = data.X[:, wanted].toarray()
        picked = picked if rows is None else picked[np.asarray(rows)]
    else:
        picked = data.X[:, wanted] if rows is None else data.X[np.ix_(np.asarray(rows), wanted)]
    found = np.asarray(picked, dtype=np.float64)
    return found[:, 0] if np.ndim(columns) == 0 else found
