"""Moments asked for in SQL are those of the rows, in DuckDB and PostgreSQL."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import duckdb
import pandas as pd
import pytest
from tests.servers import Psql, postgresql

from lincore.moments import MomentsQuery
from lincore.utils.sql_names import identifier
from tests.lincore.moments.test_sql import TABLE, check, query_of, rows


def by_duckdb(frame: pd.DataFrame, query: MomentsQuery) -> list[pd.DataFrame]:
    with duckdb.connect() as connection:
        connection.register("given", frame)
        # pandas' gaps are NULL to DuckDB.
        connection.execute(f"CREATE TABLE {identifier(TABLE)} AS FROM given")
        return [connection.execute(text).df() for text in query.statements]


@pytest.fixture(scope="module")
def psql() -> Iterator[Psql]:
    with postgresql() as (run, _):
        yield run


def by_postgres(frame: pd.DataFrame, query: MomentsQuery, psql: Psql) -> list[list[list[str]]]:
    *features, target = frame.columns
    columns = [
        f"{identifier(name)} {'int' if i == 0 else 'float8'}" for i, name in enumerate(features)
    ]
    table, columns = identifier(TABLE), [*columns, f"{identifier(target)} text"]
    psql(
        f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({', '.join(columns)});\n"
        f"COPY {table} FROM STDIN (FORMAT csv);\n{frame.to_csv(index=False, header=False)}\\.\n"
    )
    return [list(csv.reader(io.StringIO(psql(text))))[1:] for text in query.statements]


@pytest.mark.parametrize("p", [1, 4, 50])
def test_sums_of_duckdb_are_those_of_the_rows(p):
    frame = rows(p)
    check(frame, query_of(frame), by_duckdb(frame, query_of(frame)))


def test_sums_of_a_server_are_those_of_the_rows(psql):
    for p in (3, 50):
        frame = rows(p, seed=1)
        check(frame, query_of(frame), by_postgres(frame, query_of(frame), psql))
