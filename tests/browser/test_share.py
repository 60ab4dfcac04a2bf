"""The workspace in a real browser: saved, opened, a run reopened; models and scripts."""

from __future__ import annotations

import json
import re
import zipfile
from contextlib import redirect_stdout
from io import BytesIO, StringIO

import pytest

import lincore
from lincore.export import load_model

pytestmark = pytest.mark.browser


def test_choices_are_kept_saved_and_opened_again(dashboard):
    dashboard.goto("classify?sample=wine")
    dashboard.choose("classify.classifier", "QDA")
    found = dashboard.headline()
    dashboard.page.reload()
    dashboard.settle()
    assert dashboard.headline() == found and "QDA" in found

    dashboard.press("share")
    dashboard.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dashboard.page.locator(".st-key-share-copy button.copy").click()
    dashboard.page.get_by_text("Copied").wait_for()
    assert dashboard.page.evaluate("navigator.clipboard.readText()") == dashboard.page.url
    name, raw = dashboard.download("share.save")
    assert name == "analysis.json"
    assert json.loads(raw)["question"] == {"kind": "classify", "classifier": "qda"}
    dashboard.close_popover()
    dashboard.visit("compare")
    dashboard.wait_for_job("compare.run")
    finding = dashboard.headline()
    dashboard.choose("compare.scheme", "5-fold")
    dashboard.press("compare.run.update")
    dashboard.wait_for_job("compare.run")
    assert dashboard.headline() != finding

    dashboard.press("share")
    dashboard.upload("share.open.0", ("analysis.json", raw))
    assert "/classify" in dashboard.page.url
    assert dashboard.headline() == found
    dashboard.check()


def test_the_model_and_the_script_of_a_page_are_taken_away(dashboard, tmp_path, monkeypatch):
    dashboard.goto("classify?sample=iris")
    dashboard.press("classify.export")
    name, stored = dashboard.download("classify.export.file")
    model, card = load_model(stored)
    rows = lincore.sample("iris").to_frame().iloc[:, :-1]
    assert name == "iris LDA.zip" and card.trained_on["rows"] == 105
    _, code = dashboard.download("classify.export.py")
    names = {}
    exec(code.decode(), names)
    assert names["predict"](rows) == model.predict(rows).tolist()
    dashboard.close_popover()
    dashboard.press("take")
    name, script = dashboard.download("take.py")
    assert name.endswith(".py")
    with redirect_stdout(StringIO()) as printed:
        exec(compile(script, name, "exec"), {"__name__": "__main__"})
    assert dashboard.headline() in printed.getvalue()
    dashboard.switch("take.plain")
    name, files = dashboard.download("take.sklearn.zip")
    archive = zipfile.ZipFile(BytesIO(files))
    assert name == "iris classify.sklearn.zip" and archive.namelist() == ["scores.py", "rows.csv"]
    archive.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    script = archive.read("scores.py").decode()
    with redirect_stdout(StringIO()) as printed:
        exec(compile(script, name, "exec"), {})
    assert "import lincore" not in script
    assert "LDA: accuracy 1.0000\nbalanced accuracy 1.0000\nlog loss 0.0147" in printed.getvalue()
    dashboard.check()


def test_a_report_has_the_displays_that_were_chosen(dashboard):
    dashboard.goto("classify?sample=iris")
    dashboard.open_tab("classify.panels", "What was learned")
    dashboard.press("take")
    dashboard.switch("take.choose")
    dashboard.page.get_by_role("button", name="Clear all").click()
    dashboard.settle()
    dashboard.choose("take.displays", "Confusion of LDA")
    dashboard.screenshot("report-choice")
    _, page = dashboard.download("take.html")
    headings = re.findall("<h2>(.*?)</h2>", page.decode())
    assert headings == ["Data", "Confusion of LDA", "Methods", "Settings", "Script"]
    dashboard.check()
