"""An upload after a reload and in a second tab, in another browser, and after it was forgotten."""

from __future__ import annotations

from pages.ui.server.browser_data import COOKIE
from tests.app.data_page import a_table
from tests.browser.conftest import LOG

WAS_HERE = ": upload it again to continue"


def test_a_reload_and_a_second_tab_keep_the_upload_until_it_is_to_be_forgotten(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", ("mine.csv", a_table()))
    # Another browser has to bring the file, and goes on with it.
    dashboard.goto(dashboard.page.url.removeprefix(f"{dashboard.address}/"))
    assert WAS_HERE in dashboard.text()
    dashboard.check()
    dashboard.upload("again.upload", ("mine.csv", a_table()))
    dashboard.choose("data.target", "colour")
    assert "in 3 classes" in dashboard.text()
    dashboard.reload()
    assert "mine: 40 rows" in dashboard.text() and "in 3 classes" in dashboard.text()
    (cookie,) = [one for one in dashboard.page.context.cookies() if one["name"] == COOKIE]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["expires"] == -1
    assert COOKIE not in dashboard.page.evaluate("document.cookie")
    link = dashboard.page.url
    assert cookie["value"] not in link and cookie["value"] not in LOG.read_text(errors="replace")

    dashboard.open_tab_of_its_own()
    assert "mine: 40 rows" in dashboard.text() and "in 3 classes" in dashboard.text()
    dashboard.press("data.forget")
    assert "mine" not in dashboard.text()
    dashboard.page.goto(link)
    dashboard.settle()
    assert WAS_HERE in dashboard.text()
    dashboard.open_tab_of_its_own()
    assert "mine" not in dashboard.text() and WAS_HERE not in dashboard.text()
