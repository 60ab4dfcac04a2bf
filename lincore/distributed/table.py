"""A table larger than memory as partitions that this process reads one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from numpy.typing import NDArray

from lincore.distributed.executor import Inline
from lincore.distributed.partitioned_data import Partition, PartitionedData
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

    Whatever asks for its rows reads them from the beginning: moments by fold in one pass, scores
    in another, and logistic regression in some dozens. Rows with a missing value, or without a
    label, are left out.

    Parameters
    ----------
    table : Table
        That is read in blocks (`lincore.io.read_table`, `lincore.io.open_table`).
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
    if wanted.weight:
        raise DataError(
            "Rows of partitions count alike.",
            where=where,
            remedy="Leave weights out.",
        )
    blocks = _Blocks(source, wanted, progress)
    return PartitionedData(Inline(), blocks, tuple(wanted.features), wanted.label)


class _Blocks(Iterable[Partition]):
    """The blocks of a table as partitions, each read when it is its turn."""

    def __init__(self, source: RowSource, wanted: Wanted, progress: Progress | None) -> None:
        self._source, self._wanted, self._progress = source, wanted, progress

    def __iter__(self) -> Iterator[Partition]:
        """Yield them, in a pass from the beginning."""
        n_rows = 0
        for X, labels in labelled_blocks(self._source, self._wanted):
            n_rows += len(X)
            total = max(n_rows, self._source.n_rows)
            if self._progress is not None and self._progress(n_rows, total, "rows") is False:
                raise StoppedReading("Reading was stopped.", where=self._source.name)
            # Texts of a fixed width are found by bisection at once, objects one by one.
            yield partial(_same, X, labels.astype(str) if labels.dtype == object else labels)


def _same(X: Array, labels: NDArray[Any]) -> tuple[Array, NDArray[Any]]:
    return X, labels
