"""A table of a source that can be read more than once, and the words for one that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa

from lincore.errors import DataError
from lincore.io.databases.named_sources import NamedSource
from lincore.utils.sql_names import identifier


class Relation(NamedTuple):
    """A table that can be read more than once, each time by a connection of its own.

    Attributes
    ----------
    kind : {"database", "Parquet"}
    n_rows : int
    columns : tuple of str
        Those that hold one value a cell.
    nested : tuple of str
        The others.
    read : callable
        ``read(columns, n_rows)`` yields record batches of at most so many rows.
    """

    kind: str
    n_rows: int
    columns: tuple[str, ...]
    nested: tuple[str, ...]
    read: Callable[[Sequence[str], int], Iterator[pa.RecordBatch]]


def flat_and_nested(schema: pa.Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the columns that hold one value a cell, and of the others."""
    nested = tuple(one.name for one in schema if pa.types.is_nested(one.type))
    return tuple(name for name in schema.names if name not in nested), nested


def table_name(source: NamedSource, mark: str = '"') -> str:
    """Return the name of a source's table in SQL.

    Raises
    ------
    DataError
        When none is given.
    """
    if not source.table:
        raise DataError(
            "Its table is missing or cannot be used.",
            where=f"source {source.name!r}",
            remedy="Whoever runs this server can correct it: docs/operate.md.",
        )
    return ".".join(identifier(part, mark) for part in source.table)


@contextmanager
def failures_of(source: NamedSource) -> Iterator[None]:
    """Say that a source cannot be read, without the words of an error, which quote its address."""
    try:
        yield
    except DataError:
        raise
    except ImportError:
        raise DataError(
            "This source needs a package that is not installed.",
            where=f"source {source.name!r}",
            remedy="Whoever runs this server can install it: pip install 'lincore[sql]'.",
        ) from None
    # Drivers, the network and damaged files meet here.
    except Exception as error:
        raise DataError(
            f"It cannot be read ({type(error).__name__}).",
            where=f"source {source.name!r}",
            remedy="Try again later, or ask whoever runs this server.",
        ) from None
