"""SQL, run by DuckDB, against the pipeline."""

from __future__ import annotations

import duckdb
import pandas as pd
import pytest

from lincore.export import to_sql
from tests.lincore.export.models.cases import FEW, Case, check, without_fills

TABLE = 'the "new" rows; --'


def by_duckdb(query: str, table: pd.DataFrame) -> pd.DataFrame:
    with duckdb.connect() as connection:
        connection.register(TABLE, table)
        return connection.execute(query).df()


@pytest.mark.parametrize("case", FEW, ids=str)
def test_the_query_predicts_as_the_pipeline(case):
    found = by_duckdb(to_sql(case.functions, TABLE), case.rows)
    check(case, found[list(case.functions.value_names)], found["predicted"])


def test_a_gap_that_the_model_does_not_take_predicts_nothing():
    case = Case("iris", "qda")
    table = case.rows.astype(float)
    table.iloc[0, 1] = None
    found = by_duckdb(to_sql(without_fills(case.functions), TABLE), table)
    assert found["predicted"].isna().tolist() == table.isna().any(axis=1).tolist()
