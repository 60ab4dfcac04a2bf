"""Classify as a visitor meets it: fits that can be followed and stopped."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

import lincore
from lincore import metrics
from lincore.analysis import Analysis, ClassifyQuestion, SampleData, SplitChoice
from lincore.model_selection import Steps
from tests.app.data_page import plain
from tests.browser.axe import violations
from tests.data import DATA, needs_data

pytestmark = pytest.mark.browser


@pytest.mark.long
@needs_data
def test_the_faces_text_from_its_boundaries_to_an_oscillating_rate(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", DATA / "faces3_bmp30.zip")
    # Images are decoded while one may go elsewhere: here we wait for them.
    dashboard.page.get_by_text("3,000 images of 30 × 30 pixels").first.wait_for()
    dashboard.settle()
    dashboard.open_popover("chips.split")
    dashboard.choose("sidebar.how", "The last of each class")
    dashboard.enter("sidebar.test_size", 10)
    dashboard.visit("classify")
    dashboard.open_popover("chips.steps")
    dashboard.choose("experiment.n_components.kind", "2, as in the faces text")
    dashboard.close_popover()
    dashboard.choose("classify.classifier", "Logistic regression")
    dashboard.element("classify.options").get_by_role("button").first.click()
    dashboard.choose("experiment.logistic.C.kind", "maximum likelihood")
    dashboard.choose("experiment.logistic.solver", "Newton (reweighted least squares)")
    dashboard.choose("classify.plane.drawing", "Boundary")
    dashboard.open_tab("classify.panels", "Convergence")

    faces = lincore.load(DATA / "faces3_bmp30.zip")
    line, steps = "logistic(C=inf, solver=newton)", Steps(n_components=2)
    split = lincore.split(faces, "last", test_size=0.1)
    fitted = lincore.fit(faces, line, split, steps=steps)
    model = fitted.classifier
    accuracy = metrics.score(fitted.results, fitted.name, "accuracy").value
    assert f"Logistic regression reaches an accuracy of {100 * accuracy:.1f} %" in dashboard.text()
    assert f"{model.log_loss_:.4f} nats" in dashboard.text()
    fall = dashboard.figure("classify.convergence.figure")["data"][0]["y"]
    np.testing.assert_allclose(fall, [step.objective for step in model.trace_], rtol=1e-6)

    dashboard.press("classify.solvers.start")
    dashboard.element("classify.solvers.found.table").wait_for()
    dashboard.settle()
    table = {row[0]: row for row in dashboard.table("classify.solvers.found.table")[1:]}
    assert table["Gradient, rate 0.002"][-1] == "the gradient reached the tolerance"
    assert table["Gradient, rate 0.02"][-1] == "the training loss keeps rising and falling"
    assert float(table["Newton"][1]) == pytest.approx(model.log_loss_, abs=1e-4)
    dashboard.screenshot("faces-convergence")

    # The number of the text, 964, is one of those that a random split of 900 and 100 gives.
    dashboard.open_popover("chips.split")
    dashboard.choose("sidebar.how", "At random, by class")
    dashboard.enter("sidebar.seed", 3)
    split = lincore.split(faces, "stratified", test_size=0.1, seed=3)
    np.testing.assert_array_equal(np.bincount(faces.codes[split.train]), 900)
    error = lincore.fit(faces, line, split, steps=steps).classifier.log_loss_
    assert 957 < error < 1047
    expect(dashboard.element("classify.panels")).to_contain_text(f"{error:.4f} nats")
    dashboard.check()


def test_a_long_fit_is_stopped_and_one_goes_on(dashboard):
    dashboard.goto("classify?sample=digits")
    dashboard.choose("classify.classifier", "Logistic regression")
    dashboard.element("classify.options").get_by_role("button").first.click()
    dashboard.unfold("experiment.logistic.rest")
    dashboard.choose("experiment.logistic.max_iter.kind", "a number")
    dashboard.enter("experiment.logistic.max_iter", 1_000_000)
    dashboard.choose("experiment.logistic.solver", "Gradient descent, fixed rate")
    stop = dashboard.element("classify.fit.stop").get_by_role("button")
    stop.wait_for()
    assert not violations(dashboard.page), "while it is fitted"
    stop.click()
    dashboard.element("classify.fit.restart").wait_for()
    dashboard.settle()
    assert "it was cancelled" in dashboard.text()
    assert "Logistic regression reaches" in dashboard.text()
    dashboard.visit("data")
    dashboard.visit("classify")
    assert "it was cancelled" in dashboard.text(), "what there was is kept"
    dashboard.choose("classify.classifier", "Perceptron")
    dashboard.settle()
    assert "Perceptron reaches" in dashboard.text()
    dashboard.check()


@pytest.mark.parametrize(("tab", "is_first"), [("What was learned", False), ("Scores", True)])
def test_a_link_arrives_at_the_tab_that_it_opens(dashboard, tab, is_first):
    wanted = Analysis(
        SampleData("prml chapter 4"),
        SplitChoice("given", 0.0),
        question=ClassifyQuestion("lda"),
        view={"classify.panels": tab},
    )
    dashboard.goto(f"classify?analysis={wanted.to_query()}")
    headline = dashboard.page.get_by_role("heading", level=2).first
    if is_first:  # nothing is beyond the tabs that are there anyway
        expect(headline).to_be_in_viewport()
        return
    expect(dashboard.page.get_by_text("Log likelihood")).to_be_in_viewport(timeout=30_000)
    expect(headline).not_to_be_in_viewport()
    expect(dashboard.element("classify.learned.ratio.table")).to_be_in_viewport(ratio=1)
    # Whoever scrolls back stays there.
    dashboard.page.mouse.move(900, 450)
    dashboard.page.mouse.wheel(0, -5_000)
    dashboard.page.wait_for_timeout(500)
    expect(headline).to_be_in_viewport()


def test_a_click_on_the_roc_curve_decides_there(dashboard):
    view = {"classify.panels": "Operating point"}
    asked = Analysis(SampleData("passengers"), question=ClassifyQuestion("lda"), view=view)
    dashboard.goto(f"classify?analysis={asked.to_query()}")
    dashboard.page.set_viewport_size({"width": 1440, "height": 2400})
    dashboard.settle()
    data = lincore.sample("passengers")
    model = lincore.fit(data, "lda", lincore.split(data))
    # Where the nearest points of the curve are far away: markers may be neighbours of a pixel.
    curve = metrics.roc_curve(model.results, model.name)[1]
    steps = np.hypot(np.diff(curve.recall), np.diff(curve.false_positive_rate))
    place = 1 + int(np.minimum(steps[1:], steps[:-1]).argmax())
    dashboard.click_row("classify.operating.roc", place)
    threshold = model.operating_point().threshold_of("roc", place)
    found = model.operating_point(threshold=threshold).finding()
    dashboard.settle()
    assert plain(found) in plain(dashboard.text())
