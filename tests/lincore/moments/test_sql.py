"""Moments asked for in SQL: those of the rows, in DuckDB, SQLite and PostgreSQL."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator

import duckdb
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lincore import DataError, Moments
from lincore.moments import MomentsQuery
from lincore.utils.sql_names import identifier
from tests.long.servers import Psql, postgresql

TABLE = 'the "rows"; --'
TARGET = 'kind\'s "name"'


def rows(p: int, seed: int = 0) -> pd.DataFrame:
    """Two whole-numbered columns and others far from zero, classes of 3 to 200 rows, and gaps."""
    rng = np.random.default_rng(seed)
    names = [f'x "{j}"; --' for j in range(p)]
    codes = np.repeat([0, 1, 2], [200, 40, 3])
    X = 1e6 * (1 + codes[:, None]) + rng.standard_normal((len(codes), p)) @ rng.random((p, p))
    frame = pd.DataFrame(X, columns=names)
    frame[names[0]] = rng.integers(-5, 5, len(frame)) + 1_000_000
    frame.loc[5:8, names[-1]] = np.nan
    kinds = np.array(["it's", "O", "10"], dtype=object)[codes]
    kinds[[9, 220]] = None
    return frame.assign(**{TARGET: kinds}).sample(frac=1, random_state=seed, ignore_index=True)


def from_rows(frame: pd.DataFrame) -> tuple[Moments, np.ndarray]:
    whole = frame.dropna()
    classes, codes = np.unique(whole[TARGET].to_numpy(dtype=str), return_inverse=True)
    return Moments.from_groups(whole.drop(columns=TARGET), codes, len(classes)), classes


def by_duckdb(frame: pd.DataFrame, query: MomentsQuery) -> list[pd.DataFrame]:
    with duckdb.connect() as connection:
        connection.register("given", frame)
        # pandas' gaps are NULL to DuckDB.
        connection.execute(f"CREATE TABLE {identifier(TABLE)} AS FROM given")
        return [connection.execute(text).df() for text in query.statements]


def by_sqlite(frame: pd.DataFrame, query: MomentsQuery) -> list[list[tuple[object, ...]]]:
    connection = sqlite3.connect(":memory:")
    frame.to_sql(TABLE, connection, index=False)
    answers = [connection.execute(text).fetchall() for text in query.statements]
    connection.close()
    return answers


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


def check(frame: pd.DataFrame, query: MomentsQuery, answers) -> None:
    wanted, classes = from_rows(frame)
    found, labels = query.read(answers)
    assert_array_equal(labels, classes)
    assert_array_equal(found.count, wanted.count)
    assert_allclose(found.mean, wanted.mean, rtol=1e-10)
    spread = np.sqrt(np.diagonal(wanted.scatter, axis1=1, axis2=2))
    units = spread[:, :, None] * spread[:, None, :]
    assert_allclose(found.scatter / units, wanted.scatter / units, rtol=0, atol=1e-10)
    assert_array_equal(found.scatter, found.scatter.swapaxes(1, 2))


def query_of(frame: pd.DataFrame) -> MomentsQuery:
    return MomentsQuery(TABLE, list(frame.columns[:-1]), TARGET, smallest=3)


@pytest.mark.parametrize("p", [1, 4, 50])
@pytest.mark.parametrize("engine", [by_duckdb, by_sqlite])
def test_sums_are_those_of_the_rows(engine, p):
    frame = rows(p)
    assert len(query_of(frame).statements) == (1 if p < 50 else 2)
    check(frame, query_of(frame), engine(frame, query_of(frame)))


def test_sums_of_few_rows_are_refused():
    frame = rows(2)
    query = MomentsQuery(TABLE, list(frame.columns[:-1]), TARGET)
    answers = by_sqlite(frame, query)
    with pytest.raises(DataError, match="only 3 rows, and sums of fewer than 20"):
        query.read(answers)
    large = [[row for row in answer if row[1] >= query.smallest] for answer in answers]
    assert query.read(large)[0].count.min() >= query.smallest


def test_sums_of_a_server_are_those_of_the_rows(psql):
    for p in (3, 50):
        frame = rows(p, seed=1)
        check(frame, query_of(frame), by_postgres(frame, query_of(frame), psql))


def test_mysql_has_names_in_backticks_and_a_table_has_a_schema():
    (text,) = MomentsQuery(("shop", "sales"), ["a`b"], "c", "mysql").statements
    assert "FROM `shop`.`sales` AS t" in text and "CAST(t.`a``b` AS DOUBLE)" in text
    assert '"' not in text


@pytest.mark.parametrize(
    "change",
    [
        lambda answers: answers[:1],
        lambda answers: [answers[0], answers[1][:-1]],
        lambda answers: [answers[0], answers[0]],
        lambda answers: [[], []],
        lambda answers: [answers[0], [row[:2] + (None,) + row[3:] for row in answers[1]]],
        lambda answers: [answers[0], [row[:2] + (np.nan,) + row[3:] for row in answers[1]]],
    ],
    ids=["one missing", "class missing", "twice the same", "empty", "NULL", "NaN"],
)
def test_other_answers_are_refused(change):
    frame = rows(50)
    with pytest.raises(DataError, match="Run each of the statements"):
        query_of(frame).read(change(by_sqlite(frame, query_of(frame))))


@pytest.mark.parametrize(
    "features", [[], ["a", "a"], ["a", "kind"], [f"x{j}" for j in range(501)], ["a\0"]]
)
def test_features_that_cannot_be_asked_for_are_refused(features):
    with pytest.raises(DataError):
        MomentsQuery("t", features, "kind").statements  # noqa: B018
