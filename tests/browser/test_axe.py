"""No violation of level A or AA on any page: wide and narrow, light and dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.axe import violations
from tests.browser.dashboard import Dashboard

ROOT = Path(__file__).parents[2]


def pages() -> list[str]:
    """Return the URL paths of the pages that app.py lists; the first has none."""
    names = re.findall(r'st\.Page\(\s*"pages/(\w+)\.py"', (ROOT / "app.py").read_text())
    return ["", *names[1:]]


def assert_accessible(dashboard: Dashboard) -> None:
    found = violations(dashboard.page)
    assert not found, "\n" + "\n".join(map(str, found))


@pytest.mark.parametrize("page", pages())
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_page_is_accessible(dashboard: Dashboard, page: str, dark: bool) -> None:
    for width in (1440, 390):
        dashboard.goto(page, dark=dark, width=width)
        assert_accessible(dashboard)


def test_what_is_folded_away_is_accessible_too(dashboard: Dashboard) -> None:
    for page in pages():
        dashboard.goto(page)
        for summary in dashboard.page.get_by_test_id("stMain").locator("summary").all():
            summary.click()
        dashboard.settle()
        assert_accessible(dashboard)


@pytest.mark.parametrize("page", ["explore", "classify"])
def test_what_stands_in_tabs_is_accessible_too(dashboard: Dashboard, page: str) -> None:
    dashboard.goto(page, dark=True, width=390)
    tabs = dashboard.page.locator(f'[class*="st-key-{page}-panels"]').first.get_by_role("tab")
    for number in range(tabs.count()):
        tabs.nth(number).click()
        dashboard.settle()
        for summary in dashboard.page.get_by_test_id("stMain").locator("summary").all():
            if summary.evaluate("summary => !summary.parentElement.open"):
                summary.click()
        dashboard.settle()
        assert_accessible(dashboard)


def test_axe_really_looks(dashboard: Dashboard) -> None:
    dashboard.goto()
    dashboard.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<button></button>')")
    assert {found.rule for found in violations(dashboard.page)} == {"button-name"}


def test_every_page_of_the_navigation_is_looked_at(dashboard: Dashboard) -> None:
    dashboard.goto()
    assert dashboard.pages() == pages()
