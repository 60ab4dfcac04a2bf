"""Rows that are not in memory: their moments by class, and passes over their blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lincore.data.executors import Executor, JoblibExecutor, merge_tree
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

Result = TypeVar("Result")


class RowBlock(NamedTuple):
    """Some rows (m, p), their classes as codes (m,), and their weights (m,), None if all are 1."""

    X: NDArray[Any]
    codes: NDArray[np.intp]
    weight: Array | None = None


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
        it contains no rows but a path and a range, for example.
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


def _fold_part(
    read: Callable[..., Iterator[RowBlock]],
    work: Callable[[RowBlock], Result],
    merge: Callable[[Result, Result], Result],
    *part: Any,
) -> Result | None:
    return merge_tree(merge, (work(block) for block in read(*part)))
