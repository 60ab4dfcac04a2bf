"""Classify, with every classifier, option, plane and panel, without a browser."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from lincore.experiments.methods import FACTORIES
from lincore.experiments.options import OPTIONS
from pages.ui import cached, jobs, state
from tests.app.test_pages import ROOT, assert_fine, figures

# Filters of warnings belong to the process: those of the thread that runs a page come and go while
# a job fits. The page reads from the model why it ended, not from the warning.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::lincore.separation.SeparationWarning"
)

PAGE = "pages/classify.py"
TABLE_WORDS = [word for word in FACTORIES if word != "multinomial-nb"]


def open_classify(word: str = "lda", sample: str = "gaussian"):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app.session_state[state.DATASET] = cached.sample(sample)
    app.session_state[state.SOURCE] = None
    app.run()
    app.switch_page(PAGE).run()
    if word != "lda":
        choose(app, "classify.word", word)
    assert_fine(app)
    assert not app.error
    return app


def settle(app):
    """Let the jobs end, and the page show what they made."""
    for _ in range(5):
        running = [job for job in kept_jobs(app) if not job.is_over]
        if not running:
            break
        for job in running:
            assert job.wait(30)
        app.run()
    assert_fine(app)
    return app


def kept_jobs(app):
    return list(app.session_state[jobs.JOBS].values()) if jobs.JOBS in app.session_state else []


def choose(app, key: str, value) -> None:
    app.selectbox(key=key).set_value(value).run()
    settle(app)


def other_values(option):
    """Return values of an option that differ from its default, one of each kind."""
    if option.kind == "switch":
        return [not option.default]
    values = [choice.value for choice in option.choices if choice.value != option.default]
    return values or [None]


def change(app, word: str, option) -> None:
    """Give an option each of its other values once."""
    key = f"classify.{word}.{option.name}"
    if option.kind == "switch":
        app.toggle(key=key).set_value(not option.default).run()
    elif option.kind in ("choice", "method", "priors"):
        for value in other_values(option):
            choose(app, key, value)
    elif not option.choices:
        field = app.number_input(key=key)
        field.set_value(1 if option.kind == "integer" else 0.5).run()
    else:
        kind = app.selectbox(key=f"{key}.kind")
        for value in other_values(option):
            kind.set_value(value).run()
            settle(app)
        app.selectbox(key=f"{key}.kind").set_value("a number").run()
        assert app.number_input(key=key).value is not None
    settle(app)


@pytest.mark.parametrize("word", TABLE_WORDS)
def test_every_option_of_every_classifier(word):
    app = open_classify(word)
    for option in OPTIONS[word]:
        change(app, word, option)
        assert not app.error, (option.name, app.error[0].value)
        kinds = [{trace["type"] for trace in figure["data"]} for figure in figures(app)]
        assert {"contour", "scatter"} <= kinds[0], option.name
        assert {"heatmap", "scatter"} <= kinds[1], option.name
        assert app.header[0].value


def test_every_picture_and_plane_of_the_model():
    app = open_classify(sample="iris")
    for drawing in ("Surface", "Boundary", "Contour"):
        app.segmented_control(key="classify.drawing").set_value(drawing).run()
        assert_fine(app)
    for quantity in ("density", "posterior"):
        for focus in (0, 2, -1):
            app.selectbox(key="classify.quantity").set_value(quantity)
            choose(app, "classify.focus", focus)
    for components in (1, 3, 4):
        app.number_input(key="classify.components").set_value(components).run()
        for drawing in ("Surface", "Boundary", "Contour"):
            app.segmented_control(key="classify.drawing").set_value(drawing).run()
            assert_fine(app)
    choose(app, "classify.x", 2)
    for plane in ("features", "discriminant", "coordinates"):
        choose(app, "classify.plane", plane)
    app.toggle(key="classify.project").set_value(False).run()
    for plane in ("features", "principal", "discriminant", "coordinates"):
        choose(app, "classify.plane", plane)
    for key in ("classify.standardize", "classify.ellipses"):
        toggle = app.toggle(key=key)
        toggle.set_value(not toggle.value).run()
        assert_fine(app)
    assert not app.error
