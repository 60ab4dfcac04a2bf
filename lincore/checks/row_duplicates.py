"""Test rows with a duplicate in the training set: images, texts or rows of a table.

Every examined test row is compared in full with all training rows, and the number of duplicates
expected by chance is estimated. See `image_duplicates` for duplicates within one data set.
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

# Minimum correlation of the pixels of near duplicates, such as slightly rotated or shifted copies
# of a photograph. It is exceeded by fewer than one in ten thousand digits of MNIST and by one in a
# thousand images of Fashion-MNIST.
SAME_IMAGE = 0.99
# Minimum cosine of the word counts of near duplicates: texts that differ by a word or two.
SAME_TEXT = 0.95
# Numbers in a table are the same if they differ by less than this share of their deviation.
SAME_NUMBER = 1e-3
# A duplicate is surprising if fewer equal rows than this are expected by chance.
SURPRISING = 0.01
# Texts with fewer distinct words are often repeated by chance: "ok", "good morning".
FEWEST_WORDS = 4
# Multiplications allowed for a search (about half a second).
COST = 2e10
# Cost of finding the nearest row of a table, in multiplications.
_TREE_COST = 1e5
# Values in one block.
BLOCK_VALUES = 8_000_000


class NearDuplicates(NamedTuple):
    """Test rows with an exact or near duplicate among the training rows."""

    rows: NDArray[np.intp]  # (m,); positions in the test set of the rows examined: all or a sample
    nearest: NDArray[np.intp]  # (m,); position of the most similar row in the training set
    exact: Flags  # (m,); whether all numbers are equal
    near: Flags  # (m,); whether they are equal or nearly equal
    surprising: Flags  # (m,); duplicates that chance does not explain


def find_near_duplicates(
    train: Any,
    test: Any,
    kind: RowNoun = "rows",
    *,
    train_codes: NDArray[np.intp] | None = None,
    cost: float = COST,
) -> NearDuplicates:
    """Search the training rows for duplicates of the test rows.

    Parameters
    ----------
    train, test : ndarray of shape (n, p) and (m, p), or sparse arrays in CSR
    kind : {"rows", "images", "texts"}
        Images are near duplicates if their pixels correlate, texts if their word counts have a
        large cosine, other rows if all values are equal up to rounding.
    train_codes : ndarray of shape (n,), optional
        If given, chance is estimated within the class of the duplicate.
    cost : float
        Maximum number of multiplications; if more are needed, test rows are sampled.
    """
    chosen = draw_rows(test.shape[0], int(cost / max(1, _cost(train, test, kind))), 0)
    if kind == "images":
        return _images(np.asarray(train), np.asarray(test)[chosen], chosen)
    if kind == "texts":
        return _texts(sp.csr_array(train), sp.csr_array(test)[chosen], chosen)
    codes = np.zeros(len(train), dtype=np.intp) if train_codes is None else train_codes
    rows = (np.asarray(train, dtype=float), np.asarray(test, dtype=float)[chosen])
    return _table(*rows, chosen, codes)


def _cost(train: Any, test: Any, kind: RowNoun) -> float:
    """Return the number of multiplications per test row."""
    if kind == "texts":
        # Each word of a text is compared with all texts that contain it; sparse products are
        # slower.
        met = np.bincount(train.indices, minlength=train.shape[1])
        return 50.0 * float(met[test.indices].sum()) / max(1, test.shape[0])
    # For tables, a tree search examines only a few rows.
    return float(train.shape[0] * train.shape[1]) if kind == "images" else _TREE_COST


def _images(train: NDArray[Any], test: NDArray[Any], chosen: NDArray[np.intp]) -> NearDuplicates:
    wanted = _unit(test)
    best = np.full(len(test), -np.inf, dtype=np.float32)
    nearest = np.zeros(len(test), dtype=np.intp)
    for where in blocks(len(train), max(train.shape[1], len(test))):
        similarity = wanted @ _unit(train[where]).T
        leader = similarity.argmax(axis=1)
        top = similarity[np.arange(len(test)), leader]
        nearest = np.where(top > best, leader + where.start, nearest)
        best = np.maximum(best, top)
    position_of = {row.tobytes(): position for position, row in enumerate(train)}
    same = np.array([position_of.get(row.tobytes(), -1) for row in test], dtype=np.intp)
    exact = same >= 0
    near = exact | (best >= SAME_IMAGE)
    return NearDuplicates(chosen, np.where(exact, same, nearest), exact, near, near)


def _unit(images: NDArray[Any]) -> NDArray[np.float32]:
    """Centre and normalise images, so that products are correlations."""
    rows = images.astype(np.float32)
    rows -= rows.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    # An image of uniform brightness correlates only with other uniform images.
    plain = (norm == 0)[:, 0]
    rows[plain], norm[plain] = 1.0, np.sqrt(rows.shape[1])
    rows /= norm
    return rows


def _texts(train: sp.csr_array, test: sp.csr_array, chosen: NDArray[np.intp]) -> NearDuplicates:
    unit_train, lengths = _unit_texts(train)
    unit_test, test_lengths = _unit_texts(test)
    best, nearest = np.zeros(test.shape[0]), np.zeros(test.shape[0], dtype=np.intp)
    for where in blocks(test.shape[0], train.shape[0]):
        similarity = (unit_test[where] @ unit_train.T).toarray()
        nearest[where] = similarity.argmax(axis=1)
        best[where] = similarity.max(axis=1)
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
    surprising[near] = _expected_duplicates(A, codes, nearest[near]) < SURPRISING
    return NearDuplicates(chosen, nearest, distance == 0, near, surprising)


def _comparable(train: Array, test: Array) -> tuple[Array, Array]:
    """Standardise columns, except integers; missing values equal only each other."""
    whole = np.all(np.isnan(train) | (train == np.round(train)), axis=0)
    known = ~np.isnan(train)
    count = np.maximum(known.sum(axis=0), 1)
    centre = np.where(known, train, 0.0).sum(axis=0) / count
    spread = np.sqrt(np.where(known, (train - centre) ** 2, 0.0).sum(axis=0) / count)
    scale = np.where(whole | (spread == 0), 1.0, spread)

    def standardised(rows: Array) -> Array:
        return np.where(np.isnan(rows), -1e9, (rows - centre) / scale)

    return standardised(train), standardised(test)


def _expected_duplicates(
    rows: Array, codes: NDArray[np.intp], positions: NDArray[np.intp]
) -> Array:
    """Return how many training rows of the same class are expected to equal each row by chance."""
    # The frequencies of a row's values are multiplied as if columns were independent, and the
    # product is raised to the effective share of independent columns, the participation ratio of
    # their correlations. The row itself counts as a quarter, so that a value of no other row is
    # rare but not impossible.
    independent = _independent_share(rows)
    expected = np.zeros(len(positions))
    for code in np.unique(codes[positions]):
        columns = np.sort(rows[codes == code], axis=0)
        in_class = codes[positions] == code
        logs = np.zeros(np.count_nonzero(in_class))
        for column, values in zip(columns.T, rows[positions[in_class]].T, strict=True):
            low = np.searchsorted(column, values - SAME_NUMBER, side="left")
            high = np.searchsorted(column, values + SAME_NUMBER, side="right")
            logs += np.log((high - low - 0.75) / len(column))
        expected[in_class] = len(columns) * np.exp(independent * logs)
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
    """Yield blocks of rows with `width` values each that fit into memory."""
    length = max(1, BLOCK_VALUES // max(1, width))
    for start in range(0, n, length):
        yield slice(start, min(start + length, n))
