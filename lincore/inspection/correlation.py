"""Correlations of the columns of a table, over all rows or pooled within the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from lincore.inspection.association import associations, column_values, level_names
from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.data.dataset import Dataset

# Maximum number of columns: the matrix grows with their square.
MOST_CORRELATED = 1_000


class Correlations(NamedTuple):
    """Correlations between some columns of a data set.

    Attributes
    ----------
    names : list of p str
        A two-level category is represented by the indicator of its second level: "sex = male".
    matrix : (p, p) float64
        NaN if two columns have too few complete rows, or one of them is constant.
    n_rows : int
    n_columns : int
        Number of numeric and two-level columns of the data set, of which p are included.
    """

    names: list[str]
    matrix: Array
    n_rows: int
    n_columns: int

    def strongest(self) -> tuple[int, int] | None:
        """Return the pair of columns with the largest absolute correlation, if any."""
        absolute = np.abs(np.triu(self.matrix, 1))
        absolute[np.tril_indices(len(absolute))] = np.nan
        if not np.isfinite(absolute).any():
            return None
        i, j = np.unravel_index(int(np.nanargmax(absolute)), absolute.shape)
        return int(i), int(j)


def correlations(
    data: Dataset,
    rows: ArrayLike | None = None,
    *,
    within: bool,
    most: int = 30,
    clustered: bool = False,
) -> Correlations:
    """Return the correlations between the most strongly correlated columns.

    Parameters
    ----------
    rows : array-like of int, optional
        Row numbers. Default: all rows.
    within : bool
        Correlate deviations from the class means instead of those from the overall mean.
    most : int
        Maximum number of columns, those of the strongest pairs.
    clustered : bool
        Order the columns so that correlated ones are adjacent, instead of as in the file.

    Examples
    --------
    >>> from lincore import sample
    >>> pooled = correlations(sample("iris"), within=True)
    >>> pooled.names[2:], pooled.matrix[2, 3].round(2).item()
    (['petal length (cm)', 'petal width (cm)'], 0.48)
    """
    candidates = [j for j in range(data.n_table_columns) if len(level_names(data, j) or "ab") == 2]
    if len(candidates) > MOST_CORRELATED:
        eligible = set(candidates)
        ranked = [a.column for a in associations(data, rows) if a.column in eligible]
        columns = sorted(ranked[:MOST_CORRELATED])
    else:
        columns = candidates
    values = column_values(data, columns, rows)
    codes = data.codes if rows is None else data.codes[np.asarray(rows)]
    matrix = correlation_matrix(values, codes if within else np.zeros(len(values), dtype=np.intp))
    shown = _strongest_first(matrix, most)
    shown = clustered_order(matrix, shown) if clustered else sorted(shown)
    names = [_name(data, columns[i]) for i in shown]
    return Correlations(names, matrix[np.ix_(shown, shown)], len(values), len(candidates))


def correlation_matrix(values: ArrayLike, groups: ArrayLike) -> Array:
    """Return Pearson correlations of the deviations from group means.

    For each pair of columns only the rows in which both have a value are used, as in
    `pandas.DataFrame.corr`.

    Parameters
    ----------
    values : array-like of shape (n, p)
        NaN where a value is missing.
    groups : array-like of shape (n,)
        Codes; a single group gives the usual correlations.

    Returns
    -------
    (p, p) float64
        NaN if a column does not vary within the groups.

    Examples
    --------
    >>> correlation_matrix([[0, 0], [1, 1], [0, 9], [1, 10]], [0, 0, 1, 1])[0, 1].item()
    1.0
    """
    X, y = np.asarray(values, dtype=np.float64), np.asarray(groups)
    p = X.shape[1]
    present = np.isfinite(X)
    cross, squares, n_rows = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p))
    scale = np.ones(p)
    for j in range(p):
        column = X[present[:, j], j]
        if column.size and np.ptp(column) > 0:
            scale[j] = np.ptp(column)
    for group in np.unique(y):
        mask = present[y == group].astype(np.float64)
        D = np.where(mask > 0, X[y == group], 0.0)
        # Centre before squaring; the remaining means over the complete rows of a pair are small.
        D = np.where(mask > 0, D - D.sum(axis=0) / np.maximum(mask.sum(axis=0), 1), 0.0) / scale
        n, sums = mask.T @ mask, D.T @ mask
        common = np.maximum(n, 1)
        cross += D.T @ D - sums * sums.T / common
        squares += np.square(D).T @ mask - np.square(sums) / common
        n_rows += np.maximum(n - 1, 0)
    squares[squares < 1e-20 * np.maximum(n_rows, 1)] = 0.0
    product = np.sqrt(squares * squares.T)
    matrix = np.full((p, p), np.nan)
    np.divide(cross, product, out=matrix, where=(product > 0) & (n_rows > 0))
    return np.clip(matrix, -1.0, 1.0)


def clustered_order(matrix: Array, chosen: list[int]) -> list[int]:
    """Return columns in the order of a clustering by average linkage on 1 − |r|."""
    if len(chosen) < 3:
        return sorted(chosen)
    absolute = np.abs(np.nan_to_num(matrix[np.ix_(chosen, chosen)]))
    distances = squareform(1 - (absolute + absolute.T) / 2, checks=False)
    order = leaves_list(optimal_leaf_ordering(linkage(distances, "average"), distances))
    return [chosen[i] for i in order]


def _strongest_first(matrix: Array, most: int) -> list[int]:
    """Return the columns of the strongest pairs, at most `most`."""
    if len(matrix) <= most:
        return list(range(len(matrix)))
    absolute = np.abs(np.nan_to_num(matrix))
    np.fill_diagonal(absolute, 0.0)
    return [int(i) for i in np.argsort(-absolute.max(axis=0), kind="stable")[:most]]


def _name(data: Dataset, column: int) -> str:
    levels = level_names(data, column)
    name = data.feature_names[column]
    return name if levels is None else f"{name} = {levels[1]}"
