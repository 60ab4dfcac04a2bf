"""Whole names of shortened ones, and the focus of the keyboard."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
NAMES = [f"department of internal medicine of the regional hospital: ward {i}" for i in (1, 2)]
FOCUSED = "document.activeElement.closest(\"[data-testid='stPopoverBody']\") !== null"


def test_shortened_names_have_tooltips_and_tab_leads_into_a_popover(dashboard):
    rows = [f"{i % 7},{i * i % 11},{NAMES[i % 2]}" for i in range(60)]
    table = "\n".join(["one,two,unit", *rows]).encode()
    dashboard.goto("data", width=700)
    dashboard.upload("data.upload", ("units.csv", table))
    dashboard.open_sidebar()
    dashboard.page.locator('[data-testid="stSidebarNavLink"][href$="/classify"]').click()
    # In a narrow window the menu lies over the page.
    dashboard.page.get_by_test_id("stExpandSidebarButton").wait_for()
    dashboard.settle()
    heading = dashboard.page.locator("h2").first
    assert "…" in heading.inner_text()
    heading.hover()
    assert sorted(heading.get_attribute("title").split("\n")) == NAMES
    matrix = dashboard.element("classify.confusion")
    label = matrix.locator(".ytick text").first
    label.scroll_into_view_if_needed()
    box = label.bounding_box()
    dashboard.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert matrix.locator(".js-plotly-plot").get_attribute("title") == NAMES[0]
    opener = dashboard.element("chips.steps").get_by_role("button").first
    opener.focus()
    opener.press("Enter")
    dashboard.page.wait_for_function(FOCUSED)
    dashboard.settle()  # it is filled when it is opened
    dashboard.page.keyboard.press("Tab")
    assert dashboard.page.evaluate(FOCUSED)
    dashboard.close_popover()
    dashboard.check()
