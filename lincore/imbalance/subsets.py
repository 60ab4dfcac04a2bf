"""Training subsets of each condition of an imbalance study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import class_counts_of_test, rows_by_class
from lincore.errors import DataError
from lincore.moments.moments import Moments, stacked
from lincore.utils.typing import Array, Counts

# Squares of the features of all rows (8 MB) up to which Python's work is more than the sums.
FEW_SQUARES = 1_000_000


@dataclass(frozen=True, eq=False)
class NestedSubsets:
    """Training rows in a random order within each class: a subset takes the first so many of each.

    A smaller subset lies inside a larger one, so that their comparison is paired, and the moments
    of all subsets come from one pass over the rows.

    Parameters
    ----------
    order : tuple of K intp arrays
        Row numbers of each class.
    """

    order: tuple[NDArray[np.intp], ...]

    @classmethod
    def draw(
        cls, codes: NDArray[np.intp], rows: NDArray[np.intp], n_classes: int, seed: int
    ) -> Self:
        """Shuffle training rows within each class.

        Parameters
        ----------
        codes : ndarray of shape (n,)
            Of all rows of the data.
        rows : ndarray of shape (m,)
            The training rows.
        n_classes, seed : int
            Each class has a stream of its own: to cut one leaves the choice in others alone.
        """
        present = codes[rows]
        return cls(
            tuple(
                np.random.default_rng([seed, k]).permutation(rows[present == k])
                for k in range(n_classes)
            )
        )

    @property
    def counts(self) -> Counts:
        """Rows of each class, shape (K,)."""
        return np.array([len(rows) for rows in self.order], dtype=np.intp)

    def take(self, sizes: ArrayLike) -> NDArray[np.intp]:
        """Return the rows of a subset with `sizes` (K,) rows of each class, in increasing order."""
        sizes = np.asarray(sizes)
        return np.sort(
            np.concatenate([rows[:size] for rows, size in zip(self.order, sizes, strict=True)])
        )

    def moments(self, X: NDArray[Any], subsets: Sequence[Counts]) -> list[Moments]:
        """Return the moments by class of subsets of these sizes (K,) from one pass over X.

        Every row is summed once, in the smallest subset that holds it; larger subsets are merged.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            All rows of the data.
        subsets : sequence of A intp arrays of shape (K,)
            In any order.

        Returns
        -------
        list of A Moments of shapes (K,), (K, p), (K, p, p)
        """
        table = np.asarray(subsets, dtype=np.intp)
        if int(table.max(axis=0).sum()) * X.shape[1] ** 2 <= FEW_SQUARES:
            return self._few_moments(X, table)
        by_class = [self._cumulative(X, rows, table[:, k]) for k, rows in enumerate(self.order)]
        return [
            stacked([parts[int(n)] for parts, n in zip(by_class, subset, strict=True)])
            for subset in table
        ]

    def grow(self, X: NDArray[Any], subsets: Sequence[Counts]) -> Iterator[Moments]:
        """Yield the moments by class of subsets, each of which holds the one before, as they grow.

        What `moments` returns, with memory for two subsets instead of all.

        Raises
        ------
        ValueError
            When a subset has fewer rows of a class than the one before.
        """
        start = np.zeros(len(self.order), dtype=np.intp)
        total = Moments.empty((len(self.order),), X.shape[1])
        for subset in subsets:
            stop = np.asarray(subset, dtype=np.intp)
            if (stop < start).any():
                raise ValueError(f"Subsets must grow: {stop.tolist()} came after {start.tolist()}.")
            added = [rows[a:b] for rows, a, b in zip(self.order, start, stop, strict=True)]
            for k in np.flatnonzero(stop > start):
                part = Moments.from_groups(X[added[k]], np.zeros(len(added[k]), np.intp), 1)
                merged = total[k] + part[0]
                total.count[k], total.mean[k], total.scatter[k] = (
                    merged.count,
                    merged.mean,
                    merged.scatter,
                )
            yield Moments(total.count.copy(), total.mean.copy(), total.scatter.copy())
            start = stop

    def _few_moments(self, X: NDArray[Any], table: NDArray[np.intp]) -> list[Moments]:
        """Return the moments of small subsets, all classes in the same sums: table (A, K)."""
        order = np.argsort(table, axis=0, kind="stable")
        stops = np.take_along_axis(table, order, axis=0)
        starts = np.concatenate([np.zeros_like(stops[:1]), stops[:-1]])
        bands = few_moments(
            X,
            [
                rows[a:b]
                for start, stop in zip(starts, stops, strict=True)
                for rows, a, b in zip(self.order, start, stop, strict=True)
            ],
        )
        n_subsets, n_classes = table.shape
        levels = [bands[:n_classes]]
        for level in range(1, n_subsets):
            levels.append(levels[-1] + bands[level * n_classes : (level + 1) * n_classes])
        every, classes = stacked(levels), np.arange(n_classes)
        return [every[place, classes] for place in np.argsort(order, axis=0, kind="stable")]

    def _cumulative(
        self, X: NDArray[Any], rows: NDArray[np.intp], sizes: Counts
    ) -> dict[int, Moments]:
        """Return the moments of the first so many of one class's rows, for every size wanted."""
        levels = np.unique(sizes)
        used = rows[: levels[-1]]
        band = np.searchsorted(levels, np.arange(len(used)), side="right")
        parts = Moments.from_groups(X[used], band, len(levels))
        found, total = {}, parts[0]
        for i, level in enumerate(levels):
            total = total + parts[i] if i else total
            found[int(level)] = total
        return found


