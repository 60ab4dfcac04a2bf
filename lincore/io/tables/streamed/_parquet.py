"""Parquet files larger than memory: all rows block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from lincore.errors import DataError, Notice, TooLargeError
from lincore.io.files.streams import LargeFile
from lincore.io.tables.formats.parquet import THRIFT, damaged, nested_notice
from lincore.io.tables.streamed.arrow_rows import ArrowRows

# Else Arrow holds all columns of a group of rows, packed, before the first is asked for.
_READ_AS_NEEDED = {**THRIFT, "pre_buffer": False, "buffer_size": 1_000_000}


def open_large_parquet(
    file: LargeFile, missing_in: Mapping[str, Sequence[str | float]] | None = None
) -> tuple[ArrowRows, tuple[Notice, ...]]:
    """Look at a large Parquet file.

    Parameters
    ----------
    file : LargeFile
    missing_in : mapping of str to sequence, optional

    Returns
    -------
    rows : ArrowRows
    notices : tuple of Notice

    Raises
    ------
    DataError
        When it is damaged, or too large even so.
    """
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
            remedy="Load a part of the rows, or fewer columns.",
        )
    flat = [field.name for field in schema if not pa.types.is_nested(field.type)]
    # A dictionary stays one: a long text repeated often is small until written out.
    texts = [
        field.name
        for field in schema
        if pa.types.is_string(field.type) or pa.types.is_binary(field.type)
    ]

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        with _damage(file), file.open_as_it_is() as stream:
            opened = pq.ParquetFile(stream, read_dictionary=texts, **_READ_AS_NEEDED)
            yield from opened.iter_batches(n_rows, columns=list(columns), use_threads=False)

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
