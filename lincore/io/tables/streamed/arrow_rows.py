"""Rows in Arrow record batches, block by block: from Parquet files and databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from lincore.errors import Notice, TooLargeError
from lincore.io.tables.formats.parquet import plain_frame, size_written_out, written_out
from lincore.io.tables.rules.missing_values import mark_missing
from lincore.limits import Limits

#: Cells of a block.
BATCH_CELLS = 1_000_000
_VIEWED = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
_SEED = 0


@dataclass(frozen=True, eq=False)
class ArrowRows:
    """All rows of a table, read in blocks: a `lincore.io.tables.row_source.RowSource`.

    Parameters
    ----------
    name : str
        For messages.
    limits : Limits
    reason : str
        Why it is not read into memory, as a sentence.
    n_rows : int
    columns : tuple of str
        Columns with scalar cells.
    missing_in : mapping of str to sequence
        As in `lincore.io.tables.text.options.ReadOptions`.
    read : callable
        ``read(columns, n_rows)`` yields record batches of some columns with about this many rows.
    """

    name: str
    limits: Limits
    reason: str
    n_rows: int
    columns: tuple[str, ...]
    missing_in: Mapping[str, Sequence[str | float]]
    read: Callable[[Sequence[str], int], Iterator[pa.RecordBatch]]

    def frames(
        self,
        columns: Sequence[str],
        texts: Sequence[str] = (),
        findings: list[Notice] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block."""
        wanted = {name: values for name, values in self.missing_in.items() if name in columns}
        for batch in self.batches(columns):
            yield mark_missing(_frame(batch), wanted)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield some columns of all rows in Arrow's form."""
        for batch in self.read(columns, max(1, BATCH_CELLS // max(1, len(columns)))):
            # No rows can be taken of columns of views.
            types = [_VIEWED.get(field.type, field.type) for field in batch.schema]
            cast = [c.cast(t) for c, t in zip(batch.columns, types, strict=True)]
            yield pa.RecordBatch.from_arrays(cast, batch.schema.names)

    def whole(self) -> pd.DataFrame:
        """Return all rows, without replacing missing-value codes."""
        return self._kept(self.batches(self.columns), "")

    def drawn(self) -> pd.DataFrame:
        """Return a random sample of rows, within the limits for a first look."""
        limits, rng = self.limits, np.random.default_rng(_SEED)
        most = min(
            limits.max_rows_in_memory, limits.max_drawn_bytes // (8 * max(1, len(self.columns)))
        )
        share = most / max(1, self.n_rows)
        drawn = (
            batch.filter(pa.array(rng.random(len(batch)) < share))
            for batch in self.batches(self.columns)
        )
        return self._kept(drawn, "Its texts are too long for memory.")

    def _kept(self, batches: Iterator[pa.RecordBatch], what: str) -> pd.DataFrame:
        most, n_bytes, kept = self.limits.max_table_bytes, 0, []
        for batch in batches:
            n_bytes += sum(size_written_out(column) for column in batch.columns)
            if n_bytes > most:
                raise TooLargeError(
                    what or f"It is larger than {most / 1e6:,.0f} MB.",
                    where=self.name,
                    remedy="Load fewer columns or rows.",
                )
            kept.append(_frame(batch))
        if not kept:
            return pd.DataFrame(columns=list(self.columns))
        return pd.concat(kept, ignore_index=True) if len(kept) > 1 else kept[0]


def _frame(batch: pa.RecordBatch) -> pd.DataFrame:
    kept = [i for i, field in enumerate(batch.schema) if not pa.types.is_nested(field.type)]
    columns: list[Any] = [written_out(batch.column(i)) for i in kept]
    plain = pa.RecordBatch.from_arrays(columns, [batch.schema.names[i] for i in kept])
    return plain_frame(pa.Table.from_batches([plain]).to_pandas(ignore_metadata=True))
