"""The address of a source to who reads it."""

from __future__ import annotations

from lincore.io.databases._arrow_databases import open_duckdb, open_postgresql
from lincore.io.databases._parquet import open_files
from lincore.io.databases._relation import Relation
from lincore.io.databases._row_databases import open_mysql, open_sqlite
from lincore.io.databases.named_sources import NamedSource

_DATABASES = {
    "sqlite": open_sqlite,
    "mysql": open_mysql,
    "postgresql": open_postgresql,
    "postgres": open_postgresql,
    "duckdb": open_duckdb,
}


def connect(source: NamedSource) -> Relation:
    """Look at a source: its columns and how many rows it has.

    Raises
    ------
    DataError
        When it cannot be opened; the address is not in the message.
    """
    scheme, separator, _ = source.address.partition("://")
    return _DATABASES.get(scheme.lower() if separator else "", open_files)(source)
