"""Selections in a figure: rows, cells, and the table or images behind them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse
from streamlit.testing.v1 import AppTest
from streamlit.typing import PlotlyState

import lincore
from lincore.data import Dataset
from lincore.inspection import row_table
from pages.ui.widgets import selection


def chosen(*customdata, **more) -> PlotlyState:
    points = [{"curve_number": 0, "customdata": one} for one in customdata]
    return PlotlyState(
        {"selection": {"points": [*points, {"x": 1.0}], "point_indices": [], **more}}
    )


def test_rows_come_once_in_the_order_of_the_figure():
    assert selection.rows(chosen(5, [2], 5.0, {"0": 9}, [1, 2], None, "x", -1, np.nan)) == [5, 2, 9]


def test_the_cell_is_the_one_chosen_last():
    assert selection.cell(chosen([0, 1], {"0": 2, "1": 0}, 7)) == [2, 0]
    assert selection.cell(chosen(7)) == []


@pytest.mark.parametrize(
    "event", [None, {}, {"selection": {}}, {"selection": {"points": None}}, []]
)
def test_nothing_is_chosen_where_there_is_no_event(event):
    assert selection.rows(event) == selection.cell(event) == []


def page():
    import streamlit as st

    import lincore
    from lincore import plots
    from pages.ui.widgets import displays, selection

    data = lincore.sample(st.session_state["sample"])
    names = ["one", "two"]
    scatter = plots.scatter(
        data.X[:, 2:4], data.codes, data.classes, names, title="Rows", rows=range(data.n_rows)
    )
    rows = selection.figure(scatter, key="page.scatter")
    captions = tuple(f"{row}!" for row in rows)
    displays.show(data.rows(rows, captions=captions), key="page.rows")


def show(sample: str, rows) -> AppTest:
    app = AppTest.from_function(page, default_timeout=300)
    app.session_state["sample"] = sample
    app.session_state["page.scatter.picked"] = selection.rows(chosen(*rows))
    app.run()
    assert not app.exception
    return app


def test_a_selection_lists_its_rows():
    app = show("iris", [149, [3], 60])
    table = app.dataframe[0].value
    iris = lincore.sample("iris")
    assert table["row"].tolist() == [149, 3, 60]
    assert table["class"].tolist() == [str(iris.classes[k]) for k in iris.codes[[149, 3, 60]]]
    np.testing.assert_array_equal(table.iloc[:, 2:], iris.X[[149, 3, 60]])
    assert app.markdown[-1].value == "**3 rows\\.**"


def test_a_selection_of_images_shows_at_most_sixty():
    app = show("digits", range(1000, 1100))
    sheet = json.loads(app.get("plotly_chart")[1].proto.spec)
    assert "1000!" in json.dumps(sheet) and "1060!" not in json.dumps(sheet)
    said = [markdown.value.replace("\\", "") for markdown in app.markdown[-2:]]
    assert said == [
        "**100 images; the first 60 are shown, 40 more are not.**",
        "**The selected images**",
    ]


def test_rows_of_former_data_are_left_out():
    assert not show("iris", [5000]).dataframe
    app = show("iris", [5000, 7])
    assert app.dataframe[0].value["row"].tolist() == [7]
    assert app.markdown[-1].value == "**1 row\\.**"


def test_categories_words_and_equal_names():
    words = np.zeros((3, 5))
    words[:, 0] = [0, np.nan, 1]
    words[:, 1] = [1.5, 2.5, 3.5]
    words[2, 4] = 2
    data = Dataset(
        "words",
        scipy.sparse.csr_array(words),
        np.array([0, 1, 1]),
        np.array(["a", "b"]),
        ("colour", "row", "cat", "dog", "emu"),
        levels=(("red", "blue"), None, None, None, None),
        n_words=3,
    )
    table = row_table(data, np.array([2, 1]))
    assert list(table.columns) == ["row", "class", "colour", "row (2)", "emu"]
    assert table["colour"].tolist()[0] == "blue" and table["colour"].isna().tolist() == [
        False,
        True,
    ]
    assert table["emu"].tolist() == [2, 0]
