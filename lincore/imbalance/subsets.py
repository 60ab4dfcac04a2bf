"""Training subsets of each condition of an imbalance study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import class_counts_of_test, rows_by_class
from lincore.errors import DataError
from lincore.model_selection.fitting import TrainingSample
from lincore.moments.moments import Moments, stacked
from lincore.utils.formatting import class_named
from lincore.utils.typing import Array, Counts


@dataclass(frozen=True, eq=False)
class NestedSubsets:
    """Training rows in random order within each class: a subset is a prefix of each class."""

    # Smaller subsets are contained in larger ones, so that comparisons are paired, and the moments
    # of all subsets come from one pass over the rows.

    order: tuple[NDArray[np.intp], ...]  # (K,); row numbers of each class

    @classmethod
    def draw(
        cls, codes: NDArray[np.intp], rows: NDArray[np.intp], n_classes: int, seed: int
    ) -> Self:
        """Shuffle training rows within each class."""
        streams = [np.random.default_rng([seed, k]) for k in range(n_classes)]
        return cls(tuple(rows[own] for own in rows_by_class(codes[rows], n_classes, streams)))

    @property
    def counts(self) -> Counts:
        """Rows of each class, shape (K,)."""
        return np.array([len(rows) for rows in self.order], dtype=np.intp)

    def totals(self, sizes: ArrayLike, weight: Array | None) -> Array:
        """Return the total weight of a subset by class, (K,), or its numbers of rows."""
        sizes = np.asarray(sizes)
        if weight is None:
            return sizes.astype(float)
        pairs = zip(self.order, sizes, strict=True)
        return np.array([weight[rows[:size]].sum() for rows, size in pairs])

    def take(self, sizes: ArrayLike) -> NDArray[np.intp]:
        """Return the rows of a subset with `sizes` (K,) rows of each class, in increasing order."""
        sizes = np.asarray(sizes)
        return np.sort(
            np.concatenate([rows[:size] for rows, size in zip(self.order, sizes, strict=True)])
        )

    def samples(
        self, data: Dataset, subsets: Sequence[Counts], *, summed: bool
    ) -> list[TrainingSample]:
        """Return the samples of subsets with given sizes (K,), with their moments if requested."""
        moments: Sequence[Moments | None] = [None] * len(subsets)
        if summed:
            moments = self.moments(data.X, subsets, data.weights)
        return [
            TrainingSample(self.take(sizes), None, known)
            for sizes, known in zip(subsets, moments, strict=True)
        ]

    def oversampled(
        self, data: Dataset, sizes: Counts, wanted: Counts, sample: TrainingSample, *, seed: int
    ) -> TrainingSample:
        """Add randomly repeated rows to a sample of `sizes` (K,) rows, up to `wanted` (K,)."""
        extra = self.repeated(sizes, wanted - sizes, seed)
        moments, rows = sample.moments, np.concatenate(extra)
        if moments is not None:
            codes = np.repeat(np.arange(len(extra)), [len(own) for own in extra])
            weight = data.weights_of(rows)
            moments = moments + Moments.from_groups(data.X[rows], codes, len(extra), weight)
        return TrainingSample(np.concatenate([sample.rows, rows]), None, moments)

    def repeated(self, sizes: Counts, numbers: Counts, seed: int) -> list[NDArray[np.intp]]:
        """Return random rows of a subset by class, with replacement."""
        rng = np.random.default_rng([seed, len(self.order)])
        return [
            rng.choice(rows[:size], number)
            for rows, size, number in zip(self.order, sizes, numbers, strict=True)
        ]

    def moments(
        self, X: NDArray[Any], subsets: Sequence[Counts], weight: Array | None = None
    ) -> list[Moments]:
        """Return the moments by class of subsets with given sizes (K,) from one pass over X."""
        # Every row is summed once, in the smallest subset that contains it; larger subsets are
        # merged.
        table = np.asarray(subsets, dtype=np.intp)
        by_class = [
            self._cumulative(X, rows, table[:, k], weight) for k, rows in enumerate(self.order)
        ]
        return [
            stacked([parts[int(n)] for parts, n in zip(by_class, subset, strict=True)])
            for subset in table
        ]

    def growing(
        self, data: Dataset, subsets: Sequence[Counts], *, summed: bool
    ) -> Iterator[TrainingSample]:
        """Yield the samples of growing nested subsets, without their rows."""
        # Their moments are equal to those of `samples`, with memory for two subsets instead of all.
        grown: Iterable[Moments | None] = [None] * len(subsets)
        if summed:
            grown = self._grow(data.X, subsets, data.weights)
        for moments in grown:
            yield TrainingSample(np.empty(0, dtype=np.intp), None, moments)

    def _grow(
        self, X: NDArray[Any], subsets: Sequence[Counts], weight: Array | None
    ) -> Iterator[Moments]:
        """Yield the moments by class of growing nested subsets."""
        start = np.zeros(len(self.order), dtype=np.intp)
        total = Moments.empty((len(self.order),), X.shape[1])
        for subset in subsets:
            stop = np.asarray(subset, dtype=np.intp)
            if (stop < start).any():
                raise ValueError(f"Subsets must grow: {stop.tolist()} came after {start.tolist()}.")
            added = [rows[a:b] for rows, a, b in zip(self.order, start, stop, strict=True)]
            for k in np.flatnonzero(stop > start):
                own = None if weight is None else weight[added[k]]
                increment = Moments.from_groups(
                    X[added[k]], np.zeros(len(added[k]), np.intp), 1, own
                )
                merged = total[k] + increment[0]
                total.count[k], total.mean[k], total.scatter[k] = (
                    merged.count,
                    merged.mean,
                    merged.scatter,
                )
            yield Moments(total.count.copy(), total.mean.copy(), total.scatter.copy())
            start = stop

    def _cumulative(
        self, X: NDArray[Any], rows: NDArray[np.intp], sizes: Counts, weight: Array | None
    ) -> dict[int, Moments]:
        """Return the moments of the first rows of one class, for every requested size."""
        levels = np.unique(sizes)
        used = rows[: levels[-1]]
        band = np.searchsorted(levels, np.arange(len(used)), side="right")
        own = None if weight is None else weight[used]
        bands = Moments.from_groups(X[used], band, len(levels), own)
        by_size, total = {}, bands[0]
        for i, level in enumerate(levels):
            total = total + bands[i] if i else total
            by_size[int(level)] = total
        return by_size


class Shuffling(NamedTuple):
    """A random circular order of the rows of each class, from which splits are taken in turn."""

    # In each turn the test rows are followed by the training rows, of which subsets use the first
    # ones. Each turn is a random split with random subsets, but over the turns all rows are tested
    # equally often and used in every subset about equally often. So means over few turns vary less
    # than with independent splits.

    order: tuple[NDArray[np.intp], ...]  # (K,)
    n_test: Counts  # (K,); test rows of each class

    @classmethod
    def draw(cls, data: Dataset, test_size: float, seed: int) -> Self:
        """Shuffle the rows of a data set; the first turn is its stratified split for this seed."""
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


def class_totals(data: Dataset) -> Array:
    """Return the total weight (K,) of all rows of each class, streamed ones too."""
    total = np.bincount(data.codes, data.weights, data.n_classes).astype(float)
    return total if data.blocks is None else total + data.blocks.moments.count


def wanted_sizes(data: Dataset, counts: Counts, sizes: Mapping[Any, float]) -> Counts:
    """Return the number of training rows per class in the reduced subset, shape (K,)."""
    wanted = np.array(counts, dtype=np.intp)
    if not sizes:
        raise DataError("No class to reduce.", remedy="Give {class: size} for at least one.")
    for label, size in sizes.items():
        k = class_code(data, label)
        wanted[k] = _wanted(label, size, int(counts[k]))
    return wanted


def class_code(data: Dataset, label: Any) -> int:
    """Return the code of a class; raise DataError if there is no such class."""
    labels = data.classes.tolist()
    if label not in labels:
        known = ", ".join(map(str, labels[:10]))
        raise DataError(
            f"There is no class {label!r}.", where=data.name, remedy=f"Choose from: {known}."
        )
    return int(labels.index(label))


def _wanted(label: Any, size: float, available: int) -> int:
    is_share = isinstance(size, (float, np.floating)) and 0 < size <= 1
    number = max(1, round(size * available)) if is_share else size
    possible = not isinstance(size, (bool, np.bool_)) and 1 <= number <= available
    if not possible or number != round(number):
        raise DataError(
            f"{size} is not a possible number of training rows of {class_named(label)}.",
            where="sizes",
            remedy=f"Give a whole number from 1 to {available}, or a share up to 1.0.",
        )
    return int(number)


def reduce_proportionally(counts: Counts, total: int) -> Counts:
    """Return sizes in proportion to `counts` that sum to `total`, up to rounding.

    By largest remainders; a class that has rows keeps at least one.
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
    """Return the largest sizes (K,) within `limits` with given shares."""
    total = np.min(limits[shares > 0] / shares[shares > 0])
    sizes = np.floor(shares * total + 1e-9).astype(np.intp)
    return np.asarray(np.clip(sizes, np.minimum(limits, 1), limits))


def smallest_above(limits: Counts, shares: Array) -> Counts:
    """Return the smallest sizes (K,) above `limits` with given shares, for oversampling."""
    total = np.max(limits[shares > 0] / shares[shares > 0])
    return np.asarray(np.maximum(np.round(shares * total), limits).astype(np.intp))
