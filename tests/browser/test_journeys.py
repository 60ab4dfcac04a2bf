"""Journeys with real files: the screen shows the library's numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import LinearDiscriminantAnalysis, report
from lincore.metrics import scores
from lincore.model_selection import hold_out
from lincore.model_selection.pipeline import Steps, pipeline_for
from tests.data import DATA, needs_data

pytestmark = pytest.mark.browser


def counts_on_screen(dashboard) -> np.ndarray:
    """Return the numbers printed in the cells of the confusion matrix, true classes as rows."""
    figure = dashboard.figure("classify.confusion")
    cells = next(trace for trace in figure["data"] if trace["type"] == "scatter")
    low, high = figure["layout"]["yaxis"]["range"]
    assert low > high, "the first class stands at the top"
    counts = np.zeros((max(cells["y"]) + 1, max(cells["x"]) + 1), dtype=int)
    for x, y, text in zip(cells["x"], cells["y"], cells["text"], strict=True):
        counts[int(y), int(x)] = int(text.split("<")[0].replace(",", ""))
    return counts


def follow_to_the_figures(dashboard, name: str) -> None:
    """See contour, surface and boundary of the model on screen, and keep their images."""
    contour = dashboard.figure("classify.contour")
    assert any(trace["type"] == "contour" for trace in contour["data"])
    assert dashboard.alternative("classify.contour")
    dashboard.screenshot(f"{name}-contour")
    dashboard.choose("classify.drawing", "Surface")
    surface = dashboard.figure("classify.surface")
    assert {"surface", "scatter3d"} <= {trace["type"] for trace in surface["data"]}
    assert dashboard.scenes("classify.surface") == 1
    dashboard.screenshot(f"{name}-surface")
    dashboard.choose("classify.drawing", "Boundary")
    assert dashboard.figure("classify.boundary")["data"]
    dashboard.screenshot(f"{name}-boundary")
    dashboard.check()


@needs_data
def test_from_the_faces_to_their_confusion_matrix(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", DATA / "faces3_bmp30.zip")
    assert "3,000 images of 30 × 30 pixels in 3 classes" in dashboard.text()
    dashboard.screenshot("faces-data")
    dashboard.unfold("sidebar.split")
    dashboard.choose("sidebar.how", "The last of each class")
    dashboard.slide("sidebar.share", 10)
    dashboard.visit("explore")
    assert "2,700 training images" in dashboard.text()
    dashboard.screenshot("faces-explore")
    dashboard.visit("classify")
    dashboard.element("classify.options").get_by_role("button").first.click()
    dashboard.choose("experiment.pca", "2, as in the faces text")

    faces = lincore.load(DATA / "faces3_bmp30.zip")
    split = lincore.split(faces, "last", test_size=0.1)
    pipeline = pipeline_for(faces, LinearDiscriminantAnalysis(), Steps(n_components=2))
    _, results = hold_out.holdout(faces, pipeline, split, method="LDA")
    assert report.classification_finding(results, "LDA", rows="images") in dashboard.text()
    assert "87.7 %" in dashboard.text()
    np.testing.assert_array_equal(
        counts_on_screen(dashboard), scores.confusion_matrix(results, "LDA")
    )
    follow_to_the_figures(dashboard, "faces")


@needs_data
def test_from_titanic_to_its_confusion_matrix(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", DATA / "csv" / "titanic.csv")
    assert "titanic" in dashboard.text() and "PassengerId" in dashboard.text()
    dashboard.screenshot("titanic-data")
    dashboard.visit("classify")
    dashboard.unfold("sidebar.target.open")
    target = dashboard.element("sidebar.target").get_by_role("combobox")
    assert target.input_value() == "Survived"

    titanic = lincore.load(DATA / "csv" / "titanic.csv", target="Survived")
    pipeline = pipeline_for(titanic, LinearDiscriminantAnalysis())
    _, results = hold_out.holdout(titanic, pipeline, lincore.split(titanic), method="LDA")
    assert report.classification_finding(results, "LDA") in dashboard.text()
    np.testing.assert_array_equal(
        counts_on_screen(dashboard), scores.confusion_matrix(results, "LDA")
    )
    follow_to_the_figures(dashboard, "titanic")


def test_a_broken_file_leaves_the_good_one_in_use(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", ("good.csv", b"x,z,kind\n1,5,a\n2,6,a\n4,7,b\n8,9,b\n"))
    assert "good: 4 rows of 2 features in 2 classes" in dashboard.text()
    dashboard.upload("data.upload", ("broken.zip", b"PK\x03\x04 this is no zip"))
    shown = dashboard.text()
    assert "broken.zip" in shown and "Current data: good" in shown
    dashboard.screenshot("broken-upload")
    dashboard.visit("classify")
    dashboard.visit("data")
    assert "good: 4 rows" in dashboard.text()
    dashboard.check()


def test_digits_travel_as_a_zip_of_images(dashboard):
    dashboard.goto()
    dashboard.press("data.sample.digits")
    name, packed = dashboard.download("data.sheet.zip")
    assert name == "digits.zip"
    dashboard.upload("data.upload", ("again.zip", packed))
    assert "again: 1,797 images of 8 × 8 pixels in 10 classes" in dashboard.text()
    dashboard.visit("classify")
    assert "LDA reaches" in dashboard.text()
    dashboard.check()
