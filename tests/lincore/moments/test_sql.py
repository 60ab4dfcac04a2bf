"""Moments asked for in SQL are those of the rows (DuckDB and PostgreSQL: `tests/long`)."""

from __future__ import annotations

import sqlite3

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lincore import DataError, Moments
from lincore.moments import MomentsQuery

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


def by_sqlite(frame: pd.DataFrame, query: MomentsQuery) -> list[list[tuple[object, ...]]]:
    connection = sqlite3.connect(":memory:")
    frame.to_sql(TABLE, connection, index=False)
    answers = [connection.execute(text).fetchall() for text in query.statements]
    connection.close()
    return answers


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
def test_sums_are_those_of_the_rows(p):
    frame = rows(p)
    assert len(query_of(frame).statements) == (1 if p < 50 else 2)
    check(frame, query_of(frame), by_sqlite(frame, query_of(frame)))


def test_sums_of_few_rows_are_refused():
    frame = rows(2)
    query = MomentsQuery(TABLE, list(frame.columns[:-1]), TARGET)
    answers = by_sqlite(frame, query)
    with pytest.raises(DataError, match="only 3 rows, and sums of fewer than 20"):
        query.read(answers)
    large = [[row for row in answer if row[1] >= query.smallest] for answer in answers]
    assert query.read(large)[0].count.min() >= query.smallest


def test_mysql_has_names_in_backticks_and_a_table_has_a_schema():
    (text,) = MomentsQuery(("shop", "sales"), ["a`b"], "c", "mysql").statements
    assert "FROM `shop`.`sales` AS t" in text and "CAST(t.`a``b` AS DOUBLE)" in text
    assert '"' not in text


def test_other_answers_are_refused():
    frame = rows(50)
    query = query_of(frame)
    first, second = by_sqlite(frame, query)
    for answers in (
        [first],
        [first, second[:-1]],
        [first, first],
        [[], []],
        [first, [row[:2] + (None,) + row[3:] for row in second]],
        [first, [row[:2] + (np.nan,) + row[3:] for row in second]],
    ):
        with pytest.raises(DataError, match="Run each of the statements"):
            query.read(answers)


@pytest.mark.parametrize(
    "features", [[], ["a", "a"], ["a", "kind"], [f"x{j}" for j in range(501)], ["a\0"]]
)
def test_features_that_cannot_be_asked_for_are_refused(features):
    with pytest.raises(DataError):
        MomentsQuery("t", features, "kind").statements  # noqa: B018
