"""Databases whose drivers give rows: SQLite and MySQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa

from lincore.io.databases._relation import Relation, failures_of, table_name
from lincore.io.databases.named_sources import NamedSource
from lincore.utils.sql_names import identifier

# A cursor that has been asked a query.
_Records: TypeAlias = Callable[[str], AbstractContextManager[Any]]


def open_sqlite(source: NamedSource) -> Relation:
    """Open a table of a file of SQLite.

    Raises
    ------
    DataError
        When it cannot be opened.
    """
    path = Path(source.address.partition(":///")[2])

    @contextmanager
    def ask(query: str) -> Iterator[sqlite3.Cursor]:
        # Read-only: SQLite would otherwise make a file that there is not.
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            yield connection.execute(query)

    return _relation(source, ask, '"')


def open_mysql(source: NamedSource) -> Relation:
    """Open a table of a server of MySQL or MariaDB.

    Raises
    ------
    DataError
        When it cannot be opened.
    """

    @contextmanager
    def ask(query: str) -> Iterator[Any]:
        connect = _mysql_connector(source.address)
        with closing(connect()) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            try:
                yield cursor
            finally:
                # A cursor that is closed waits for all rows, were it not for this.
                if cursor.fetchone() is not None:
                    with closing(connect()) as other, other.cursor() as second:
                        second.execute(f"KILL QUERY {connection.thread_id()}")
                    with suppress(other.OperationalError):
                        cursor.close()

    return _relation(source, ask, "`")


def _mysql_connector(address: str) -> Callable[[], Any]:
    import pymysql
    from pymysql.constants import FIELD_TYPE

    parts = urlsplit(address)
    options = {key: int(v) if v.isdecimal() else v for key, v in parse_qsl(parts.query)}
    as_numbers = {
        FIELD_TYPE.DECIMAL: float,
        FIELD_TYPE.NEWDECIMAL: float,
        FIELD_TYPE.BIT: partial(int.from_bytes, byteorder="big"),
    }
    return partial(
        pymysql.connect,
        host=parts.hostname,
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=unquote(parts.path.strip("/")),
        charset="utf8mb4",
        conv=pymysql.converters.conversions | as_numbers,
        cursorclass=pymysql.cursors.SSCursor,
        init_command="SET SESSION TRANSACTION READ ONLY",
        **options,
    )


def _relation(source: NamedSource, ask: _Records, mark: str) -> Relation:
    table = table_name(source, mark)

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        chosen = ", ".join(identifier(name, mark) for name in columns)
        with failures_of(source), ask(f"SELECT {chosen} FROM {table}") as cursor:  # noqa: S608
            while rows := cursor.fetchmany(n_rows):
                arrays = [_array(values) for values in zip(*rows, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, list(columns))

    with failures_of(source):
        with ask(f"SELECT * FROM {table} LIMIT 0") as cursor:  # noqa: S608
            columns = tuple(column[0] for column in cursor.description)
        with ask(f"SELECT COUNT(*) FROM {table}") as cursor:  # noqa: S608
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
