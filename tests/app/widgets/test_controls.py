"""Widgets and figures shared by several pages."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import plotly.io
from streamlit.testing.v1 import AppTest

from lincore import plots
from pages.ui.widgets import controls, text

COUNTS = np.array([3, 4]), np.array([1, 2]), np.array(["a", "b"])


def page() -> None:
    import streamlit as st

    from pages.ui.widgets import controls

    controls.figure(st.session_state["drawn"], key="drawn")


def test_a_figure_is_sent_without_its_title_and_read_once(monkeypatch):
    drawn = plots.class_balance(*COUNTS)
    expected = json.loads(plotly.io.to_json(drawn))
    del expected["layout"]["title"]
    top = expected["layout"]["margin"]["t"]
    expected["layout"]["height"] -= top - controls.TOP
    expected["layout"]["margin"]["t"] = controls.TOP
    asked = []
    read = go.Figure.to_dict
    monkeypatch.setattr(go.Figure, "to_dict", lambda self: asked.append(1) or read(self))
    app = AppTest.from_function(page)
    app.session_state["drawn"] = drawn
    sent = [json.loads(app.run().get("plotly_chart")[0].proto.spec) for _ in range(3)]
    assert not app.exception
    assert sent == [expected] * 3
    assert len(asked) == 1
    assert app.markdown[0].value.startswith(f"**{text.escape(drawn.layout.meta['title'])}**")


def test_another_figure_in_its_place_is_another():
    app = AppTest.from_function(page)
    specs = []
    for most in (3, 4, 5):
        app.session_state["drawn"] = plots.class_balance(
            np.array([most, 4]), np.array([1, 2]), np.array(["a", "b"])
        )
        sent = json.loads(app.run().get("plotly_chart")[0].proto.spec)
        specs.append(sent)
    assert not app.exception
    assert specs[0] != specs[1] != specs[2]


def test_a_matrix_of_many_classes_is_kept_square_by_the_page():
    labels = [f"class {i}" for i in range(12)]
    few, many = (
        controls.SentFigure(
            plots.confusion_difference(np.eye(n, dtype=int), np.eye(n, dtype=int), labels[:n])
        )
        for n in (3, 12)
    )
    assert few.fitted["ratio"] == many.fitted["ratio"] == 1
    anchors = [sent.to_dict()["layout"]["yaxis"].get("scaleanchor") for sent in (few, many)]
    assert anchors == ["x", None]


def test_only_a_figure_with_equal_axes_follows_the_width_of_its_container():
    app = AppTest.from_function(page)
    app.session_state["drawn"] = plots.class_balance(*COUNTS)
    assert not any("cqw" in one.proto.body for one in app.run().get("html"))
    places = np.column_stack([np.arange(7.0), np.arange(7.0) / 2])
    app.session_state["drawn"] = plots.scatter(
        places, np.arange(7) % 2, ["a", "b"], ["Discriminant 1", "Discriminant 2"], title="Plane"
    )
    (style,) = [one.proto.body for one in app.run().get("html")]
    assert not app.exception
    assert ".st-key-drawn .stPlotlyChart" in style and "100cqw" in style


def test_long_names_of_options_are_shortened_in_their_middle_unless_two_became_equal():
    whole = [f"department of internal medicine of the regional hospital: ward {i}" for i in (1, 2)]
    named = controls.named([4, 7], whole, 190)
    short = [named["format_func"](code) for code in named["options"]]
    assert named["options"] == [4, 7] and named["width"] == 190
    assert all("…" in name and len(name) <= 20 for name in short)
    assert [name[-1] for name in short] == ["1", "2"]
    named = controls.named(whole, ["a" * 40 + "b" + "a" * 40, "a" * 81])
    assert [len(named["format_func"](name)) for name in whole] == [81, 81]
    typed = controls.named(["low", "high"], ["low", "high"])["format_func"]
    assert [typed(one) for one in ("low", "typed")] == ["low", "typed"]
