"""An upload after a reload, in another tab, in another browser, and after it was forgotten."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.server import _compat, browser_data
from tests.app.data_page import FOLDERS, a_table, a_zip, bring, data_of, wait
from tests.app.session.test_link import asked, link_of, open_link
from tests.app.test_pages import ROOT, assert_fine, main_text, open_app

pytestmark = pytest.mark.usefixtures("unfolded")

ONE = "a" * 43
WAS_HERE = "upload it again to continue"


@pytest.fixture
def browser(monkeypatch):
    """Return what makes a browser, or None for one without cookies, the visitor from now on."""
    kept = browser_data.BrowserData()
    monkeypatch.setattr(browser_data, "STORE", kept)

    def visit(token: str | None) -> None:
        cookies = {} if token is None else {browser_data.COOKIE: token}
        monkeypatch.setattr(_compat, "cookies", lambda: cookies)

    visit(ONE)
    return visit


def uploaded() -> AppTest:
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="sidebar.target").set_value("colour").run()
    app.number_input(key="sidebar.test_size").set_value(20.0).run()
    return app.run()


def test_a_link_to_the_upload_as_it_was_uses_the_file_as_it_was(browser):
    app = bring(open_app(), ("good.csv", a_table()))
    former = link_of(app)
    app.selectbox(key="sidebar.target").set_value("colour").run()
    again = open_link({"analysis": former}, "pages/data.py")
    assert data_of(again).target_name == "kind"


def test_a_second_tab_shows_the_last_upload(browser):
    app = uploaded()
    for page in ("pages/start.py", "pages/classify.py"):
        again = open_app(page)
        assert data_of(again).digest == data_of(app).digest
    assert data_of(open_link({"sample": "wine"}, "pages/data.py")).name == "wine"
    bring(app, ("more.csv", a_table(60)))
    assert data_of(open_app()).n_rows == 60
    assert data_of(open_link({"analysis": link_of(app)}, "pages/data.py")).n_rows == 60


def test_images_come_back_without_being_decoded_again(browser):
    app = bring(open_app(), ("pets.zip", a_zip(FOLDERS)))
    wait(app)
    again = open_link({"analysis": link_of(app)}, "pages/data.py")
    assert data_of(again) is data_of(app)


def test_without_cookies_nothing_is_kept(browser):
    browser(None)
    app = uploaded()
    again = open_link({"analysis": link_of(app)}, "pages/data.py")
    assert WAS_HERE in again.header[0].value
    assert browser_data.STORE.get(str(browser_data.browser_of({}))) is None


def test_what_is_to_be_forgotten_is_gone_at_once(browser):
    app = uploaded()
    link = link_of(app)
    app.switch_page("pages/classify.py").run()
    app.switch_page("pages/data.py").run()
    app.button(key="data.forget").click().run()
    assert_fine(app)
    assert data_of(app).name == "iris" and "good" not in main_text(app)
    held = str(app.session_state._state.filtered_state)
    assert "colour" not in held
    assert WAS_HERE in open_link({"analysis": link}, "pages/data.py").header[0].value
    assert data_of(open_app()).name == "iris"
    assert "data.forget" not in [button.key for button in app.button]
    bring(app, ("good.csv", a_table()))
    assert data_of(app).name == "good"


def test_links_and_workspaces_know_nothing_of_the_cookie(browser):
    app = uploaded()
    known = str(browser_data.browser_of({browser_data.COOKIE: ONE}))
    written = json.dumps(link_of(app)) + asked(app).to_json()
    assert ONE not in written and known not in written


def test_the_upload_says_how_long_it_is_kept():
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    assert "for this browser only, until 30 minutes after your visit" in main_text(app)
