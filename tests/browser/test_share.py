"""The workspace in a real browser: saved, opened, a run reopened; reload and the way back."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser


def first_run(dashboard) -> str:
    """Return the label of the run that was computed first."""
    label: str = dashboard.open_list("share.runs")[-1]
    dashboard.page.keyboard.press("Escape")
    return label


def test_choices_are_kept_saved_and_opened_again(dashboard):
    dashboard.goto("classify?sample=wine")
    dashboard.choose("classify.word", "QDA")
    found = dashboard.text()
    dashboard.page.reload()
    dashboard.settle()
    assert dashboard.text().splitlines()[0] == found.splitlines()[0] and "QDA" in found

    dashboard.press("share")
    dashboard.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dashboard.page.locator(".st-key-share-copy button.copy").click()
    dashboard.page.get_by_text("Copied").wait_for()
    assert dashboard.page.evaluate("navigator.clipboard.readText()") == dashboard.page.url
    name, raw = dashboard.download("share.save")
    assert name == "analysis.json"
    assert json.loads(raw)["question"] == {"kind": "classify", "classifier": "qda"}
    dashboard.page.keyboard.press("Escape")
    dashboard.visit("compare")
    dashboard.wait_for_job("compare.run")
    finding = dashboard.text().splitlines()[0]
    dashboard.choose("compare.scheme", "5-fold")
    dashboard.press("compare.run.update")
    dashboard.wait_for_job("compare.run")
    assert dashboard.text().splitlines()[0] != finding

    dashboard.press("share")
    dashboard.choose("share.runs", first_run(dashboard))
    dashboard.press("share.runs.reopen")
    dashboard.wait_for_job("compare.run")
    assert dashboard.text().splitlines()[0] == finding

    dashboard.upload("share.open.0", ("analysis.json", raw))
    assert "/classify" in dashboard.page.url
    assert dashboard.text().splitlines()[0] == found.splitlines()[0]
    # Another page may be two entries of the browser's history: its path, and its link.
    for _ in range(3):
        dashboard.page.wait_for_timeout(2_500)  # sooner it would be a click that was under way
        dashboard.page.go_back()
        dashboard.page.wait_for_timeout(500)
        dashboard.settle()
        if dashboard.text().splitlines()[0] == finding:
            break
    assert dashboard.text().splitlines()[0] == finding
    dashboard.screenshot("share")
    dashboard.check()
