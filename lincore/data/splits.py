"""Splits into training and test set: stratified, by group, by order, as given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset, Split
from lincore.errors import DataError
from lincore.utils.formatting import class_named


class Fold(NamedTuple):
    """One training set with its test set, row numbers in increasing order.

    Attributes
    ----------
    repetition, fold : int
        Within a repetition no row is tested twice.
    train, test : ndarrays of row numbers
    """

    repetition: int
    fold: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def split(data: Dataset, how: str | None = None, *, test_size: float = 0.3, seed: int = 0) -> Split:
    """Hold out rows of every class for testing.

    A class with one row is trained on and never tested; any other class has rows in both parts,
    unless groups are kept together.

    Parameters
    ----------
    how : {"stratified", "group", "last", "given"}, optional
        At random within each class; whole groups at random, with class shares as equal as possible;
        the last rows of each class in file order; or the test set of the source, regardless of
        `test_size`. Default: "group" if the data have groups, otherwise "stratified".
    test_size : float
        Share of each class, between 0 and 1.
    seed : int
        For "stratified" and "group".

    Raises
    ------
    DataError
        If `how` or `test_size` is invalid, if the source has no test set, or if a class is left
        without training rows.

    Examples
    --------
    >>> from lincore.io.loading import load
    >>> data = load(([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]))
    >>> split(data, "last", test_size=0.5).test.tolist()
    [1, 3]
    """
    if how is None:
        how = "stratified" if data.groups is None else "group"
    if how == "given":
        return _given_split(data)
    if how not in ("stratified", "group", "last"):
        raise DataError(
            f"There is no split called {how!r}.", remedy="Use stratified, group, last or given."
        )
    if not 0 < test_size < 1:
        raise DataError(f"The test fraction {test_size} is not between 0 and 1.", remedy="Try 0.3.")
    if how == "group":
        return _group_split(data, test_size, seed)
    tested = np.zeros(data.n_rows, dtype=bool)
    order = rows_by_class(data.codes, data.n_classes, seed if how == "stratified" else None)
    for rows, n_test in zip(order, class_counts_of_test(data, test_size), strict=True):
        tested[rows[len(rows) - n_test :]] = True
    if not tested.any():
        raise DataError(
            "No class has a second row, so none can be tested.",
            where=data.name,
            remedy="Choose a target whose values repeat, or add rows.",
        )
    return Split(np.flatnonzero(~tested), np.flatnonzero(tested))


def rows_by_class(
    codes: np.ndarray,
    n_classes: int,
    seed: int | np.random.Generator | Sequence[np.random.Generator] | None = None,
) -> list[np.ndarray]:
    """Return the rows of each class, in file order or shuffled; splits test the last ones."""
    # All sampling by class is done here: splits, folds, the subsets of a study, the rows of a plot.
    rows = [np.flatnonzero(codes == code) for code in range(n_classes)]
    if seed is None:
        return rows
    streams = seed if isinstance(seed, Sequence) else [np.random.default_rng(seed)] * n_classes
    return [rng.permutation(of_class) for rng, of_class in zip(streams, rows, strict=True)]


def draw_rows(n: int, most: int, seed: int | np.random.Generator) -> np.ndarray:
    """Draw a sorted random sample if there are more than `most` rows; at least one row."""
    if n <= max(1, most):
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, max(1, most), replace=False))


def class_counts_of_test(data: Dataset, test_size: float) -> np.ndarray:
    """Return the number of test rows of each class, shape (K,).

    Parameters
    ----------
    test_size : float
        Test fraction, between 0 and 1.

    Returns
    -------
    ndarray of int, shape (K,)
        Rows of each class in the test set; a class with two or more rows is in both sets.
    """
    # Rounding alone could leave a small class without test rows, or without training rows.
    wanted = np.maximum(np.round(test_size * data.counts), 1).astype(np.intp)
    return np.minimum(wanted, np.maximum(data.counts - 1, 0))


def _given_split(data: Dataset) -> Split:
    tested = data.given_test
    if tested is None or not tested.any():
        raise DataError(
            "The data define no test set.",
            where=data.name,
            remedy="Draw it by class (stratified) or take the last rows (last), or zip folders "
            "called train and test.",
        )
    trained = data.counts_in(~tested)
    if not trained.all():
        raise DataError(
            "The given split leaves no training rows for "
            f"{class_named(data.classes[trained.argmin()])}.",
            where=data.name,
            remedy="Draw the test set by class (stratified) or take the last rows (last), or add "
            "rows of that class to the training set.",
        )
    return Split(np.flatnonzero(~tested), np.flatnonzero(tested))


def _group_split(data: Dataset, test_size: float, seed: int) -> Split:
    if data.groups is None:
        raise DataError(
            "The data have no groups of rows that belong together.",
            where=data.name,
            remedy="Draw it by class (stratified) or take the last rows (last), or give a column "
            "the role group.",
        )
    groups = np.unique(data.groups, return_inverse=True)[1]
    n_groups, K = int(groups.max()) + 1, data.n_classes
    cells = np.bincount(groups * K + data.codes, minlength=n_groups * K)
    counts = cells.reshape(n_groups, K)
    tested = _tested_groups(counts, test_size, np.random.default_rng(seed))[groups]
    trained = data.counts_in(~tested)
    if not trained.all() or not tested.any():
        lacking = (
            f"no training rows for {class_named(data.classes[trained.argmin()])}"
            if not trained.all()
            else "no test rows"
        )
        raise DataError(
            f"Whole groups leave {lacking}.",
            where=data.name,
            remedy="Choose another test fraction or seed, or a random split.",
        )
    return Split(np.flatnonzero(~tested), np.flatnonzero(tested))


def _tested_groups(counts: np.ndarray, test_size: float, rng: np.random.Generator) -> np.ndarray:
    """Choose groups of (n_groups, K) rows by class for testing, shape (n_groups,) bool."""
    # Each group, the largest first, goes to the part that makes the class shares of both parts more
    # similar.
    n_groups, K = counts.shape
    totals = counts.sum(axis=0)
    in_test, in_train = counts / (test_size * totals), counts / ((1 - test_size) * totals)
    # Sizes only in powers of two, so that every seed gives a different split.
    order = rng.permutation(n_groups)
    size = np.floor(np.log2(counts.sum(axis=1)))
    order = order[np.argsort(-size[order], kind="stable")]
    # The only group of a class is always trained on.
    only = ((counts > 0) & ((counts > 0).sum(axis=0) == 1)).any(axis=1)
    tested = np.zeros(n_groups, dtype=bool)
    excess = -in_train[only].sum(axis=0) if only.any() else np.zeros(K)
    candidates = order[~only[order]]
    for group in candidates:
        more, less = excess + in_test[group], excess - in_train[group]
        tested[group] = more @ more <= less @ less
        excess = more if tested[group] else less
    if not tested.any():
        tested[candidates[-1:]] = True
    return tested
