"""Parquet files to data frames, after checking limits."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lincore.data.frames import columns_named
from lincore.errors import DataError, Notice, TooLargeError, error_summary
from lincore.limits import LIMITS, Limits, check_rows, check_size, check_table_shape

_BATCH_ROWS = 10_000
# Limit on the size of a file's metadata before they are parsed.
THRIFT = {"thrift_string_size_limit": 10_000_000, "thrift_container_size_limit": 100_000}


def read_parquet(
    raw: bytes, name: str, limits: Limits = LIMITS
) -> tuple[pd.DataFrame, tuple[Notice, ...]]:
    """Read a Parquet file; columns of lists and records are skipped."""
    check_size(len(raw), name, limits)
    with reporting_damage(name):
        claims = _open(raw)
        metadata = claims.metadata
        check_table_shape(metadata.num_rows, metadata.num_columns, name, limits)
        check_rows(metadata.num_rows, name, limits)
        groups = (metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        if sum(groups) > limits.max_table_bytes:
            raise _too_large(name, limits)
        table, left_out, orders = _read_flat(raw, claims.schema_arrow, name, limits)
        # Each column of the table is released once it is in the frame.
        frame = table.to_pandas(ignore_metadata=True, split_blocks=True, self_destruct=True)
        del table
    for column, levels in orders.items():
        # Of a file written in several parts they may be those of one part.
        if frame[column].dropna().isin(levels).all():
            frame[column] = pd.Categorical(frame[column], levels, ordered=True)
    return frame, nested_notice(left_out)


def nested_notice(left_out: Sequence[str]) -> tuple[Notice, ...]:
    """Return the notice on columns of lists and records, if there are any."""
    sentence = "Left out: the cells are lists or records."
    return (Notice(sentence, columns_named(left_out), code="LIN046"),) if left_out else ()


@contextmanager
def reporting_damage(name: str) -> Iterator[None]:
    """Report a damaged file with Arrow's message."""
    try:
        yield
    except DataError:
        raise
    # A damaged file can make Arrow raise almost any exception.
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        message = f"The Parquet file is damaged: {error_summary(error)[:200]}."
        raise DataError(message, where=name, remedy="Write it again, or save it as CSV.") from error


def _open(raw: bytes, texts: Sequence[str] = ()) -> Any:
    return pq.ParquetFile(io.BytesIO(raw), read_dictionary=texts, **THRIFT)


def _read_flat(
    raw: bytes, schema: Any, name: str, limits: Limits
) -> tuple[Any, list[str], dict[str, list[Any]]]:
    """Read the columns with scalar cells, in batches and never beyond the limit."""
    # Return them, the names of the others, and the levels of ordered categories in their order.
    nested = [field.name for field in schema if pa.types.is_nested(field.type)]
    flat = [field.name for field in schema if not pa.types.is_nested(field.type)]
    source = _open(raw, text_columns(schema))
    batches, n_bytes = [], 0
    orders: dict[str, list[Any]] = {}
    for batch in source.iter_batches(batch_size=_BATCH_ROWS, columns=flat, use_threads=False):
        n_bytes += size_without_dictionaries(batch)
        if n_bytes > limits.max_table_bytes * 4:
            raise _too_large(name, limits)
        batches.append(without_dictionaries(batch))
        for field in batch.schema if not orders else ():
            is_ordered = pa.types.is_dictionary(field.type) and field.type.ordered
            if is_ordered and flat.count(field.name) == 1:
                levels = batch.column(field.name).dictionary.unique().drop_null()
                orders[field.name] = levels.to_pylist()
    return pa.Table.from_batches(batches), nested, orders


def text_columns(schema: Any) -> list[str]:
    """Return the columns to be read as dictionaries: a long text repeated often stays small."""
    is_string, is_binary = pa.types.is_string, pa.types.is_binary
    return [field.name for field in schema if is_string(field.type) or is_binary(field.type)]


def size_without_dictionaries(batch: Any) -> int:
    """Return the bytes of a batch without dictionaries."""
    return sum(map(_column_size, batch.columns))


def _column_size(column: Any) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary)
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0) + 8 * len(column)


def without_dictionaries(batch: Any) -> Any:
    """Return the columns with scalar cells: no dictionaries, times of an unknown zone as UTC."""
    batch.validate(full=True)
    kinds = batch.schema.types
    plain = [_plain_type(kind) for kind in kinds]
    if plain == kinds:
        return batch
    names = batch.schema.names
    # For "a.b", Arrow also returns the field b of a record a.
    flat = [i for i, kind in enumerate(kinds) if not pa.types.is_nested(kind)]
    columns = [batch.column(i).cast(plain[i]) for i in flat]
    return pa.RecordBatch.from_arrays(columns, [names[i] for i in flat])


def _plain_type(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_timestamp(kind) and kind.tz and not _is_zone(kind.tz):
        return pa.timestamp(kind.unit)
    return None if pa.types.is_nested(kind) else kind


def _is_zone(name: str) -> bool:
    try:
        pa.lib.string_to_tzinfo(name)
    except (pa.ArrowException, ValueError, KeyError, OSError, ImportError):
        return False
    return True


def _too_large(name: str, limits: Limits) -> DataError:
    return TooLargeError(
        f"It unpacks to more than {limits.max_table_bytes / 1e6:,.0f} MB.",
        where=name,
        remedy="Load fewer rows or columns.",
    )
