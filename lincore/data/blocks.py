"""Rows that are not in memory: their moments by class, and passes over their blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from lincore.data.executors import Executor, JoblibExecutor, merge_tree
from lincore.moments.moments import Moments, stacked
from lincore.utils.typing import Array, Flags

Result = TypeVar("Result")


# Moments of random subsets that are summed in one pass (8 MB): merges hold about ten times as many.
_VALUES_OF_A_PASS = 1_000_000


class RowBlock(NamedTuple):
    """Some rows (m, p), their classes as codes (m,), and their weights (m,), None if all are 1.

    `numbers` (m,) are different uint64 numbers of the rows in the whole table, the same in every
    pass; None if no random subset of the rows is ever needed.
    """

    X: NDArray[Any]
    codes: NDArray[np.intp]
    weight: Array | None = None
    numbers: NDArray[np.uint64] | None = None


class RowSubset(NamedTuple):
    """A random subset of the rows of each class, possibly with copies; the same in every pass.

    Each row has a random rank between 0 and 1 that depends on its number and the seed only. So
    subsets with the same seed and smaller shares are contained in larger ones, and their sizes are
    random (Bernoulli sampling). With copies, a row of the subset is repeated as often as in random
    oversampling of a large table (a Poisson number of times).

    Attributes
    ----------
    seed : int
    share : tuple of K float
        Expected share of the rows of each class.
    copies : tuple of K float
        Expected number of further copies of each of these rows.
    """

    seed: int
    share: tuple[float, ...]
    copies: tuple[float, ...]

    @property
    def is_drawn(self) -> Flags:
        """Mask (K,) of the classes of which some rows are left out or repeated."""
        return np.asarray((np.array(self.share) < 1) | (np.array(self.copies) > 0))

    def times(self, block: RowBlock) -> NDArray[np.intp]:
        """Return how often each row of a block occurs, (m,)."""
        if block.numbers is None:
            raise ValueError("Rows without numbers have no random subsets.")
        times = np.ones(len(block.codes), dtype=np.intp)
        drawn = np.flatnonzero(self.is_drawn[block.codes])
        rank, codes = _ranks(self.seed, block.numbers[drawn]), block.codes[drawn]
        share = np.array(self.share)[codes]
        times[drawn] = rank < share
        for k in np.flatnonzero(self.copies):
            own = np.flatnonzero((codes == k) & (rank < share))
            mean = self.copies[k]
            # Given that a row is in the subset, its rank within the share is uniform again.
            limits = pdtr(np.arange(mean + 10 * np.sqrt(mean) + 20), mean)
            times[drawn[own]] += np.searchsorted(limits, rank[own] / share[own], side="right")
        return times

    def of(self, block: RowBlock) -> RowBlock:
        """Return the rows of a block that belong to the subset, weighted by their copies."""
        times = self.times(block)
        chosen = np.flatnonzero(times)
        weight = times[chosen].astype(float)
        if block.weight is not None:
            weight *= block.weight[chosen]
        return RowBlock(block.X[chosen], block.codes[chosen], weight)


def _ranks(seed: int, numbers: NDArray[np.uint64]) -> Array:
    """Return random numbers between 0 and 1 for rows, (m,), by the SplitMix64 generator."""
    # Steele, Lea, Flood (2014), "Fast splittable pseudorandom number generators", figure 16.
    (key,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    z = numbers * np.uint64(0x9E3779B97F4A7C15) + key
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53)


class SubsetSums(NamedTuple):
    """Moments by class of a random subset, and its numbers of rows (K,), copies included."""

    moments: Moments
    counts: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The rows of a data set that are not in memory.

    Parameters
    ----------
    moments : Moments of shapes (K,), (K, p), (K, p, p)
        By class; of weighted rows in the unit of `Dataset.weights`.
    counts : ndarray of shape (K,)
        Number of rows of each class.
    parts : sequence of tuples
        Arguments of `read` for each part of the rows. A part is read as a whole by one process, so
        it contains, for example, a path and a range instead of rows.
    read : callable
        ``read(*part)`` yields the blocks of a part, the same in every pass. Picklable.
    executor : Executor
        Which processes read parts.

    Examples
    --------
    >>> def read(start):
    ...     yield RowBlock(np.arange(start, start + 2.0)[:, None], np.array([0, 1]))
    >>> moments = Moments.from_groups(np.arange(4.0)[:, None], np.array([0, 1, 0, 1]), 2)
    >>> blocks = Blocks(moments, np.array([2, 2]), [(0,), (2,)], read)
    >>> blocks.fold(lambda block: block.X.sum(), lambda a, b: a + b)
    np.float64(6.0)
    """

    moments: Moments
    counts: NDArray[np.intp]
    parts: Sequence[tuple[Any, ...]]
    read: Callable[..., Iterator[RowBlock]]
    executor: Executor = JoblibExecutor()

    def fold(
        self, work: Callable[[RowBlock], Result], merge: Callable[[Result, Result], Result]
    ) -> Result | None:
        """Return the merged results of a function of a block, over all blocks.

        Parameters
        ----------
        work, merge : callable
            Picklable.

        Returns
        -------
        object
            None if there are no rows.
        """
        return self.executor.fold(partial(_fold_part, self.read, work, merge), merge, self.parts)

    def sums_of(self, subsets: Sequence[RowSubset]) -> list[SubsetSums]:
        """Return the sums of random subsets, in one pass if they fit into memory."""
        n_drawn = sum(int(subset.is_drawn.sum()) for subset in subsets)
        n_values = n_drawn * self.moments.n_features**2
        if n_values > _VALUES_OF_A_PASS and len(subsets) > 1:
            middle = len(subsets) // 2
            return self.sums_of(subsets[:middle]) + self.sums_of(subsets[middle:])
        summed: list[SubsetSums] | None = None
        if n_values:
            summed = self.fold(partial(_sums_of_block, subsets), _add_each)
        sums = []
        for i, subset in enumerate(subsets):
            classes, counts = list(self.moments), self.counts.copy()
            for position, k in enumerate(np.flatnonzero(subset.is_drawn)):
                if summed is not None:
                    classes[k] = summed[i].moments[position]
                    counts[k] = summed[i].counts[position]
            sums.append(SubsetSums(stacked(classes), counts))
        return sums


def _sums_of_block(subsets: Sequence[RowSubset], block: RowBlock) -> list[SubsetSums]:
    """Return the sums of random subsets of a block, for the classes that are not used whole."""
    sums = []
    for subset in subsets:
        drawn = np.flatnonzero(subset.is_drawn)
        position = np.full(len(subset.share), -1)
        position[drawn] = np.arange(len(drawn))
        times = np.where(position[block.codes] >= 0, subset.times(block), 0)
        rows = np.flatnonzero(times)
        weight = times[rows].astype(float)
        codes = position[block.codes[rows]]
        counts = np.bincount(codes, weight, len(drawn)).astype(np.intp)
        if block.weight is not None:
            weight *= block.weight[rows]
        moments = Moments.from_groups(block.X[rows], codes, len(drawn), weight)
        sums.append(SubsetSums(moments, counts))
    return sums


def _add_each(former: list[SubsetSums], latter: list[SubsetSums]) -> list[SubsetSums]:
    pairs = zip(former, latter, strict=True)
    return [SubsetSums(a.moments + b.moments, a.counts + b.counts) for a, b in pairs]


def _fold_part(
    read: Callable[..., Iterator[RowBlock]],
    work: Callable[[RowBlock], Result],
    merge: Callable[[Result, Result], Result],
    *part: Any,
) -> Result | None:
    return merge_tree(merge, (work(block) for block in read(*part)))
