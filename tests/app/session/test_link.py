"""The link: what it restores, what it names, and that no link does harm."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from lincore.data.generators import gaussian_classes
from lincore.errors import DataError
from pages.ui.session import link, state
from tests.app.data_page import a_table, bring, data_of
from tests.app.test_pages import ROOT, assert_fine, choose_sample, main_text, open_app


def parameters_of(app: AppTest) -> dict[str, str]:
    """Return the query parameters; AppTest holds each as a list."""
    return {
        key: value[0] if isinstance(value, list) else value
        for key, value in app.query_params.items()
    }


def reload(app: AppTest, page: str) -> AppTest:
    """Open the link of a session in another one."""
    return open_link(parameters_of(app), page)


def open_link(parameters: dict[str, str], page: str) -> AppTest:
    again = AppTest.from_file(ROOT / "app.py", default_timeout=60).switch_page(page)
    for key, value in parameters.items():
        again.query_params[key] = value
    again.run()
    assert_fine(again)
    return again


def test_a_reload_keeps_the_sample_its_split_and_the_settings():
    app = open_app()
    choose_sample(app, "wine")
    app.slider(key="sidebar.share").set_value(20).run()
    app.switch_page("pages/classify.py").run()
    app.selectbox(key="classify.word").set_value("qda").run()
    app.run()
    again = reload(app, "pages/classify.py")
    assert data_of(again).name == "wine"
    assert again.slider(key="sidebar.share").value == 20
    assert again.selectbox(key="classify.word").value == "qda"
    assert again.header[0].value == app.header[0].value
    assert parameters_of(again) == parameters_of(app)


def test_a_reload_keeps_generated_classes():
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    app.button(key="start.learn.imbalance").click().run()
    app.switch_page("pages/data.py").run()
    again = reload(app, "pages/data.py")
    assert data_of(again).digest == data_of(app).digest


@pytest.mark.parametrize("page", ["pages/data.py", "pages/classify.py", "pages/start.py"])
def test_an_upload_is_named_after_a_reload_and_the_same_file_gets_its_settings_back(page):
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="sidebar.target").set_value("colour").run()
    app.slider(key="sidebar.share").set_value(20).run()
    again = reload(app, page)
    assert "was here: upload it again to go on" in again.header[0].value
    assert state.DATASET not in again.session_state
    assert "iris" not in main_text(again)
    bring(again, ("good.csv", a_table()))
    assert data_of(again).target_name == "colour"
    assert again.slider(key="sidebar.share").value == 20


def test_another_file_gets_none_of_the_settings():
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="sidebar.target").set_value("colour").run()
    again = bring(reload(app, "pages/data.py"), ("good.csv", a_table(60)))
    assert data_of(again).target_name == "kind"


def test_a_visitor_can_go_on_without_the_file():
    again = open_link({"file": "good.csv", "sha": "0" * 12}, "pages/explore.py")
    again.button(key="again.forget").click().run()
    assert_fine(again)
    assert data_of(again).name == "iris"


@pytest.mark.parametrize(
    "parameters",
    [
        {"sample": "../../etc/passwd"},
        {"sample": "wine", "target": "<script>", "split": "stratified-99-77777"},
        {"sample": "passengers", "target": "no such column", "split": "group-30-0"},
        {"sample": "wine", "classify.word": "nobody", "classify.pca": "0", "explore.view": "x"},
        {"gaussian": '{"means": [[0,0],[1]], "seed": 1}'},
        {"gaussian": '{"sizes": [1000000000, 3]}'},
        {"gaussian": "[" * 3000},
        {"file": "![x](http://evil/p.png) " * 50, "sha": "zz"},
    ],
)
def test_a_hostile_link_falls_back_without_a_word(parameters):
    again = open_link(parameters, "pages/classify.py")
    assert not again.error
    assert "](http" not in main_text(again)


numbers = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3))
values = st.recursive(numbers, lambda part: st.lists(part, max_size=4), max_leaves=12)
names = st.sampled_from([*sorted(link._ARGUMENTS), "other"])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(names, values, max_size=4))
def test_arguments_of_a_link_make_classes_or_are_refused_with_a_reason(arguments):
    found = link.read_arguments(json.dumps(arguments))
    if found is not None:
        try:
            data = gaussian_classes(**found)
        except DataError:
            return
        assert data.n_rows <= 100_000


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60))
def test_any_text_can_stand_for_arguments(text):
    assert link.read_arguments(text) is None or text.strip() == "{}"


arrays = st.integers(1, 4).flatmap(
    lambda p: st.lists(st.lists(st.floats(-9, 9), min_size=p, max_size=p), min_size=2, max_size=5)
)


@settings(max_examples=30, deadline=None)
@given(arrays, st.integers(0, 9999))
def test_arguments_come_back_as_they_were_written(means, seed):
    arguments = {"means": means, "sizes": [3] * len(means), "seed": seed}
    packed = link._data_parameters(state.Origin("generated", "gaussian", arguments))
    assert link.read_arguments(packed["gaussian"]) == arguments
