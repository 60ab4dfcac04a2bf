"""From the start view to a sample, and back to it after the page was loaded again."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_a_sample_is_tried_and_kept_by_a_reload_and_the_back_button_leads_back(dashboard):
    dashboard.goto("")
    assert "Upload a file" in dashboard.text()
    dashboard.press("start.sample.passengers")
    assert "passengers: 900 rows" in dashboard.text()
    dashboard.open_popover("chips.split")
    dashboard.enter("sidebar.test_size", 20)
    dashboard.visit("explore")
    dashboard.page.reload()
    dashboard.settle()
    chips = dashboard.text()
    assert "passengers" in chips and "20 % test set, by class" in chips
    dashboard.check()
    for _ in range(8):
        dashboard.page.go_back()
        dashboard.settle()
        if dashboard.element("start.upload").count():
            break
    assert "Try a sample" in dashboard.text(), "no page holds a visitor who goes back"
    dashboard.check()
