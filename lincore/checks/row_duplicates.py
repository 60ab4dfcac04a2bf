"""Test rows with a duplicate in the training set: images, texts or rows of a table.

Every examined test row is compared in full with all training rows, and chance is estimated.
Which images of one data set are duplicates of each other is another question, with as many pairs as
rows squared: see `image_duplicates`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from lincore.data.kinds import RowNoun
from lincore.data.splits import draw_rows
from lincore.utils.typing import Array, Flags

# Images whose pixels correlate so closely are one photograph, turned or moved a little. Of the
# digits of MNIST none in ten thousand do, of the garments of Fashion-MNIST one in a thousand.
SAME_IMAGE = 0.99
# Texts whose counts of words make so large a cosine differ in a word or two.
SAME_TEXT = 0.95
# Numbers in a table are the same if they differ by less than this share of their deviation.
SAME_NUMBER = 1e-3
# A duplicate that chance makes more often than this, among rows with such values, is no surprise.
SURPRISING = 0.01
# Texts of fewer different words come twice by themselves: "ok", "good morning".
FEWEST_WORDS = 4
# Products of numbers that a search may cost (about half a second).
COST = 2e10
# What finding the nearest row of a table takes, in such products.
_TREE_COST = 1e5
# Numbers of one block.
BLOCK_VALUES = 8_000_000


class NearDuplicates(NamedTuple):
    """Test rows with an exact or near duplicate among the training rows.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Positions in the test set: all, or those that were drawn.
    nearest : ndarray of shape (m,)
        Position in the training set of the most similar row.
    exact : ndarray of shape (m,), bool
        Whether all numbers are equal.
    near : ndarray of shape (m,), bool
        Whether they are equal or nearly so, the exact duplicates included.
    surprising : ndarray of shape (m,), bool
        Duplicates that chance does not explain.
    """

    rows: NDArray[np.intp]
    nearest: NDArray[np.intp]
    exact: Flags
    near: Flags
    surprising: Flags


def find_near_duplicates(
    train: Any,
    test: Any,
    what: RowNoun = "rows",
    *,
    train_codes: NDArray[np.intp] | None = None,
    cost: float = COST,
) -> NearDuplicates:
    """Search the training rows for duplicates of the test rows.

    Parameters
    ----------
    train, test : ndarray of shape (n, p) and (m, p), or sparse arrays in CSR
    what : {"rows", "images", "texts"}
        Images are alike if their pixels correlate, texts if their counts of words have a large
        cosine, other rows if every number is the same but for rounding.
    train_codes : ndarray of shape (n,), optional
        Chance is judged within the class of the duplicate.
    cost : float
        Products of numbers that the search may cost; then test rows are drawn.
    """
    chosen = draw_rows(test.shape[0], int(cost / max(1, _cost(train, test, what))), 0)
    if what == "images":
        return _images(np.asarray(train), np.asarray(test)[chosen], chosen)
    if what == "texts":
        return _texts(sp.csr_array(train), sp.csr_array(test)[chosen], chosen)
    codes = np.zeros(len(train), dtype=np.intp) if train_codes is None else train_codes
    rows = (np.asarray(train, dtype=float), np.asarray(test, dtype=float)[chosen])
    return _table(*rows, chosen, codes)


def _cost(train: Any, test: Any, what: RowNoun) -> float:
    """Return how many products of numbers the search costs for one test row."""
    if what == "texts":
        # Every word of a text meets all texts that have it; sparse products are slower.
        met = np.bincount(train.indices, minlength=train.shape[1])
        return 50.0 * float(met[test.indices].sum()) / max(1, test.shape[0])
    # The tree of a table's rows looks at few of them.
    return float(train.shape[0] * train.shape[1]) if what == "images" else _TREE_COST


def _images(train: NDArray[Any], test: NDArray[Any], chosen: NDArray[np.intp]) -> NearDuplicates:
    wanted = _unit(test)
    best = np.full(len(test), -np.inf, dtype=np.float32)
    nearest = np.zeros(len(test), dtype=np.intp)
    for where in blocks(len(train), max(train.shape[1], len(test))):
        likeness = wanted @ _unit(train[where]).T
        leader = likeness.argmax(axis=1)
        top = likeness[np.arange(len(test)), leader]
        nearest = np.where(top > best, leader + where.start, nearest)
        best = np.maximum(best, top)
    places = {row.tobytes(): place for place, row in enumerate(train)}
    same = np.array([places.get(row.tobytes(), -1) for row in test], dtype=np.intp)
    exact = same >= 0
    near = exact | (best >= SAME_IMAGE)
    return NearDuplicates(chosen, np.where(exact, same, nearest), exact, near, near)


def _unit(images: NDArray[Any]) -> NDArray[np.float32]:
    """Return rows of length one whose products are correlations."""
    rows = images.astype(np.float32)
    rows -= rows.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    # An image of one brightness correlates with its like alone.
    plain = (norm == 0)[:, 0]
    rows[plain], norm[plain] = 1.0, np.sqrt(rows.shape[1])
    rows /= norm
    return rows


def _texts(train: sp.csr_array, test: sp.csr_array, chosen: NDArray[np.intp]) -> NearDuplicates:
    unit_train, lengths = _unit_texts(train)
    unit_test, test_lengths = _unit_texts(test)
    best, nearest = np.zeros(test.shape[0]), np.zeros(test.shape[0], dtype=np.intp)
    for where in blocks(test.shape[0], train.shape[0]):
        likeness = (unit_test[where] @ unit_train.T).toarray()
        nearest[where] = likeness.argmax(axis=1)
        best[where] = likeness.max(axis=1)
    near = best >= SAME_TEXT
    exact = (best >= 1 - 1e-9) & np.isclose(test_lengths, lengths[nearest], rtol=1e-9)
    words = np.diff(test.indptr)
    return NearDuplicates(chosen, nearest, exact, near, near & (words >= FEWEST_WORDS))


def _unit_texts(rows: sp.csr_array) -> tuple[sp.csr_array, Array]:
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    factor = 1 / np.where(length > 0, length, 1.0)
    return sp.csr_array(sp.diags_array(factor) @ rows), length


def _table(
    train: Array, test: Array, chosen: NDArray[np.intp], codes: NDArray[np.intp]
) -> NearDuplicates:
    A, B = _comparable(train, test)
    distance, nearest = cKDTree(A).query(B, p=np.inf, distance_upper_bound=SAME_NUMBER)
    near = np.isfinite(distance)
    nearest = np.where(near, nearest, 0)
    surprising = near.copy()
    surprising[near] = _by_chance(A, codes, nearest[near]) < SURPRISING
    return NearDuplicates(chosen, nearest, distance == 0, near, surprising)


def _comparable(train: Array, test: Array) -> tuple[Array, Array]:
    """Bring columns to their deviations; whole numbers stay, and gaps equal each other alone."""
    whole = np.all(np.isnan(train) | (train == np.round(train)), axis=0)
    known = ~np.isnan(train)
    count = np.maximum(known.sum(axis=0), 1)
    centre = np.where(known, train, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(known, (train - centre) ** 2, 0.0).sum(axis=0) / count)
    scale = np.where(whole | (spread == 0), 1.0, spread)
    parts = ((rows - centre) / scale for rows in (train, test))
    first, second = (np.where(np.isnan(rows), -1e9, rows) for rows in parts)
    return first, second


def _by_chance(rows: Array, codes: NDArray[np.intp], places: NDArray[np.intp]) -> Array:
    """Return how many training rows of its class would equal each of some rows by chance.

    The frequencies of its values are multiplied as if columns were independent, and the product
    raised to the share of columns that are: the participation ratio of their correlations. The
    row itself counts as a quarter, so that a value that no other row has is rare, not impossible.
    """
    independent = _independent_share(rows)
    expected = np.zeros(len(places))
    for code in np.unique(codes[places]):
        columns = np.sort(rows[codes == code], axis=0)
        of = codes[places] == code
        logs = np.zeros(np.count_nonzero(of))
        for column, values in zip(columns.T, rows[places[of]].T, strict=True):
            low = np.searchsorted(column, values - SAME_NUMBER, side="left")
            high = np.searchsorted(column, values + SAME_NUMBER, side="right")
            logs += np.log((high - low - 0.75) / len(column))
        expected[of] = len(columns) * np.exp(independent * logs)
    return expected


def _independent_share(rows: Array) -> float:
    filled = np.where(rows < -1e8, 0.0, rows)
    filled = filled - filled.mean(axis=0)
    size = np.linalg.norm(filled, axis=0)
    varying = filled[:, size > 0] / size[size > 0]
    if not varying.shape[1]:
        return 0.0
    # Σλ = p and Σλ² = ‖R‖² for the eigenvalues of a correlation matrix R.
    total = varying.shape[1]
    smaller = varying.T @ varying if total <= len(varying) else varying @ varying.T
    return float(total / (smaller**2).sum())


def blocks(n: int, width: int) -> Iterator[slice]:
    """Cut rows of `width` numbers into blocks that memory can hold."""
    length = max(1, BLOCK_VALUES // max(1, width))
    for start in range(0, n, length):
        yield slice(start, min(start + length, n))
