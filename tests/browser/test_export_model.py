"""The model of the page Classify, downloaded by a browser, predicts what the page says."""

from __future__ import annotations

import json

import pytest

import lincore
from lincore.export import load_model

pytestmark = pytest.mark.browser


def test_the_downloaded_model_predicts(dashboard):
    dashboard.goto("classify")
    dashboard.press("classify.export")
    name, stored = dashboard.download("classify.export.file")
    model, card = load_model(stored)
    iris = lincore.sample("iris")
    rows = iris.to_frame().iloc[:, :-1]
    assert name == "iris LDA.zip" and card.trained_on["rows"] == 105
    _, code = dashboard.download("classify.export.py")
    names = {}
    exec(code.decode(), names)
    assert names["predict"](rows) == model.predict(rows).tolist()
    _, document = dashboard.download("classify.export.json")
    assert json.loads(document)["classes"] == iris.classes.tolist()
    dashboard.screenshot("export-model")
    dashboard.check()
