"""Widgets show what the page computes: after quick clicks, on another page, after a link, a job."""

from __future__ import annotations

import pytest

#: What each page says of a test set of 55 % of the wines, and the last of its jobs.
SAID = {
    "data": ("", ""),
    "explore": ("81 training rows", ""),
    "classify": ("97 test rows", ""),
    "compare": ("97 test rows", "compare.run"),
    "balance": ("97 test rows", "balance.study"),
    "predict": ("97 test rows", ""),
}


@pytest.mark.parametrize("page", SAID)
def test_the_test_set_after_quick_clicks_another_page_and_a_reload(dashboard, page):
    said, job = SAID[page]

    def check() -> None:
        if job:
            dashboard.wait_for_job(job)
        sidebar = dashboard.page.get_by_test_id("stSidebar").inner_text().replace("\xa0", " ")
        assert "81 training and 97 test rows." in sidebar and "55 % test set, by class." in sidebar
        assert said in dashboard.text()
        dashboard.open_popover("chips.split")
        assert dashboard.number("sidebar.test_size") == 55

    dashboard.goto(f"{page}?sample=wine")
    if page == "explore":
        dashboard.press("explore.options")
        dashboard.choose("explore.rows.rows", "Training")
    dashboard.open_popover("chips.split")
    dashboard.click_quickly("sidebar.test_size")
    dashboard.close_popover()
    if page == "compare":  # which is asked for anew at a click
        dashboard.press("compare.run.update")
    check()
    dashboard.press("share")  # stays open until the link to the other page is clicked
    dashboard.visit("explore" if page == "data" else "data")
    dashboard.visit(page)
    check()
    dashboard.reload()
    check()
    dashboard.check()


def test_a_score_after_quick_clicks_another_page_and_a_reload(dashboard):
    dashboard.goto("compare?sample=iris")
    dashboard.element("compare.table").wait_for()
    dashboard.press("compare.options")
    dashboard.click_quickly("compare.rope.points")
    assert dashboard.number("compare.rope.points") == 3.5
    assert "Shaded: at most 3.5 points apart" in dashboard.text()
    dashboard.visit("classify")
    dashboard.visit("compare")
    dashboard.press("compare.options")
    assert dashboard.number("compare.rope.points") == 3.5
    assert "Shaded: at most 3.5 points apart" in dashboard.text()
    dashboard.reload()
    assert "Shaded: at most 3.5 points apart" in dashboard.text()
    dashboard.check()


def test_components_and_a_classifier_after_quick_clicks_another_page_and_a_reload(dashboard):
    components = "experiment.n_components"
    dashboard.goto("classify?sample=wine")
    dashboard.open_popover("chips.steps")
    dashboard.choose(f"{components}.kind", "a number")
    assert dashboard.number(components) == 13
    dashboard.click_quickly(components, "Down")
    dashboard.close_popover()
    said = "8 principal components of the 13 features"
    assert said in dashboard.text()
    dashboard.visit("compare")
    assert said in dashboard.text()
    dashboard.visit("classify")
    assert said in dashboard.text()
    dashboard.reload()
    assert said in dashboard.text()
    dashboard.open_popover("chips.steps")
    assert dashboard.number(components) == 8
    dashboard.close_popover()
    dashboard.choose("classify.classifier", "QDA")
    dashboard.visit("predict")
    assert dashboard.chosen("classify.classifier") == "QDA"
    dashboard.check()


def test_splits_of_balance_after_quick_clicks_another_page_and_a_reload(dashboard):
    dashboard.goto("balance?sample=gaussian")
    dashboard.wait_for_job("balance.cost")
    dashboard.press("balance.options")
    dashboard.click_quickly("balance.repeats", "Down")
    assert dashboard.number("balance.repeats") == 15
    dashboard.wait_for_job("balance.cost")
    assert "Means of 15 splits" in dashboard.text()
    dashboard.visit("explore")
    dashboard.visit("balance")
    dashboard.wait_for_job("balance.cost")
    assert "Means of 15 splits" in dashboard.text()
    dashboard.reload()
    dashboard.wait_for_job("balance.cost")
    dashboard.press("balance.options")
    assert dashboard.number("balance.repeats") == 15
    assert "Means of 15 splits" in dashboard.text()
    dashboard.check()


def test_views_of_explore_and_experiments_of_geometry_after_quick_clicks(dashboard):
    dashboard.goto("explore?sample=iris")
    view = dashboard.element("explore.view")
    for name in ("Scatter", "Correlations", "Summary", "Columns", "Correlations"):
        # The row moves when a headline takes another line, and a click may land beside it.
        while view.locator("[data-selected]").inner_text().strip() != name:
            view.get_by_text(name, exact=True).click(no_wait_after=True)
    dashboard.settle()
    assert view.locator("[data-selected]").inner_text().strip() == "Correlations"
    assert dashboard.figure("explore.correlations.figure")["data"][0]["type"] == "heatmap"
    dashboard.visit("geometry")
    following = dashboard.element("geometry.next").get_by_role("button")
    for _ in range(3):
        following.click(no_wait_after=True)
        dashboard.settle()
    title = dashboard.page.get_by_test_id("stMain").get_by_role("heading").first.inner_text()
    assert dashboard.chosen("geometry.experiment") == f"4  {title}"
    dashboard.check()
