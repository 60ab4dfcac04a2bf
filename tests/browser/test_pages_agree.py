"""Compare and Balance after Classify: the numbers of a visitor who opens them first."""

from __future__ import annotations

import numpy as np

#: Six categories and a class of one row in eight: all features matter, none of them most.
RNG = np.random.default_rng(8)
CODES = RNG.integers(0, 3, (400, 6))
RARE = CODES.sum(axis=1) >= 8
TABLE = "\n".join(
    [
        "a,b,c,d,e,f,kind",
        *(
            f"{','.join('xyz'[i] for i in row)},{'rare' if rare else 'common'}"
            for row, rare in zip(CODES, RARE, strict=True)
        ),
    ]
).encode()


def headline(dashboard, page: str, *jobs: str) -> str:
    """Go to a page, wait for its work, and return what leads it; nothing on it is outdated."""
    dashboard.visit(page)
    dashboard.element("checks").wait_for(state="attached")
    for job in jobs:
        dashboard.wait_for_job(job)
    shown = dashboard.text()
    assert "Settings have changed" not in shown and "outdated" not in shown
    return str(dashboard.page.get_by_test_id("stMain").get_by_role("heading").first.inner_text())


def compared(dashboard) -> str:
    found = headline(dashboard, "compare", "compare.run")
    dashboard.press("compare.options")
    chosen = dashboard.element("experiment.pca").locator("[data-selected]")
    assert chosen.inner_text().strip() == "None", "no principal components"
    dashboard.page.keyboard.press("Escape")
    return found


def test_compare_and_balance_after_classify_are_as_at_once(dashboard):
    direct = []
    for page in (compared, lambda one: headline(one, "balance", "balance.cost")):
        dashboard.goto()
        dashboard.upload("data.upload", ("kinds.csv", TABLE))
        direct.append(page(dashboard))
    dashboard.goto()
    dashboard.upload("data.upload", ("kinds.csv", TABLE))
    headline(dashboard, "classify", "classify.fit")
    assert compared(dashboard) == direct[0]
    assert headline(dashboard, "balance", "balance.cost") == direct[1]
    assert compared(dashboard) == direct[0]
    dashboard.check()
