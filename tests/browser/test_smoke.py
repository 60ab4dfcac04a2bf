"""Every page opens, draws and stays quiet: wide and narrow, light and dark."""

import pytest

from tests.browser.dashboard import Dashboard

DRAWN = ".js-plotly-plot .main-svg, canvas, img, table"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_every_page_opens(dashboard: Dashboard, width: int, dark: bool) -> None:
    dashboard.goto(dark=dark, width=width)
    for page in dashboard.pages():
        dashboard.goto(page, dark=dark, width=width)
        name = f"{page or 'first'}-{width}-{'dark' if dark else 'light'}"
        dashboard.screenshot(name)
        assert dashboard.page.get_by_test_id("stMain").locator(DRAWN).count(), f"{name} is empty"
        dashboard.check()


def test_the_visitor_keeps_the_session_from_page_to_page(dashboard: Dashboard) -> None:
    dashboard.goto()
    for page in dashboard.pages()[::-1]:
        dashboard.visit(page)
        assert dashboard.page.url.removesuffix("/") == f"{dashboard.address}/{page}".removesuffix(
            "/"
        )
        dashboard.check()
