"""Parquet files larger than memory: sampled rows, and all rows block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from lincore.data.labels import columns_named
from lincore.errors import DataError, Notice, TooLargeError
from lincore.io.files.streams import LargeFile
from lincore.io.tables.formats.parquet import (
    THRIFT,
    damaged,
    plain_frame,
    size_written_out,
    written_out,
)
from lincore.io.tables.rules.missing_values import mark_missing

_BATCH_CELLS = 1_000_000
# Else Arrow holds all columns of a group of rows, packed, before the first is asked for.
_READ_AS_NEEDED = {**THRIFT, "pre_buffer": False, "buffer_size": 1_000_000}
_VIEWED = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
_SEED = 0


@dataclass(frozen=True, eq=False)
class LargeParquet:
    """All rows of a Parquet file, to be read in blocks.

    Parameters
    ----------
    file : LargeFile
    n_rows, n_columns : int
        As the file says.
    texts : tuple of str
        Columns of text.
    missing_in : mapping of str to sequence
        As in `lincore.io.tables.text.options.ReadOptions`.
    """

    file: LargeFile
    n_rows: int
    n_columns: int
    texts: tuple[str, ...]
    missing_in: Mapping[str, Sequence[str | float]]

    def frames(
        self,
        columns: Sequence[str],
        texts: Sequence[str] = (),
        findings: list[Notice] | None = None,
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block.

        Parameters
        ----------
        columns : sequence of str
        texts, findings
            Of no use here: a column of a Parquet file has one type, and nothing is decided.

        Raises
        ------
        DataError
            When the file is damaged.
        """
        wanted = {name: values for name, values in self.missing_in.items() if name in columns}
        for batch in self.batches(columns):
            table = pa.Table.from_batches([_written_out(batch)])
            yield mark_missing(plain_frame(table.to_pandas(ignore_metadata=True)), wanted)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield some columns of all rows as Arrow has them."""
        with self._damage(), self.file.open_as_it_is() as stream:
            # A dictionary stays one: a long text repeated often is small until written out.
            opened = pq.ParquetFile(stream, read_dictionary=list(self.texts), **_READ_AS_NEEDED)
            size = max(1, _BATCH_CELLS // max(1, len(columns)))
            for batch in opened.iter_batches(size, columns=list(columns), use_threads=False):
                yield _without_views(batch)

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except DataError:
            raise
        except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
            raise damaged(error, self.file.name) from error


def open_large_parquet(
    file: LargeFile, missing_in: Mapping[str, Sequence[str | float]] | None = None
) -> tuple[LargeParquet, pd.DataFrame, tuple[Notice, ...]]:
    """Look at a large Parquet file and draw rows from all over it.

    Parameters
    ----------
    file : LargeFile
    missing_in : mapping of str to sequence, optional

    Returns
    -------
    source : LargeParquet
    drawn : DataFrame
        Rows drawn at random.
    notices : tuple of Notice

    Raises
    ------
    DataError
        When it is damaged, or too large even so.
    """
    limits = file.limits
    try:
        with file.open_as_it_is() as stream:
            opened = pq.ParquetFile(stream, **THRIFT)
            metadata, schema = opened.metadata, opened.schema_arrow
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        raise damaged(error, file.name) from error
    groups = (metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if sum(groups) > limits.max_streamed_bytes or len(set(schema.names)) < len(schema.names):
        raise TooLargeError(
            f"It unpacks to more than {limits.max_streamed_bytes / 1e6:,.0f} MB, or two of its "
            "columns have the same name.",
            where=file.name,
            remedy="Load a part of the rows, or fewer columns.",
        )
    flat = [field.name for field in schema if not pa.types.is_nested(field.type)]
    texts = tuple(
        field.name
        for field in schema
        if pa.types.is_string(field.type) or pa.types.is_binary(field.type)
    )
    source = LargeParquet(file, metadata.num_rows, len(flat), texts, missing_in or {})
    left_out = [name for name in schema.names if name not in flat]
    sentence = "Left out, lists or records in each cell."
    notices = (Notice(sentence, columns_named(left_out), code="LIN046"),) if left_out else ()
    return source, _draw_rows(source, flat), notices


def _draw_rows(source: LargeParquet, columns: Sequence[str]) -> pd.DataFrame:
    limits, rng = source.file.limits, np.random.default_rng(_SEED)
    most = min(limits.max_rows_in_memory, limits.max_drawn_bytes // (8 * max(1, len(columns))))
    share = most / max(1, source.n_rows)
    kept, n_bytes = [], 0
    for batch in source.batches(columns):
        part = batch.filter(pa.array(rng.random(len(batch)) < share))
        n_bytes += sum(size_written_out(column) for column in part.columns)
        if n_bytes > limits.max_table_bytes:
            raise TooLargeError(
                "Its texts are too long to be held.",
                where=source.file.name,
                remedy="Load fewer columns, or a part of the rows.",
            )
        kept.append(_written_out(part))
    if not kept:
        return pd.DataFrame(columns=list(columns))
    return plain_frame(pa.Table.from_batches(kept).to_pandas(ignore_metadata=True))


def _without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch without columns of views, of which no rows can be taken."""
    types = [_VIEWED.get(field.type, field.type) for field in batch.schema]
    columns = [c.cast(t) for c, t in zip(batch.columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _written_out(batch: pa.RecordBatch) -> pa.RecordBatch:
    kept = [i for i, field in enumerate(batch.schema) if not pa.types.is_nested(field.type)]
    columns: list[Any] = [written_out(batch.column(i)) for i in kept]
    return pa.RecordBatch.from_arrays(columns, [batch.schema.names[i] for i in kept])
