"""Parquet files larger than memory, one or a folder of them: all rows block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from operator import add
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from lincore.data.frames import as_plain
from lincore.errors import DataError, Notice, TooLargeError
from lincore.io.files.sources import LargeFile
from lincore.io.tables.column_changes import mark_missing
from lincore.io.tables.formats.parquet import (
    THRIFT,
    nested_notice,
    reporting_damage,
    size_without_dictionaries,
    text_columns,
    without_dictionaries,
)
from lincore.io.tables.row_source import ColumnarRows, Findings
from lincore.utils.memory import trim

# Cells of a block (8 MB as numbers), and of the row groups of a part. Each column of a block has a
# fixed cost, so that blocks of many columns are up to twice as large, for this number of rows.
_BATCH_CELLS, PART_CELLS = 1_000_000, 4_000_000
_BATCH_ROWS = 4_000
# Arrow holds a buffer, a dictionary and a page of every column that it reads: about this many bytes
# of a long one. Beyond the limit, a row group is read by some columns at a time.
_OPEN_COLUMN, _MOST_OPEN = 2_500_000, 50_000_000
_BUFFER_BYTES = 65_536
_VIEWED = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
_SEED = 0


class _RowGroups(NamedTuple):
    """Consecutive row groups of a file."""

    file: LargeFile
    numbers: range
    n_rows: int


@dataclass(frozen=True, eq=False, kw_only=True)
class ParquetRows(ColumnarRows):
    """All rows of Parquet files, read in blocks."""

    groups: tuple[_RowGroups, ...]  # in order
    schema: pa.Schema  # of every file
    missing_in: Mapping[str, Sequence[str | float]]  # as in `ReadOptions`

    @cached_property
    def parts(self) -> tuple[ParquetRows, ...]:
        """Some row groups of one file each; an upload is a single part, as it is in memory."""
        if isinstance(self.groups[0].file.source, bytes):
            return (self,)
        most = max(1, PART_CELLS // max(1, len(self.schema)))
        parts, before = list[ParquetRows](), 0
        for group in self.groups:
            last = parts[-1].groups[0] if parts else None
            if last and last.file is group.file and last.n_rows + group.n_rows <= most:
                numbers = range(last.numbers.start, group.numbers.stop)
                n_rows = last.n_rows + group.n_rows
                both = (_RowGroups(group.file, numbers, n_rows),)
                parts[-1] = replace(parts[-1], groups=both, n_rows=n_rows)
            else:
                part = replace(self, groups=(group,), n_rows=group.n_rows, first_row=before)
                parts.append(part)
            before += group.n_rows
        return tuple(parts)

    def frames(
        self, columns: Sequence[str], texts: Sequence[str] = (), findings: Findings = None
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block."""
        wanted = {name: values for name, values in self.missing_in.items() if name in columns}
        for batch in self._batches(columns):
            yield mark_missing(_to_frame(batch), wanted)

    def _batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield some columns of all rows in Arrow's form."""
        width = max(1, len(columns))
        n_cells = min(max(_BATCH_CELLS, _BATCH_ROWS * width), 2 * _BATCH_CELLS)
        n_rows = max(1, n_cells // width)
        # Otherwise Arrow buffers all columns of a row group before the first is requested.
        needed = {**THRIFT, "pre_buffer": False, "buffer_size": _BUFFER_BYTES}
        options = {"columns": list(columns), "use_threads": False}
        has_views = any(kind in _VIEWED for kind in self.schema.types)
        for file, numbers, _ in self.groups:
            with reporting_damage(file.name), file.open_raw() as stream:
                texts = text_columns(self.schema)
                opened = pq.ParquetFile(stream, read_dictionary=texts, **needed)
                groups = map(opened.metadata.row_group, numbers)
                if max(_open_bytes(group, columns) for group in groups) > _MOST_OPEN:
                    each = (_read_by_columns(opened, i, columns, n_rows) for i in numbers)
                    batches = chain.from_iterable(each)
                else:
                    batches = opened.iter_batches(n_rows, row_groups=list(numbers), **options)
                for batch in batches:
                    yield _without_views(batch) if has_views else batch

    def whole(self) -> pd.DataFrame:
        """Return all rows, without replacing missing-value codes."""
        return self._concatenate(self._batches(self.columns))

    def sampled(self, share: float) -> pd.DataFrame:
        """Return a random share of the rows."""
        items = [(part, i) for i, part in enumerate(self.parts)]
        drawn = self.executor.fold(partial(_sample_part, share), add, items)
        return pd.concat(drawn or [self.whole()], ignore_index=True)

    def _concatenate(self, batches: Iterable[pa.RecordBatch]) -> pd.DataFrame:
        most, n_bytes, frames = self.limits.max_table_bytes, 0, []
        for batch in batches:
            n_bytes += size_without_dictionaries(batch)
            if n_bytes > most:
                raise TooLargeError(
                    "Its texts are too long for memory.",
                    where=self.name,
                    remedy="Load fewer columns or rows.",
                )
            frames.append(_to_frame(batch))
        if not frames:
            return pd.DataFrame(columns=list(self.columns))
        return pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]