class Shuffling(NamedTuple):
    """Rows of each class in a random order, of which every turn tests other ones.

    The order is a circle: behind the test rows of a turn follow its training rows, from which
    subsets take the first. Over the turns every row is tested as often as any other and stands in
    every subset about as often, so that means over few turns vary less than with rows drawn afresh,
    and each turn by itself is a random split with random subsets.

    Attributes
    ----------
    order : tuple of K intp arrays
    n_test : ndarray of shape (K,)
        Test rows of each class.
    """

    order: tuple[NDArray[np.intp], ...]
    n_test: Counts

    @classmethod
    def draw(cls, data: Dataset, test_size: float, seed: int) -> Self:
        """Shuffle the rows of a data set; the first turn is its stratified split of this seed."""
        order = rows_by_class(data.codes, data.n_classes, seed)
        return cls(tuple(order), class_counts_of_test(data, test_size))

    @property
    def n_turns(self) -> int:
        """Number of disjoint test sets."""
        lengths = np.array([len(rows) for rows in self.order])
        seen = self.n_test > 0
        return int((lengths[seen] // self.n_test[seen]).min()) if seen.any() else 1

    def turn(self, number: int) -> tuple[Split, NestedSubsets]:
        """Return the split of a turn, and its training rows in the order of the subsets."""
        test, train = [], []
        for rows, size in zip(self.order, self.n_test, strict=True):
            stop = len(rows) - number * size
            test.append(rows[stop - size : stop])
            train.append(np.concatenate([rows[stop:], rows[: stop - size]]))
        split = Split(np.sort(np.concatenate(train)), np.sort(np.concatenate(test)))
        return split, NestedSubsets(tuple(train))


def few_moments(X: NDArray[Any], parts: Sequence[NDArray[np.intp]]) -> Moments:
    """Return the moments of some sets of rows: `Moments.from_groups` for few rows in many sets.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        All rows of the data.
    parts : sequence of G intp arrays
        The rows of each set; there may be none, and a row may occur several times.

    Returns
    -------
    Moments of shapes (G,), (G, p), (G, p, p)

    Examples
    --------
    >>> X = np.array([[1.0], [3.0], [7.0]])
    >>> few_moments(X, [np.array([0, 1]), np.array([], dtype=int), np.array([2])]).mean.ravel()
    array([2., 0., 7.])
    """
    lengths = np.array([len(part) for part in parts])
    seen = np.flatnonzero(lengths)
    rows = np.asarray(X[np.concatenate(parts)], dtype=np.float64)
    if not len(seen) or not np.isfinite(rows).all():  # which is refused there
        return Moments.from_groups(rows, np.repeat(np.arange(len(parts)), lengths), len(parts))
    starts = (np.cumsum(lengths) - lengths)[seen]
    first = rows[starts]
    # About a row of the set, so that a common offset cancels before anything is summed.
    rows -= np.repeat(first, lengths[seen], axis=0)
    centre = np.add.reduceat(rows, starts, axis=0) / lengths[seen, None]
    rows -= np.repeat(centre, lengths[seen], axis=0)
    moments = Moments.empty((len(parts),), X.shape[1])
    moments.count[:] = lengths
    moments.mean[seen] = first + centre
    moments.scatter[seen] = np.add.reduceat(rows[:, :, None] * rows[:, None, :], starts, axis=0)
    return moments


def wanted_sizes(data: Dataset, counts: Counts, sizes: Mapping[Any, float]) -> Counts:
    """Return how many training rows of each class the reduced subset keeps, shape (K,).

    Parameters
    ----------
    data : Dataset
        For the names of the classes.
    counts : ndarray of shape (K,)
        Training rows of each class.
    sizes : mapping of class label to int or float
        A whole number of training rows, or as a float a share of them in (0, 1] (1 is one row,
        1.0 all of them). Classes that are not named keep all.

    Raises
    ------
    DataError
        For a class that is not there, and a size that is not between 1 and its training rows.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> wanted_sizes(iris, np.array([35, 35, 35]), {"setosa": 10, "virginica": 0.2})
    array([10, 35,  7])
    """
    kept = np.array(counts, dtype=np.intp)
    labels = data.classes.tolist()
    if not sizes:
        raise DataError("No class is reduced.", remedy="Give {class: size} for at least one.")
    for label, size in sizes.items():
        if label not in labels:
            known = ", ".join(map(str, labels[:10]))
            raise DataError(
                f"There is no class {label!r}.", where=data.name, remedy=f"Choose from: {known}."
            )
        k = labels.index(label)
        kept[k] = _wanted(label, size, int(counts[k]))
    return kept


def _wanted(label: Any, size: float, available: int) -> int:
    is_share = isinstance(size, (float, np.floating)) and 0 < size <= 1
    number = max(1, round(size * available)) if is_share else size
    possible = not isinstance(size, (bool, np.bool_)) and 1 <= number <= available
    if not possible or number != round(number):
        raise DataError(
            f"Class {label} cannot have {size} training rows.",
            where="sizes",
            remedy=f"Give a whole number from 1 to {available}, or a share up to 1.0.",
        )
    return int(number)


def reduce_proportionally(counts: Counts, total: int) -> Counts:
    """Return sizes that add up to `total` with the shares of `counts`, as nearly as can be.

    By largest remainders; a class that has rows keeps at least one.

    Parameters
    ----------
    counts : ndarray of shape (K,)
    total : int
        From the number of classes with rows to the sum of `counts`.

    Examples
    --------
    >>> reduce_proportionally(np.array([900, 900, 900]), 2100)
    array([700, 700, 700])
    >>> reduce_proportionally(np.array([90, 9, 1]), 10)
    array([8, 1, 1])
    """
    least = np.minimum(counts, 1)
    quota = counts * (total / counts.sum())
    sizes = np.maximum(np.floor(quota).astype(np.intp), least)
    while sizes.sum() > total:
        sizes[np.argmax(np.where(sizes > least, sizes - quota, -np.inf))] -= 1
    while sizes.sum() < total:
        sizes[np.argmax(np.where(sizes < counts, quota - sizes, -np.inf))] += 1
    return sizes


def largest_within(limits: Counts, shares: Array) -> Counts:
    """Return the largest sizes within `limits` (K,) whose shares are `shares` (K,): undersampling.

    Examples
    --------
    >>> largest_within(np.array([900, 900, 300]), np.full(3, 1 / 3))
    array([300, 300, 300])
    """
    total = np.min(limits[shares > 0] / shares[shares > 0])
    sizes = np.floor(shares * total + 1e-9).astype(np.intp)
    return np.asarray(np.clip(sizes, np.minimum(limits, 1), limits))


def smallest_above(limits: Counts, shares: Array) -> Counts:
    """Return the smallest sizes above `limits` (K,) whose shares are `shares`: oversampling.

    Examples
    --------
    >>> smallest_above(np.array([900, 900, 300]), np.full(3, 1 / 3))
    array([900, 900, 900])
    """
    total = np.max(limits[shares > 0] / shares[shares > 0])
    return np.asarray(np.maximum(np.round(shares * total), limits).astype(np.intp))
