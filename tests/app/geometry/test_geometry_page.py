"""Geometry without a browser: each experiment asks, keeps the prediction, and says the truth."""

from __future__ import annotations

import contextlib
import io
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from lincore.analysis import Analysis, ExperimentData, GeometryQuestion
from lincore.errors import DataError
from lincore.export import to_script
from lincore.laboratory import EXPERIMENTS, demonstrate, experiment_rows
from pages.ui.geometry import _board
from tests.app.data_page import data_of
from tests.app.session.test_link import asked, link_of
from tests.app.test_pages import ROOT, assert_fine, figures, main_text, open_app

#: What the screen says of a preset of each experiment, once it is revealed.
SAID = {
    "one-function": ("2.449", "2.575658 / 1.051667 = 2.449120"),
    "ambiguity": ("3.608 %", "5.196152"),
    "far-points": ("15 rows", "34.3°"),
    "fisher": ("13.09", "13.086342"),
    "perceptron": ("47 mistakes", "4,095.08"),
    "race": ("318 steps", "0.014219"),
    "covariances": ("72 rows", "169 misclassified"),
    "bayes": ("−0.1513", "0.6534 at 2"),
    "basis": ("0 rows", "least squares"),
    "likelihood": ("98.46 %", "94.55 % at α = 1"),
    "own-rows": ("1 row", "least squares 1, LDA 1"),
}


def said(app) -> str:
    return main_text(app).replace("\\", "")


def test_all_experiments_one_after_the_other():
    app = open_app("pages/geometry.py")
    assert app.button(key="geometry.previous").disabled
    for number, (word, (answer, finding)) in enumerate(SAID.items()):
        assert app.selectbox(key="geometry.experiment").value == word
        assert EXPERIMENTS[word].title in app.header[0].value.replace("\\", "")
        before = said(app)
        assert f"Computed: {answer}" not in before and finding not in before
        assert len(figures(app)) == 2, "of the experiment, and of the classes"
        app.button(key="geometry.reveal").click().run()
        assert_fine(app)
        assert f"Computed: {answer}" in said(app) and finding in said(app)
        assert app.get("bidi_component")
        if number < len(SAID) - 1:
            app.button(key="geometry.next").click().run()
            assert_fine(app)
    assert app.button(key="geometry.next").disabled


def test_a_prediction_is_kept_revealed_and_reset():
    app = open_app("pages/geometry.py")
    app.selectbox(key="geometry.experiment").set_value("far-points").run()
    app.number_input(key="geometry.guess.far-points.classic").set_value(12.0).run()
    app.switch_page("pages/explore.py").run()
    app.switch_page("pages/geometry.py").run()
    assert app.number_input(key="geometry.guess.far-points.classic").value == 12.0
    app.button(key="geometry.reveal").click().run()
    assert "Your prediction: 12 rows. Computed: 15 rows." in said(app)
    assert asked(app).question == GeometryQuestion("far-points", "classic", 12.0, True)
    app.button(key="geometry.reset").click().run()
    assert_fine(app)
    assert "Computed" not in said(app)
    assert app.number_input(key="geometry.guess.far-points.classic").value == 12.0


def test_a_link_prepares_an_experiment():
    question = GeometryQuestion("fisher", "far", 2.0, True)
    app = open_app("pages/geometry.py")
    app.query_params["analysis"] = Analysis(question=question).to_query()
    app.run()
    app.run()
    assert_fine(app)
    assert app.selectbox(key="geometry.preset").value == "far"
    assert "Your prediction: 2 rows. Computed: 7 rows." in said(app)


def test_an_unknown_preset_is_the_first_one():
    app = open_app("pages/geometry.py")
    app.query_params["analysis"] = Analysis(question=GeometryQuestion("race", "none")).to_query()
    app.run()
    app.run()
    assert_fine(app)
    assert app.selectbox(key="geometry.preset").value == "classic"


def test_the_rows_of_an_experiment_are_used_on_classify():
    app = open_app("pages/geometry.py")
    app.selectbox(key="geometry.experiment").set_value("basis").run()
    app.button(key="geometry.use").click().run()
    assert_fine(app)
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert data_of(app).n_rows == 200
    assert Analysis.from_query(link_of(app)).data == ExperimentData("basis", "classic")
    again = open_app("pages/classify.py")
    again.query_params["analysis"] = link_of(app)
    again.run()
    again.run()
    assert data_of(again).digest == data_of(app).digest


def test_lines_without_rows_cannot_be_used():
    app = open_app("pages/geometry.py")
    app.selectbox(key="geometry.experiment").set_value("ambiguity").run()
    assert app.button(key="geometry.use").disabled


def test_rows_of_ones_own_are_fitted_as_the_browser_sends_them(monkeypatch):
    start = experiment_rows("own-rows")
    held: dict = {}
    monkeypatch.setattr(_board.st, "session_state", held)
    turn, rows = _board._rows(start, "a")
    assert turn == 0 and len(rows) == start.n_rows
    moved = [[0.0, 1.0, 0], [1, 2, 1]]
    held[_board.KEY] = SimpleNamespace(rows={"token": "a", "turn": 3, "rows": moved})
    assert _board._rows(start, "a") == (3, moved) and _board.is_changed()
    for wrong in ("rows", [[1, 2]], [["x", 2, 1]], [1]):
        held[_board.KEY] = SimpleNamespace(rows={"token": "a", "turn": 4, "rows": wrong})
        assert _board._rows(start, "a") == (3, moved)
    assert _board._rows(start, "b")[0] == 0 and not _board.is_changed()


def test_dragged_rows_are_in_the_link_and_so_are_data_made_of_them():
    rows = (-2.0, 0.5, 0, -1.0, 1.25, 0, 1.5, 0.0, 1, 2.0, -1.0, 1, -1.5, 1.0, 1)
    wanted = Analysis(question=GeometryQuestion("own-rows", "classic", None, True, rows))
    again = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    again = again.switch_page("pages/geometry.py")
    again.query_params["analysis"] = wanted.to_query()
    again.run()
    again.run()
    assert_fine(again)
    found = Analysis.from_query(link_of(again))
    assert found.question == wanted.question
    sentence = demonstrate("own-rows", "classic", rows).frames[-1].sentence
    said = main_text(again).replace("\\", "")
    assert sentence.startswith("Misclassified of 5 rows") and sentence in said
    offered = {one.key for one in again.get("download_button")}
    assert {"geometry.board.figure.download.html", "geometry.board.figure.download.csv"} <= offered
    assert sentence in _printed(to_script(found))
    again.button(key="geometry.use").click().run()
    assert Analysis.from_query(link_of(again)).data == ExperimentData("own-rows", "classic", rows)
    assert data_of(again).n_rows == 5


def _printed(script: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(script, "script.py", "exec"), {})
    return said.getvalue()


def test_rows_that_cannot_be_are_refused():
    for rows in [(1.0, 2.0), (0.0, 0.0, 0, 1.0, 1.0, 1), (7.0, 0, 0) * 4, (1.0, 1.0, 3) * 6]:
        with pytest.raises(DataError):
            experiment_rows("own-rows", "classic", rows)
    with pytest.raises(DataError, match="not moved"):
        experiment_rows("fisher", "classic", (0.0, 0.0, 0))
