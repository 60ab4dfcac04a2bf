"""Addresses of sources, opened for reading alone: SQLite, DuckDB's databases, Arrow's folders."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from lincore.errors import DataError
from lincore.io.databases.named_sources import NamedSource
from lincore.io.tables.formats.parquet import batches_as_needed
from lincore.utils.sql_names import identifier

# Databases that DuckDB attaches: the word of the address, the type, and the extension it needs.
_ATTACHED = {
    "postgresql": ("postgres", "postgres"),
    "postgres": ("postgres", "postgres"),
    "mysql": ("mysql", "mysql"),
    "duckdb": ("duckdb", ""),
}
_MEMORY = "1GB"


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
        ``read(columns, n_rows)`` yields record batches of about so many rows.
    """

    kind: str
    n_rows: int
    columns: tuple[str, ...]
    nested: tuple[str, ...]
    read: Callable[[Sequence[str], int], Iterator[pa.RecordBatch]]


def connect(source: NamedSource) -> Relation:
    """Look at a source: its columns and how many rows it has.

    Raises
    ------
    DataError
        When it cannot be opened; the address is not in the message.
    """
    scheme = source.address.partition(":")[0].lower() if "://" in source.address else ""
    if scheme == "sqlite":
        return _sqlite(source)
    if scheme in ("http", "https"):
        url = _literal(source.address)
        return _duckdb(source, f"read_parquet({url})", "httpfs")
    if scheme in _ATTACHED:
        kind, extension = _ATTACHED[scheme]
        address = source.address.partition(":///")[2] if scheme == "duckdb" else source.address
        attach = f"ATTACH {_literal(address)} AS source (TYPE {kind}, READ_ONLY)"
        return _duckdb(source, f"source.{_table(source)}", extension, attach)
    return _folder(source)


def _sqlite(source: NamedSource) -> Relation:
    path = Path(source.address.partition(":///")[2])
    table = _table(source)

    @contextmanager
    def asked(query: str) -> Iterator[sqlite3.Cursor]:
        # Read-only: SQLite would otherwise make a file that there is not.
        with (
            _failures(source),
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
        ):
            yield connection.execute(query)

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        chosen = ", ".join(map(identifier, columns))
        with asked(f"SELECT {chosen} FROM {table}") as cursor:  # noqa: S608
            while rows := cursor.fetchmany(n_rows):
                arrays = [_array(values) for values in zip(*rows, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, list(columns))

    with asked(f"SELECT * FROM {table} LIMIT 0") as cursor:  # noqa: S608
        columns = tuple(column[0] for column in cursor.description)
    with asked(f"SELECT COUNT(*) FROM {table}") as cursor:  # noqa: S608
        n_rows = int(cursor.fetchone()[0])
    return Relation("database", n_rows, columns, (), read)


def _array(values: Sequence[Any]) -> pa.Array:
    """Return values of SQLite, where each cell has a type of its own, as a column of one type."""
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        kinds = {type(value) for value in values} - {type(None)}
        if kinds <= {int, float}:
            return pa.array([None if value is None else float(value) for value in values])
        texts = (v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in values)
        return pa.array([None if value is None else str(value) for value in texts])


def _duckdb(source: NamedSource, table: str, extension: str, attach: str = "") -> Relation:
    try:
        import duckdb
    except ImportError:
        raise DataError(
            "This source needs DuckDB, which is not installed.",
            where=f"source {source.name!r}",
            remedy="Whoever runs this server can install it: pip install 'duckdb>=2,<3'.",
        ) from None

    @contextmanager
    def connected() -> Iterator[duckdb.DuckDBPyConnection]:
        # Nothing is fetched from elsewhere but by whoever runs the server.
        config: dict[str, Any] = {
            "autoinstall_known_extensions": False,
            "memory_limit": _MEMORY,
        }
        with _failures(source), duckdb.connect(config=config) as connection:
            if extension:
                _load(connection, extension, source.name)
            for key, value in source.settings.items():
                connection.execute(f"SET {key} = {_literal(value)}")
            if attach:
                connection.execute(attach)
            connection.execute("SET lock_configuration = true")
            yield connection

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        chosen = ", ".join(map(identifier, columns))
        with connected() as connection:
            query = f"SELECT {chosen} FROM {table}"  # noqa: S608
            yield from connection.sql(query).to_arrow_reader(n_rows)

    with connected() as connection:
        schema = connection.sql(f"SELECT * FROM {table} LIMIT 0").to_arrow_reader(1).schema  # noqa: S608
        counted = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()  # noqa: S608
    kind = "database" if attach else "Parquet"
    return Relation(kind, int(counted[0]) if counted else 0, *_flat(schema), read)


def _load(connection: Any, extension: str, name: str) -> None:
    try:
        connection.load_extension(extension)
    except Exception:
        raise DataError(
            f"This source needs DuckDB's extension {extension}, which is not installed.",
            where=f"source {name!r}",
            remedy="Whoever runs this server can install it: docs/operate.md.",
        ) from None


def _folder(source: NamedSource) -> Relation:
    """Return the Parquet files of a folder, here or in an object store, as one table."""
    from pyarrow.dataset import dataset

    def opened() -> Any:
        return dataset(source.address, format="parquet")

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        with _failures(source):
            files = opened()
            # One after the other: Arrow's own scanner reads ahead as if memory were free.
            for path in files.files:
                with files.filesystem.open_input_file(path) as stream:
                    for batch in batches_as_needed(stream, files.schema, columns, n_rows):
                        yield batch.select(list(columns))

    with _failures(source):
        files = opened()
        return Relation("Parquet", files.count_rows(), *_flat(files.schema), read)


def _flat(schema: pa.Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
    nested = tuple(one.name for one in schema if pa.types.is_nested(one.type))
    return tuple(name for name in schema.names if name not in nested), nested


def _table(source: NamedSource) -> str:
    if not source.table:
        raise DataError(
            "Its table is missing or cannot be used.",
            where=f"source {source.name!r}",
            remedy="Whoever runs this server can correct it: docs/operate.md.",
        )
    return ".".join(map(identifier, source.table))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _failures(source: NamedSource) -> Iterator[None]:
    """Say that a source cannot be read, without the words of an error, which quote its address."""
    try:
        yield
    except DataError:
        raise
    # Drivers, the network and damaged files meet here.
    except Exception as error:
        raise DataError(
            f"It cannot be read ({type(error).__name__}).",
            where=f"source {source.name!r}",
            remedy="Try again later, or ask whoever runs this server.",
        ) from None