def _sample_part(share: float, rows: ParquetRows, number: int) -> list[pd.DataFrame]:
    rng = np.random.default_rng([_SEED, number])
    return [
        rows._concatenate(
            batch.filter(pa.array(rng.random(len(batch)) < share))
            for batch in rows._batches(rows.columns)
        )
    ]


def open_parquet(
    files: Sequence[LargeFile],
    name: str,
    missing_in: Mapping[str, Sequence[str | float]] | None = None,
) -> tuple[ParquetRows, tuple[Notice, ...]]:
    """Open Parquet files with the same columns."""
    groups, n_bytes, schema = list[_RowGroups](), 0, None
    for file in files:
        with reporting_damage(file.name), file.open_raw() as stream:
            opened = pq.ParquetFile(stream, **THRIFT)
            metadata, own = opened.metadata, opened.schema_arrow
        schema = own if schema is None else schema
        if set(own.names) != set(schema.names):
            odd = sorted(set(own.names) ^ set(schema.names))
            raise DataError(
                f"Some files have a column {odd[0]!r} and others do not.",
                where=f"{name}, {file.name}",
                remedy="Give files with the same columns.",
            )
        for i in range(metadata.num_row_groups):
            group = metadata.row_group(i)
            groups.append(_RowGroups(file, range(i, i + 1), group.num_rows))
            n_bytes += group.total_byte_size
    assert schema is not None
    limits = files[0].limits
    if n_bytes > limits.max_streamed_bytes or len(set(schema.names)) < len(schema.names):
        raise TooLargeError(
            f"It unpacks to more than {limits.max_streamed_bytes / 1e6:,.0f} MB, or two of its "
            "columns have the same name.",
            where=name,
            remedy="Load fewer rows or columns.",
        )
    flat = [field.name for field in schema if not pa.types.is_nested(field.type)]
    rows = ParquetRows(
        name=name,
        limits=limits,
        n_rows=sum(group.n_rows for group in groups),
        reason=files[0].reason,
        n_bytes=n_bytes,
        columns=flat,
        groups=tuple(groups),
        schema=schema,
        missing_in=missing_in or {},
    )
    return rows, nested_notice([column for column in schema.names if column not in flat])


def _open_bytes(group: Any, columns: Sequence[str]) -> int:
    """Estimate the bytes that Arrow holds when it reads columns of a row group together."""
    if group.total_byte_size <= _MOST_OPEN:
        return int(group.total_byte_size)
    wanted = set(columns)
    chunks = (group.column(i) for i in range(group.num_columns))
    return sum(
        min(chunk.total_uncompressed_size, _OPEN_COLUMN)
        for chunk in chunks
        if chunk.path_in_schema in wanted
    )


def _read_by_columns(
    opened: Any, number: int, columns: Sequence[str], n_rows: int
) -> Iterator[pa.RecordBatch]:
    """Yield some columns of a row group through a temporary file, written a few at a time."""
    group, starts = opened.metadata.row_group(number), list[int]()
    width = max(1, _MOST_OPEN // max(1, group.total_byte_size // group.num_columns) // 2)
    n_batches = -(-group.num_rows // n_rows)
    with TemporaryFile() as file:
        for first in range(0, len(columns), width):
            chosen = list(columns[first : first + width])
            table = opened.read_row_group(number, columns=chosen, use_threads=False)
            for i in range(n_batches):
                starts.append(file.tell())
                rows = table.slice(i * n_rows, n_rows).combine_chunks()
                with pa.ipc.new_stream(file, table.schema) as writer:
                    writer.write_table(rows)
            del table, rows
            trim()
        for i in range(n_batches):
            arrays, names = list[pa.Array](), list[str]()
            for start in starts[i::n_batches]:
                file.seek(start)
                batch = pa.ipc.open_stream(file).read_next_batch()
                arrays += batch.columns
                names += batch.schema.names
            yield pa.RecordBatch.from_arrays(arrays, names)


def _to_frame(batch: pa.RecordBatch) -> pd.DataFrame:
    plain = pa.Table.from_batches([without_dictionaries(batch).replace_schema_metadata()])
    return as_plain(plain.to_pandas(ignore_metadata=True))


def _without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch with types of which Arrow can select rows."""
    types = [_VIEWED.get(kind, kind) for kind in batch.schema.types]
    cast = [column.cast(kind) for column, kind in zip(batch.columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(cast, batch.schema.names)
