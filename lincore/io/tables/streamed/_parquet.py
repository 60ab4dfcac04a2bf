"""Parquet files larger than memory: all rows block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from lincore.errors import DataError, Notice, TooLargeError
from lincore.io.files.streams import LargeFile
from lincore.io.tables.formats.parquet import (
    THRIFT,
    batches_as_needed,
    damaged,
    nested_notice,
)
from lincore.io.tables.streamed.arrow_rows import ArrowRows


def open_large_parquet(
    file: LargeFile, missing_in: Mapping[str, Sequence[str | float]] | None = None
) -> tuple[ArrowRows, tuple[Notice, ...]]:
    """Open a large Parquet file."""
    limits = file.limits
    with _damage(file), file.open_as_it_is() as stream:
        opened = pq.ParquetFile(stream, **THRIFT)
        metadata, schema = opened.metadata, opened.schema_arrow
    groups = (metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if sum(groups) > limits.max_streamed_bytes or len(set(schema.names)) < len(schema.names):
        raise TooLargeError(
            f"It unpacks to more than {limits.max_streamed_bytes / 1e6:,.0f} MB, or two of its "
            "columns have the same name.",
            where=file.name,
            remedy="Load fewer rows or columns.",
        )
    flat = [field.name for field in schema if not pa.types.is_nested(field.type)]

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        with _damage(file), file.open_as_it_is() as stream:
            yield from batches_as_needed(stream, schema, columns, n_rows)

    rows = ArrowRows(
        file.name, limits, file.reason, metadata.num_rows, tuple(flat), missing_in or {}, read
    )
    return rows, nested_notice([name for name in schema.names if name not in flat])


@contextmanager
def _damage(file: LargeFile) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        raise damaged(error, file.name) from error
