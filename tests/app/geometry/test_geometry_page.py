"""Geometry without a browser: each experiment asks, keeps the prediction, and says the truth."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from lincore.analysis import Analysis, ExperimentData, GeometryQuestion
from lincore.laboratory import EXPERIMENTS, MOST_POINTS
from pages.ui.geometry import _board, screen
from pages.ui.session import questions
from tests.app.data_page import data_of
from tests.app.session.test_link import asked, link_of
from tests.app.test_pages import assert_fine, figures, main_text, open_app

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
    "sigmoid": ("1.6931", "not μ, σ and priors"),
}


def said(app) -> str:
    return main_text(app).replace("\\", "")


def reveal(app) -> None:
    """Reveal, and let the browser say that the frames have been played."""
    app.button(key="geometry.reveal").click().run()
    if screen.PLAYS in app.session_state:
        del app.session_state[screen.PLAYS]
        app.run()
    assert_fine(app)


def test_the_preset_of_an_experiment_is_sent_to_a_browser_that_shows_another():
    app = open_app("pages/geometry.py")
    for word in ("ambiguity", "far-points", "fisher", "perceptron"):
        app.selectbox(key="geometry.experiment").set_value(word).run()
        shown = app.selectbox(key="geometry.preset").proto
        assert shown.set_value and shown.raw_value == EXPERIMENTS[word].presets["classic"].title


def test_all_experiments_one_after_the_other():
    app = open_app("pages/geometry.py")
    assert app.button(key="geometry.previous").disabled
    for number, (word, (answer, finding)) in enumerate(SAID.items()):
        assert app.selectbox(key="geometry.experiment").value == word
        assert EXPERIMENTS[word].title in app.header[0].value.replace("\\", "")
        before = said(app)
        assert f"Computed: {answer}" not in before and finding not in before
        preset = EXPERIMENTS[word].presets["classic"]
        has_rows = preset.rows is not None
        assert len(figures(app)) == 1, "of the experiment alone: a second one takes time to draw"
        summary = " ".join(one.value for one in (*app.sidebar.markdown, *app.sidebar.caption))
        assert EXPERIMENTS[word].title in summary.replace("\\", "") and "Iris" not in summary
        assert (f"{preset.rows().n_rows} rows" if has_rows else "No rows") in summary
        reveal(app)
        assert f"Computed: {answer}" in said(app) and finding in said(app)
        assert app.get("bidi_component")
        if number < len(SAID) - 1:
            app.button(key="geometry.next").click().run()
            assert_fine(app)
    assert app.button(key="geometry.next").disabled


def test_a_prediction_is_kept_revealed_and_reset():
    app = open_app("pages/geometry.py")
    app.selectbox(key="geometry.experiment").set_value("far-points").run()
    app.number_input(key="geometry.guess.far-points.classic").set_value(12.0)
    app.button(key="geometry.reveal").click().run()
    assert "Computed" not in said(app), "while the frames are played"
    app.switch_page("pages/explore.py").run()
    app.switch_page("pages/geometry.py").run()
    assert app.number_input(key="geometry.guess.far-points.classic").value == 12.0
    reveal(app)
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


def test_points_are_kept_as_the_browser_sends_them(monkeypatch):
    board, place = EXPERIMENTS["own-rows"].presets["classic"].board, ("own-rows", "classic")
    held: dict = {}
    monkeypatch.setattr(_board.st, "session_state", held)
    assert _board._points(board, place, "a") == (0, board.start())
    moved = [[0.0, 1.0, 0], [1, 2, 1]]
    held[_board.KEY] = SimpleNamespace(points={"token": "a", "turn": 3, "points": moved})
    wanted = (3, ((0.0, 1.0, 0), (1, 2, 1)))
    assert _board._points(board, place, "a") == wanted
    assert questions.experiment().points == ()
    held["settings.geometry"] |= {"experiment": "own-rows"}
    assert questions.experiment().points == wanted[1]
    many = [*[[0.0, 1.0, 0]] * (MOST_POINTS - 1), [0.0, 1.0, "x"]]
    for wrong in ("rows", [[1, 2]], [["x", 2, 1]], [1], [[0.0, 1.0, 0.5]], many):
        held[_board.KEY] = SimpleNamespace(points={"token": "a", "turn": 4, "points": wrong})
        assert _board._points(board, place, "a") == wanted
    assert _board._points(board, place, "b") == (0, wanted[1])


@pytest.mark.usefixtures("unfolded")
def test_a_link_holds_points_and_they_are_used_on_classify():
    rng = np.random.default_rng(0)
    points = tuple(
        (x, y, i % 2) for i, (x, y) in enumerate(rng.uniform(-6, 6, (40, 2)).round(2).tolist())
    )
    question = GeometryQuestion("own-rows", "far", None, True, points)
    app = open_app("pages/geometry.py")
    app.query_params["analysis"] = Analysis(question=question).to_query()
    app.run()
    app.run()
    assert_fine(app)
    assert "Misclassified of 40 rows" in said(app)
    assert asked(app).question == question
    offered = {one.key for one in app.get("download_button")}
    assert {f"geometry.board.figure.download.{end}" for end in ("html", "csv")} <= offered
    app.button(key="geometry.use").click().run()
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert data_of(app).n_rows == 40
    assert Analysis.from_query(link_of(app)).data == ExperimentData("own-rows", "far", points)
    app.switch_page("pages/geometry.py").run()
    app.button(key="geometry.reset").click().run()
    assert asked(app).question == GeometryQuestion("own-rows", "far")


def test_points_and_letters_that_no_experiment_takes_are_left_out():
    question = GeometryQuestion("fisher", "far", None, True, ((0.0, 0.0, 0),), "to be")
    app = open_app("pages/geometry.py")
    app.query_params["analysis"] = Analysis(question=question).to_query()
    app.run()
    app.run()
    assert_fine(app)
    assert asked(app).question == GeometryQuestion("fisher", "far", None, True)


def test_a_letter_of_ones_own():
    app = open_app("pages/geometry.py")
    app.selectbox(key="geometry.experiment").set_value("likelihood").run()
    app.number_input(key="geometry.guess.likelihood.classic").set_value(50.0)
    reveal(app)
    app.text_input(key="geometry.letter.likelihood.classic").set_value("not the question").run()
    assert_fine(app)
    assert "how probable is it that “not the question” is ham?" in said(app)
    assert "Computed: 7.69 %." in said(app) and "98.46" not in said(app)
    assert "Not in the four letters: the." in said(app)
    assert asked(app).question.letter == "not the question"
    app.text_input(key="geometry.letter.likelihood.classic").set_value("alas").run()
    assert not app.exception and "None of its words" in app.error[0].value
    assert "98.46 %" in said(app)


def test_a_click_that_overtakes_the_next_experiment_reveals_that_one():
    app = open_app("pages/geometry.py")
    # Both clicks are in one message, as a slow server receives them.
    app.button(key="geometry.next").click()
    reveal(app)
    assert app.selectbox(key="geometry.experiment").value == "ambiguity"
    assert "Computed: 3.608 %." in said(app)


def test_the_likelihood_is_tried_by_hand_before_its_maximum_is_revealed():
    app = open_app("pages/geometry.py")
    app.query_params["analysis"] = Analysis(
        question=GeometryQuestion("likelihood", "hand")
    ).to_query()
    app.run()
    app.run()
    assert_fine(app)
    assert app.get("bidi_component") and "Log likelihood −" in said(app)
    assert "maximum" not in said(app) and "138.4696" not in said(app)
    reveal(app)
    assert "below the maximum" in said(app) and "138.4696" in said(app)
