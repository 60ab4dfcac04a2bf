"""Compare and Balance after Classify: the numbers of a visitor who opens them first.

Long, for tests/app/session/test_pages_agree.py compares every page after every other one.
"""

from __future__ import annotations

import numpy as np
import pytest

#: Six numbers and a rare class: all of them matter, none of them most.
RNG = np.random.default_rng(8)
NUMBERS = RNG.normal(size=(400, 6)).round(2)
RARE = NUMBERS.sum(axis=1) + RNG.normal(size=400) > 3
TABLE = "\n".join(
    [
        "a,b,c,d,e,f,kind",
        *(
            f"{','.join(map(str, row))},{'rare' if rare else 'common'}"
            for row, rare in zip(NUMBERS, RARE, strict=True)
        ),
    ]
).encode()


def headline(dashboard, page: str, *jobs: str) -> str:
    """Go to a page, wait for its work, and return what leads it; nothing on it is outdated."""
    dashboard.visit(page)
    for job in jobs:
        dashboard.wait_for_job(job)
    shown = dashboard.text()
    assert "Settings have changed" not in shown and "outdated" not in shown
    return dashboard.headline()


def compared(dashboard) -> str:
    found = headline(dashboard, "compare", "compare.run")
    dashboard.open_popover("chips.steps")
    chosen = dashboard.element("experiment.n_components.kind").locator("[data-selected]")
    assert chosen.inner_text().strip() == "None", "no principal components"
    assert dashboard.element("experiment.standardize").locator("input").is_checked()
    dashboard.close_popover()
    return found


@pytest.mark.long
def test_compare_and_balance_after_classify_are_as_at_once(dashboard):
    # One visitor opens Compare first, the other one Classify: what either changed would be seen.
    dashboard.goto()
    dashboard.upload("data.upload", ("kinds.csv", TABLE))
    direct = compared(dashboard), headline(dashboard, "balance", "balance.cost")
    dashboard.goto()
    dashboard.upload("data.upload", ("kinds.csv", TABLE))
    headline(dashboard, "classify", "classify.fit")
    assert headline(dashboard, "balance", "balance.cost") == direct[1]
    assert compared(dashboard) == direct[0]
    dashboard.open_popover("chips.steps")
    dashboard.switch("experiment.standardize", False)
    dashboard.close_popover()
    headline(dashboard, "classify", "classify.fit")
    dashboard.open_popover("chips.steps")
    assert not dashboard.element("experiment.standardize").locator("input").is_checked()
    dashboard.check()
