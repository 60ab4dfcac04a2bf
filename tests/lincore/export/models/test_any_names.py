"""Renderings of models whose columns, levels and classes are called anything at all."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lincore import DataError
from lincore.export import Input, ScoreFunction, ScoreFunctions, to_json, to_numpy, to_sql

ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12) | st.sampled_from(
    [
        '"',
        "'",
        "\\",
        "*/",
        "-- ",
        "</script>",
        "=1+1",
        "${x}",
        "{0}",
        "%s",
        "\n",
        "\r\n",
        "\u2028",
        "TRUE",
    ]
)
NAMES = st.lists(ANY, min_size=5, max_size=5, unique_by=lambda name: name.strip().lower())


def functions_of(column: str, level: str, classes: list[str]) -> ScoreFunctions:
    """Return a model that predicts the second class for one level of one column."""
    rival = ScoreFunction.affine(0.0, np.array([0.0]))
    own = ScoreFunction.affine(-1.0, np.array([2.0]))
    return ScoreFunctions(
        label=level,
        data_name=column,
        digest="",
        target_name=classes[0],
        columns=(column,),
        classes=tuple(classes),
        link="softmax",
        inputs=(Input(column, "levels", None, (level,)),),
        origin=np.zeros(1),
        functions=(rival, own),
    )


def by_sqlite(query: str, column: str, values: list[str]) -> list[str]:
    quoted = '"' + column.replace('"', '""') + '"'
    with sqlite3.connect(":memory:") as connection:
        connection.create_function("exp", 1, np.exp)
        connection.execute(f"CREATE TABLE data ({quoted} TEXT)")
        connection.executemany("INSERT INTO data VALUES (?)", [(value,) for value in values])
        found = [row[-1] for row in connection.execute(query)]
    connection.close()
    return found


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(NAMES)
def test_any_name_stays_a_name(names):
    column, level, other, *classes = names
    functions = functions_of(column, level, classes)
    # A number's text has no fraction, and what is blank is missing: neither is of interest here.
    values, expected = [level, other], [classes[1], classes[0]]
    found = {}
    exec(to_numpy(functions), found)
    assert found["predict"]({column: values}) == expected
    assert json.loads(to_json(functions))["classes"] == classes
    try:
        query = to_sql(functions)
    except DataError:
        assert any("\0" in name for name in names)
        return
    assert by_sqlite(query, column, values) == expected
