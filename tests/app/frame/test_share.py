"""The popover Share: link, workspace file, and the runs of a session."""

from __future__ import annotations

from lincore import Analysis
from lincore.analysis import ClassifyQuestion, SampleData
from tests.app.data_page import data_of
from tests.app.session.test_link import link_of
from tests.app.test_pages import assert_fine, open_app


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
    assert app.selectbox(key="classify.classifier").value == "qda"


def test_a_file_that_is_no_workspace_is_refused():
    app = opened("pages/classify.py")
    app.file_uploader[0].upload("analysis.json", b'{"schema": 99}').run()
    assert_fine(app)
    assert "version 99" in app.error[0].value
    assert data_of(app).name == "iris"
