"""The popover Share: link, workspace file, and the runs of a session."""

from __future__ import annotations

from lincore import Analysis
from lincore.analysis import ClassifyQuestion, CompareQuestion, SampleData
from pages.ui.session import runs
from pages.ui.widgets import text
from tests.app.data_page import data_of
from tests.app.session.test_link import asked, link_of
from tests.app.settling import settled
from tests.app.test_pages import assert_fine, main_text, open_app


def opened(page: str):
    app = open_app(page)
    app.session_state["share"] = True
    app.run()
    assert_fine(app)
    return app


def test_the_link_and_the_file_hold_what_is_seen():
    app = opened("pages/classify.py")
    assert app.code[0].value.endswith(f"?analysis={link_of(app)}")


def test_a_workspace_is_opened_on_its_page():
    app = opened("pages/explore.py")
    wanted = Analysis(SampleData("wine"), question=ClassifyQuestion("qda"))
    app.file_uploader[0].upload("analysis.json", wanted.to_json(indent=1).encode()).run()
    assert_fine(app)
    assert data_of(app).name == "wine"
    assert app.selectbox(key="classify.word").value == "qda"


def test_a_file_that_is_no_workspace_is_refused():
    app = opened("pages/classify.py")
    app.file_uploader[0].upload("analysis.json", b'{"schema": 99}').run()
    assert_fine(app)
    assert "version 99" in app.error[0].value
    assert data_of(app).name == "iris"


def test_runs_are_listed_named_compared_and_reopened():
    app = settled(opened("pages/compare.py")).run()
    app.selectbox(key="compare.score").set_value("log loss").run()
    assert len(app.session_state[runs.RUNS]) == 1
    app.selectbox(key="compare.score").set_value("accuracy").run()
    app.selectbox(key="compare.scheme").set_value("5-fold").run()
    app.button(key="compare.run.update").click().run()
    settled(app)
    first, second = app.session_state[runs.RUNS]
    assert first.asked.question.scheme == "holdout"
    assert text.escape(second.finding) == app.header[0].value
    box = app.selectbox(key=runs.KEY)
    box.set_value(0).run()
    app.text_input(key=f"{runs.KEY}.name.0").set_value("before folds").run()
    assert app.session_state[runs.RUNS][0].label.endswith("before folds")
    (table,) = [frame.value for frame in app.dataframe if "this run" in frame.value.columns]
    scheme = table[table["choice or score"] == "question scheme"]
    assert scheme[["this run", "now"]].to_numpy().tolist() == [["", "5-fold"]]
    assert any("accuracy" in name for name in table["choice or score"])
    app.button(key=f"{runs.KEY}.reopen").click().run()
    settled(app)
    assert asked(app).question.scheme == "holdout"
    assert isinstance(asked(app).question, CompareQuestion)
    assert "5 folds" not in main_text(app)
    assert len(app.session_state[runs.RUNS]) == 2
