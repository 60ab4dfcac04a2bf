"""Every page opens, draws, stays quiet and is accessible: wide and light, narrow and dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.axe import COLOURS, LEVELS, assert_accessible, violations
from tests.browser.dashboard import Dashboard

APP = Path(__file__).parents[2] / "app.py"
DRAWN = ".js-plotly-plot .main-svg, canvas, img, table"


def pages() -> list[str]:
    """Return the URL paths of the pages that app.py lists; the first has none."""
    names = re.findall(r'st\.Page\(\s*"pages/(\w+)\.py"', APP.read_text())
    return ["", *names[1:]]


def test_a_visitor_walks_through_all_pages(dashboard: Dashboard) -> None:
    dashboard.goto("")
    assert dashboard.pages() == pages(), "every page of the navigation is looked at"
    for page in pages()[::-1]:
        dashboard.visit(page)
        # Without the settings that the link keeps.
        address = dashboard.page.url.partition("?")[0]
        assert address.removesuffix("/") == f"{dashboard.address}/{page}".removesuffix("/")
        dashboard.page.get_by_test_id("stMain").locator(DRAWN).first.wait_for()
        unfold_all(dashboard)
        for theme, rules in (("dark", COLOURS), ("light", LEVELS)):
            dashboard.page.emulate_media(color_scheme=theme)
            dashboard.settle()
            assert_accessible(dashboard.page, rules)
        dashboard.check()
    # So that a page without violations means something.
    dashboard.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<button></button>')")
    assert {found.rule for found in violations(dashboard.page)} == {"button-name"}


@pytest.mark.long
@pytest.mark.parametrize("page", pages())
@pytest.mark.parametrize(
    ("width", "dark"), [(1440, False), (390, True)], ids=["1440-light", "390-dark"]
)
def test_every_page_is_the_first_one(
    dashboard: Dashboard, width: int, dark: bool, page: str
) -> None:
    dashboard.goto(page, dark=dark, width=width)
    assert_accessible(dashboard.page)
    name = f"{page or 'first'}-{width}-{'dark' if dark else 'light'}"
    dashboard.screenshot(name)
    dashboard.page.get_by_test_id("stMain").locator(DRAWN).first.wait_for()
    dashboard.check()
    if dark and page == "explore":
        for view in ("Scatter", "Correlations", "Summary", "PCA and Fisher"):
            dashboard.choose("explore.view", view)
            assert_accessible(dashboard.page)
    if dark and page in ("explore", "classify"):
        what_stands_in_tabs_is_accessible_too(dashboard, page)


def what_stands_in_tabs_is_accessible_too(dashboard: Dashboard, page: str) -> None:
    tabs = dashboard.page.locator(f'[class*="st-key-{page}-panels"]').first.get_by_role("tab")
    assert tabs.count() > 1
    for number in range(tabs.count()):
        tabs.nth(number).click()
        dashboard.settle()
        unfold_all(dashboard)
        assert_accessible(dashboard.page)
    dashboard.check()


def unfold_all(dashboard: Dashboard) -> None:
    for summary in dashboard.page.get_by_test_id("stMain").locator("summary").all():
        if summary.evaluate("summary => !summary.parentElement.open"):
            summary.click()
    dashboard.settle()
