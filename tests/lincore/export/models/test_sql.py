"""SQL, run by SQLite, against the pipeline. DuckDB is in `tests/long/test_sql_by_duckdb.py`."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincore import DataError
from lincore.export import Input, ScoreFunction, to_sql
from tests.lincore.export.models.cases import FEW, Case, check, without_fills

TABLE = 'the "new" rows; --'


def by_sqlite(query: str, table: pd.DataFrame) -> pd.DataFrame:
    with sqlite3.connect(":memory:") as connection:
        # Not every SQLite is built with mathematical functions.
        connection.create_function("exp", 1, lambda x: None if x is None else math.exp(x))
        table.to_sql(TABLE, connection, index=False)
        found = pd.read_sql_query(query, connection)
    connection.close()
    return found


@pytest.mark.parametrize("case", FEW, ids=str)
def test_the_query_predicts_as_the_pipeline(case):
    table = case.rows
    if "flag" in table:
        # SQLite has no truth values: they are kept as text.
        table = table.assign(flag=table["flag"].astype(str))
    found = by_sqlite(to_sql(case.functions, TABLE), table)
    names = list(case.functions.value_names)
    assert list(found.columns) == [*case.functions.columns, *names, "predicted"]
    check(case, found[names], found["predicted"])


def test_truth_values_that_a_database_keeps_as_1_and_0():
    case = Case("mixed", "lda")
    table = case.rows.assign(flag=case.rows["flag"].astype(int))
    found = by_sqlite(to_sql(case.functions, TABLE), table)
    check(case, found[list(case.functions.value_names)], found["predicted"])
    assert case.model.predict(table).tolist() == case.labels


def test_columns_that_are_kept_stand_before_the_probabilities():
    case = Case("iris", "lda")
    table = case.rows.assign(id=range(len(case.rows)), predicted="x")
    found = by_sqlite(to_sql(case.functions, TABLE, keep=["id", "predicted"]), table)
    assert list(found.columns)[:2] == ["id", "predicted"]
    assert found.columns[-1] == "predicted_"
    assert found.sort_values("id")["predicted_"].tolist() == case.labels


def test_a_gap_that_the_model_does_not_take_predicts_nothing():
    case = Case("iris", "qda")
    table = case.rows.astype(object)
    table.iloc[0, 1] = None
    table.iloc[4, 3] = 1.0
    found = by_sqlite(to_sql(without_fills(case.functions), TABLE), table.astype(float))
    empty = found[[*case.functions.value_names, "predicted"]].isna().all(axis=1)
    assert empty.tolist() == [True] + [False] * (len(table) - 1)


def test_many_columns_make_no_tree_too_deep():
    q = 1200
    functions = replace(
        Case("iris", "lda").functions,
        columns=tuple(f"c{i}" for i in range(q)),
        inputs=tuple(Input(f"c{i}") for i in range(q)),
        origin=np.ones(q),
        functions=tuple(
            ScoreFunction.affine(0.5, np.full(q, slope)) for slope in (-1e-4, 0.0, 1e-4)
        ),
    )
    table = pd.DataFrame(np.full((1, q), 3.0), columns=functions.columns)
    found = by_sqlite(to_sql(functions, TABLE, keep=[]), table).iloc[0, :3].to_numpy(float)
    exps = np.exp(np.array([-1, 0, 1]) * 1e-4 * q * 2)
    np.testing.assert_allclose(found, exps / exps.sum(), rtol=1e-9)


def test_what_sql_does_not_take_is_refused():
    functions = Case("iris", "lda").functions
    with pytest.raises(DataError, match="character"):
        to_sql(functions, "a\0b")
    wide = tuple(ScoreFunction.affine(0.0, np.ones(10_000)) for _ in range(3))
    with pytest.raises(DataError, match="20,000"):
        to_sql(replace(functions, functions=wide))
