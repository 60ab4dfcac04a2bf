"""The rows of a data set that are not in memory, as training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from lincore.data.blocks import Blocks, RowBlock, RowSubset
from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.model_selection.pipeline import through
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Rows

Result = TypeVar("Result")

# Values (8 MB) of the rows in memory that direct the steps of a fit in passes: with more, passes
# are fewer, and every fold takes more memory.
SAMPLE_VALUES = 1_000_000
# Values of a block of rows in memory.
_BLOCK_VALUES = 500_000

# In one of a million random splits the test rows come last by chance.
_CHANCE = np.log(1e6)


def streamed_blocks(data: Dataset, train: Rows, test: Rows) -> Blocks | None:
    """Return the training rows that are not in memory."""
    # There are none if every class is tested on rows after its training rows, as in forecasting,
    # because the times of streamed rows are unknown; nor if some rows in memory are neither used
    # for training nor for testing, because someone selected them.
    chosen = len(train) + len(test) < data.n_rows
    if data.blocks is None or chosen or _is_forecast(data, train, test):
        return None
    return data.blocks


def training_counts(data: Dataset, train: Rows, test: Rows) -> NDArray[np.intp]:
    """Return the training rows of each class, (K,), including streamed rows.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> training_counts(iris, *lincore.split(iris))
    array([35, 35, 35])
    """
    streamed, counts = streamed_blocks(data, train, test), data.counts_in(train)
    return counts if streamed is None else counts + streamed.counts


def add_streamed_moments(
    data: Dataset, train: Rows, test: Rows, moments: Moments | None = None
) -> Moments | None:
    """Return the moments by class of all training rows, including streamed rows."""
    streamed = streamed_blocks(data, train, test)
    if streamed is None:
        return moments
    if moments is None:
        weight = data.weights_of(train)
        moments = Moments.from_groups(data.X[train], data.codes[train], data.n_classes, weight)
    return moments + streamed.moments


class TrainingBlocks(NamedTuple):
    """The training rows of a fit after its steps: those in memory, others block by block."""

    data: Dataset
    rows: Rows  # training rows in memory
    class_weight: Array | None  # (K,)
    steps: Sequence[tuple[str, Any]]  # fitted
    fold: Callable[..., Any]  # `SharedPasses.fold`
    subset: RowSubset | None = None  # of the rows that are not in memory; None for all of them

    def __call__(
        self, work: Callable[[RowBlock], Result], merge: Callable[[Result, Result], Result]
    ) -> Result:
        """Return the merged results of a function of a block."""
        after_steps = partial(_apply_after_steps, self.steps, self.class_weight, work)
        streamed = after_steps
        if self.subset is not None:
            streamed = partial(_apply_to_subset, self.subset, after_steps)
        result: Result = self.fold(streamed, merge, lambda: map(after_steps, self._in_memory()))
        return result

    def sample(self) -> RowBlock:
        """Return some of the rows in memory, evenly spaced."""
        every = 1 + len(self.rows) * self.data.n_features // SAMPLE_VALUES
        block = self._block(self.rows[::every])
        return _apply_after_steps(self.steps, self.class_weight, RowBlock._make, block)

    def _in_memory(self) -> Iterator[RowBlock]:
        length = max(1, _BLOCK_VALUES // self.data.n_features)
        for start in range(0, len(self.rows), length):
            yield self._block(self.rows[start : start + length])

    def _block(self, rows: Rows) -> RowBlock:
        return RowBlock(self.data.X[rows], self.data.codes[rows], self.data.weights_of(rows))


def _apply_after_steps(
    steps: Sequence[tuple[str, Any]],
    class_weight: Array | None,
    work: Callable[[RowBlock], Result],
    block: RowBlock,
) -> Result:
    weight = block.weight
    if class_weight is not None:
        weight_of_class = class_weight[block.codes]
        weight = weight_of_class if weight is None else weight_of_class * weight
    return work(RowBlock(through(steps, block.X), block.codes, weight))


def _apply_to_subset(
    subset: RowSubset, work: Callable[[RowBlock], Result], block: RowBlock
) -> Result:
    return work(subset.of(block))


def n_learned_from_streamed(
    data: Dataset, plan: Sequence[Fold], learns_from_blocks: bool, basis: Any
) -> int:
    """Return the number of training rows of a method that are not in memory.

    Parameters
    ----------
    plan : sequence of Fold
    learns_from_blocks : bool
        Whether the method can learn from them, see `Method.from_blocks`.
    basis : object
        Basis of the preprocessing; with a basis, only rows in memory are used.

    Returns
    -------
    int
        Streamed rows; 0 if all are in memory, or if some fold cannot use them.
    """
    if not learns_from_blocks or basis is not None or data.blocks is None:
        return 0
    in_every_fold = all(streamed_blocks(data, fold.train, fold.test) is not None for fold in plan)
    return data.n_streamed if in_every_fold else 0


def _is_forecast(data: Dataset, train: Rows, test: Rows) -> bool:
    """Return whether the test rows of every class come last, beyond chance."""
    last = np.full(data.n_classes, -1)
    np.maximum.at(last, data.codes[train], train)
    first = np.full(data.n_classes, data.n_rows)
    np.minimum.at(first, data.codes[test], test)
    if (last >= first).any():
        return False
    n_train, n_test = (data.counts_in(rows) for rows in (train, test))
    ways = gammaln(n_train + n_test + 1) - gammaln(n_train + 1) - gammaln(n_test + 1)
    return bool(ways.sum() > _CHANCE)
