"""Databases whose drivers give Arrow's record batches: PostgreSQL and DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from lincore.io.databases._relation import Relation, failures_of, flat_and_nested, table_name
from lincore.io.databases.named_sources import NamedSource
from lincore.utils.sql_names import identifier

# Record batches of the answer to a query, in about so many rows.
_Ask: TypeAlias = Callable[[str, int], AbstractContextManager[pa.RecordBatchReader]]
_MEMORY = "1GB"


def open_postgresql(source: NamedSource) -> Relation:
    """Open a table of a server of PostgreSQL.

    Raises
    ------
    DataError
        When it cannot be opened.
    """

    @contextmanager
    def ask(query: str, n_rows: int) -> Iterator[pa.RecordBatchReader]:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(source.address) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(query)
            with cursor.fetch_record_batch() as reader:
                yield reader

    return _relation(source, ask)


def open_duckdb(source: NamedSource) -> Relation:
    """Open a table of a file of DuckDB.

    Raises
    ------
    DataError
        When it cannot be opened.
    """
    path = Path(source.address.partition(":///")[2])

    @contextmanager
    def ask(query: str, n_rows: int) -> Iterator[pa.RecordBatchReader]:
        import duckdb

        # A view could otherwise read other files, and addresses of the web.
        config: dict[str, Any] = {"enable_external_access": False, "memory_limit": _MEMORY}
        with duckdb.connect(path, read_only=True, config=config) as connection:
            yield connection.sql(query).to_arrow_reader(n_rows)

    return _relation(source, ask)


def _relation(source: NamedSource, ask: _Ask) -> Relation:
    table = table_name(source)
    with failures_of(source):
        with ask(f"SELECT * FROM {table} LIMIT 0", 1) as reader:  # noqa: S608
            schema = reader.schema
        with ask(f"SELECT COUNT(*) FROM {table}", 1) as reader:  # noqa: S608
            counted = int(reader.read_all().column(0)[0].as_py())

    def read(columns: Sequence[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        chosen = ", ".join(_plain(schema.field(name)) for name in columns)
        query = f"SELECT {chosen} FROM {table}"  # noqa: S608
        with failures_of(source), ask(query, n_rows) as reader:
            for batch in reader:
                # PostgreSQL's driver counts bytes, not rows.
                for start in range(0, len(batch), n_rows):
                    yield batch.slice(start, n_rows)

    return Relation("database", counted, *flat_and_nested(schema), read)


def _plain(field: pa.Field) -> str:
    """Return a column in SQL, as a number or a text where Arrow has no type for it."""
    name = identifier(field.name)
    kind = (field.metadata or {}).get(b"POSTGRESQL:type", b"")
    if kind in (b"numeric", b"money"):
        return f"CAST(CAST({name} AS numeric) AS double precision) AS {name}"
    if isinstance(field.type, pa.BaseExtensionType) or pa.types.is_interval(field.type):
        return f"CAST({name} AS text) AS {name}"
    return name
