"""Words by class: how many rows of each class have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.data.dataset import Dataset


class WordShares(NamedTuple):
    """The share of the rows of each class in which words occur.

    Attributes
    ----------
    words : list of w str
    shares : (K, w) float64
    n_rows : (K,) int
        Rows of each class.
    """

    words: list[str]
    shares: Array
    n_rows: NDArray[np.intp]


def word_shares(
    data: Dataset,
    rows: ArrayLike | None = None,
    *,
    order: Literal["frequent", "characteristic"] = "frequent",
    most: int = 20,
) -> WordShares:
    """Return the words that are the most frequent, or that separate the classes best.

    Parameters
    ----------
    data : Dataset
        Data with counts of words.
    rows : array-like of int, optional
        Row numbers. Default: all rows.
    order : {"frequent", "characteristic"}
        By the rows that have the word, or by the χ² statistic of its occurrence over the classes.
    """
    counts = data.X[:, data.n_table_columns :]
    codes = data.codes
    if rows is not None:
        counts, codes = counts[np.asarray(rows)], codes[np.asarray(rows)]
    occurs = counts > 0
    n_rows = np.bincount(codes, minlength=data.n_classes)
    having = np.vstack(
        [np.asarray(occurs[codes == k].sum(axis=0)).ravel() for k in range(data.n_classes)]
    )
    total = having.sum(axis=0)
    if order == "frequent":
        rank = total.astype(np.float64)
    else:
        expected = np.outer(n_rows, total) / max(len(codes), 1)
        # The rows without the word are cells of the table, too.
        without = n_rows[:, None] - expected
        deviation = np.square(having - expected)
        rank = (deviation / np.maximum(expected, 1e-300)).sum(axis=0, where=expected > 0)
        rank += (deviation / np.maximum(without, 1e-300)).sum(axis=0, where=without > 0)
    chosen = np.argsort(-rank, kind="stable")[:most]
    chosen = chosen[total[chosen] > 0]
    names = [data.feature_names[data.n_table_columns + int(i)] for i in chosen]
    return WordShares(names, having[:, chosen] / np.maximum(n_rows, 1)[:, None], n_rows)
