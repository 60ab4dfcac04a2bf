"""Filtering rows and renaming columns on the way from a table to a data set."""

from __future__ import annotations

import pandas as pd
import pytest

import lincore
from lincore import DataError
from lincore.io import (
    Condition,
    TableOptions,
    filter_rows,
    frame_to_table,
    read_table,
    table_to_dataset,
)

RAW = b"age,sex,fare,kind\n" + b"\n".join(
    f"{'' if i % 10 == 0 else i},{'mf'[i % 2]},{i % 7}.5,{'ab'[i % 3 == 0]}".encode()
    for i in range(60)
)


@pytest.fixture(scope="module")
def table():
    return read_table(RAW, "made.csv")


@pytest.mark.parametrize(
    ("where", "query"),
    [
        ([("age", "between", (18, 40))], "18 <= age <= 40"),
        ([("age", "between", (None, 40))], "age <= 40"),
        ([Condition("sex", "is one of", ("f",))], "sex == 'f'"),
        ([("fare", "is one of", (0.5, "3.5"))], "fare in [0.5, 3.5]"),
        ([("age", "is not one of", (21, 22))], "age == age and age not in [21, 22]"),
        ([("age", "is missing", ())], "age != age"),
        ([("age", "is not missing")], "age == age"),
        (
            [("sex", "is one of", ("m",)), ("age", "between", (18, None))],
            "sex == 'm' and age >= 18",
        ),
    ],
)
def test_the_rows_are_those_of_a_query_by_pandas(table, where, query):
    wanted = table.frame.query(query)
    found = filter_rows(table, where)
    pd.testing.assert_frame_equal(found.frame, wanted.reset_index(drop=True))
    data = table_to_dataset(table, "kind", TableOptions(where=where, roles={"sex": "ignore"}))
    assert data.n_rows == len(wanted)
    assert found.place(0) == f"line {wanted.index[0] + 2}", "the line of the file"


def test_what_is_left_decides_what_a_column_holds(table):
    data = table_to_dataset(table, "kind", TableOptions(where=[("sex", "is one of", ("f",))]))
    assert data.feature_names == ("age", "fare"), "one level is left: it is constant"


def test_identifiers_and_the_target_are_those_of_the_whole_file():
    lines = [f"{i + 1},{'ab'[i % 2]},{i % 7}.5,{'xy'[i % 3 == 0]}" for i in range(60)]
    table = read_table("\n".join(["count,sex,size,kind", *lines]).encode(), "t.csv")
    odd = filter_rows(table, [("sex", "is one of", ("a",))])
    assert odd.contents["count"].kind == "identifier", "1, 3, 5 would be a measurement"
    assert odd.contents["sex"].kind == "constant"
    assert odd.proposed == table.proposed == "kind"
    options = TableOptions(where=[("size", "between", (2, 4))])
    assert table_to_dataset(table, options=options).n_features == 2


def test_dates_are_compared_as_dates():
    days = pd.date_range("2024-01-01", periods=10)
    table = frame_to_table(pd.DataFrame({"day": days, "y": list("ab") * 5}), "t")
    found = filter_rows(table, [("day", "between", ("2024-01-03", "2024-01-05"))])
    assert len(found.frame) == 3


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ([("sex", "between", (1, 2))], "Text cannot be compared with a range"),
        ([("age", "between", ("x", 2))], "numbers or dates"),
        ([("age", "between", (None, None))], "lower and an upper end"),
        ([("age", "like", (1,))], "no relation 'like'"),
        ([("age", "is one of", ())], "no value"),
        ([("ages", "is missing", ())], "no such column"),
        ([("age", "between", (900, None))], "No row meets all conditions"),
    ],
)
def test_a_condition_that_cannot_be_judged_is_refused(table, where, what):
    with pytest.raises(DataError, match=what):
        table_to_dataset(table, "kind", TableOptions(where=where))


def test_columns_get_other_names_and_all_choices_name_them_as_the_file_does(table):
    data = lincore.load(
        RAW,
        name="made.csv",
        target="kind",
        rename={"age": "age (years)", "kind": "group"},
        roles={"age": "feature", "fare": "ignore"},
        categories=("age",),
    )
    assert data.feature_names == ("age (years)", "sex")
    again = table_to_dataset(table, "kind")
    renamed = table_to_dataset(table, "kind", TableOptions(rename={"age": "years"}))
    assert again.digest != renamed.digest
    for rename, what in (
        ({"age": "fare"}, "Two columns would be called 'fare'"),
        ({"age": " "}, "empty"),
        ({"aged": "x"}, "no such column"),
    ):
        with pytest.raises(DataError, match=what):
            table_to_dataset(table, "kind", TableOptions(rename=rename))
    swapped = table_to_dataset(table, "kind", TableOptions(rename={"age": "fare", "fare": "age"}))
    assert swapped.feature_names == ("fare", "sex", "age")
