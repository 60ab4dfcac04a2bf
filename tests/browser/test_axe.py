"""axe-core finds planted violations, so that a clean page means something."""

from __future__ import annotations

from tests.browser.axe import violations
from tests.browser.dashboard import Dashboard


def test_axe_really_looks(dashboard: Dashboard) -> None:
    dashboard.goto()
    dashboard.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<button></button>')")
    assert {found.rule for found in violations(dashboard.page)} == {"button-name"}
