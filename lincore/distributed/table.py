"""A table larger than memory as partitions that this process reads one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.distributed.executor import Inline
from lincore.distributed.partitioned_data import PartitionedData
from lincore.errors import DataError
from lincore.io.tables.options import TableOptions
from lincore.io.tables.row_source import RowSource, StoppedReading, Wanted, labelled_blocks
from lincore.io.tables.streamed.reader import wanted_of
from lincore.io.tables.table import Table
from lincore.utils.typing import Array, Progress


def open_large_table(
    table: Table,
    target: str | int | None = None,
    *,
    progress: Progress | None = None,
    **choices: Any,
) -> PartitionedData:
    """Open a table larger than memory as blocks, one of which is held at a time.

    Whatever asks for its rows reads them from the beginning: classes and number of blocks now,
    moments by fold in another pass, scores in another, and logistic regression in some dozens.
    Rows with a missing value, or without a label, are left out.

    Parameters
    ----------
    table : Table
        That is read in blocks: of a file (`lincore.io.read_table`, `lincore.io.open_table`) or of
        a named source (`lincore.io.open_source`).
    target : str or int, optional
        The column of the classes; proposed when not given.
    progress : callable, optional
        ``progress(done, total, what)``, called after each block of each pass; False stops it.
    **choices
        The fields of `lincore.io.TableOptions`; features are numbers, and rows count alike.

    Returns
    -------
    PartitionedData

    Raises
    ------
    DataError
        When the table fits into memory, or an option or a column needs more than sums.
    """
    source, where = table.source, table.name
    if source is None:
        raise DataError(
            "This table fits into memory.", where=where, remedy="Use lincore.load, and compare."
        )
    wanted, _ = wanted_of(table, target, TableOptions(**choices))
    if wanted.weight or wanted.frequency:
        raise DataError(
            "Rows of partitions count alike.",
            where=where,
            remedy="Leave weights and frequencies out.",
        )
    once = _Pass(source, wanted, progress)
    found, n_blocks = set[Any](), 0
    for _, labels in once.blocks():
        found.update(np.unique(labels).tolist())
        n_blocks += 1
    if not found:
        raise DataError(
            "No row is left: each has a missing value, or no label.",
            where=where,
            remedy="Ignore the columns that are mostly missing.",
        )
    classes = np.array(sorted(found))
    blocks = [partial(once.block, number) for number in range(n_blocks)]
    return PartitionedData(Inline(), blocks, classes, tuple(wanted.features), wanted.label)


class _Pass:
    """The blocks of a table, asked for in their order: the first one begins a new pass."""

    def __init__(self, source: RowSource, wanted: Wanted, progress: Progress | None) -> None:
        self._source, self._wanted, self._progress = source, wanted, progress
        self._left = self.blocks()

    def block(self, number: int) -> tuple[Array, NDArray[Any]]:
        """Return the rows of the next block and their labels."""
        if number == 0:
            self._left = self.blocks()
        return next(self._left)

    def blocks(self) -> Iterator[tuple[Array, NDArray[Any]]]:
        """Yield all of them."""
        n_rows = 0
        for X, labels in labelled_blocks(self._source, self._wanted):
            n_rows += len(X)
            total = max(n_rows, self._source.n_rows)
            if self._progress is not None and self._progress(n_rows, total, "rows") is False:
                raise StoppedReading("Reading was stopped.", where=self._source.name)
            # Texts of a fixed width are found by bisection at once, objects one by one.
            yield X, labels.astype(str) if labels.dtype == object else labels
