"""A comparison on the screen, and one that is stopped half-way."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import metrics, report
from lincore.model_selection import CLASSIFIER_LABELS
from tests.data import DATA, needs_data

pytestmark = pytest.mark.browser

SOLVED = ["lda", "qda", "naive-bayes", "fisher", "least-squares"]


def assert_the_librarys(dashboard, results, score: str = "accuracy") -> None:
    """Compare the sentence, the figure and the table on the screen with results, best first."""
    assert report.comparison_finding(results) in dashboard.text()
    assert results.pairwise().scope() in dashboard.text()
    drawn = dashboard.figure("compare.figure")["data"][0]["x"]
    decides = [metrics.score(results, name, score).value for name in results.methods]
    np.testing.assert_allclose(drawn, decides, rtol=1e-6)
    right = [metrics.score(results, name, "accuracy") for name in results.methods]
    header, *lines = dashboard.table("compare.table")
    place = header.index("accuracy (%)")
    shown = {line[header.index("model")]: line[place] for line in lines}
    assert shown == {
        CLASSIFIER_LABELS[name]: report.format_score(found, "accuracy").replace(" %", "")
        for name, found in zip(results.methods, right, strict=True)
    }


@pytest.mark.long
@needs_data
def test_a_stop_half_way_keeps_the_finished_models(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", DATA / "csv" / "titanic.csv")
    dashboard.visit("compare")
    dashboard.element("compare.table").wait_for()
    dashboard.element("compare.models").get_by_role("button").first.click()
    dashboard.choose("compare.methods", "Perceptron")
    dashboard.choose("compare.methods", "One versus one")
    dashboard.choose("compare.scheme", "10-fold, 10 times")
    assert "Settings have changed" in dashboard.text()
    dashboard.press("compare.run.update")
    dashboard.element("compare.run.live").wait_for()  # the models that are solved are finished
    assert "An outdated result" in dashboard.text()
    assert len(dashboard.table("compare.table")) == 1 + len(SOLVED) + 1, "with all its models"
    dashboard.press("compare.run.stop")
    dashboard.wait_for_job("compare.run")
    shown = dashboard.text()
    assert "what was finished is kept" in shown and "Settings have changed" not in shown

    titanic = lincore.load(DATA / "csv" / "titanic.csv", target="Survived")
    listed = [line[0] for line in dashboard.table("compare.table")[1:]]
    finished = [name for name, label in CLASSIFIER_LABELS.items() if label in listed]
    assert finished and "one-vs-one" not in finished
    results = metrics.rank_methods(lincore.compare(titanic, finished, "10x10-fold"))
    assert_the_librarys(dashboard, results)
    dashboard.check()
