"""From a file to a model and its comparison: the screen shows the library's numbers."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import metrics, report
from lincore.inspection import confusion_cell
from lincore.metrics import leading_score
from lincore.model_selection import CLASSIFIER_LABELS

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


def counts_on_screen(dashboard) -> np.ndarray:
    """Return the numbers printed in the cells of the confusion matrix, true classes as rows."""
    figure = dashboard.figure("classify.confusion")
    cells = next(trace for trace in figure["data"] if "customdata" in trace)
    low, high = figure["layout"]["yaxis"]["range"]
    assert low > high, "the first class stands at the top"
    counts = np.zeros((max(cells["y"]) + 1, max(cells["x"]) + 1), dtype=int)
    for x, y, text in zip(cells["x"], cells["y"], cells["text"], strict=True):
        counts[int(y), int(x)] = int(text.split("<")[0].replace(",", ""))
    return counts


def follow_to_the_figures(dashboard) -> None:
    """See contour, surface and boundary of the model on screen."""
    contour = dashboard.figure("classify.plane.contour.figure")
    assert any(trace["type"] == "contour" for trace in contour["data"])
    assert dashboard.alternative("classify.plane.contour.figure")
    dashboard.choose("classify.plane.drawing", "Surface")
    surface = dashboard.figure("classify.plane.surface.figure")
    assert {"surface", "scatter3d"} <= {trace["type"] for trace in surface["data"]}
    assert dashboard.scenes("classify.plane.surface.figure") == 1
    dashboard.choose("classify.plane.drawing", "Boundary")
    assert dashboard.figure("classify.plane.boundary.figure")["data"]
    dashboard.check()


def test_from_a_table_to_its_confusion_matrix_and_the_comparison(dashboard, tmp_path):
    path = tmp_path / "boat.csv"
    lincore.sample("passengers").to_frame().to_csv(path, index=False)
    boat = lincore.load(path, target="survived")
    dashboard.goto()
    dashboard.upload("data.upload", ("broken.zip", b"PK\x03\x04 this is no zip"))
    assert "broken.zip" in dashboard.text() and "Current data: iris" in dashboard.text()
    dashboard.upload("data.upload", path)
    assert f"boat: 900 rows of {boat.n_features} features in 2 classes" in dashboard.text()
    dashboard.visit("classify")
    dashboard.open_popover("chips.target")
    target = dashboard.element("sidebar.target").get_by_role("combobox")
    assert target.input_value() == "survived"
    results = lincore.fit(boat, "lda").results
    assert report.classification_finding(results, "LDA") in dashboard.text()
    np.testing.assert_array_equal(
        counts_on_screen(dashboard), metrics.confusion_matrix(results, "LDA")
    )
    follow_to_the_figures(dashboard)

    dashboard.visit("compare")
    dashboard.element("compare.table").wait_for()
    dashboard.wait_for_job("compare.run")
    compared = metrics.rank_methods(lincore.compare(boat, [*SOLVED, "logistic"]))
    assert_the_librarys(dashboard, compared, leading_score(boat.counts))
    name, content = dashboard.download("compare.csv")
    assert name == "Scores.csv"
    saved = pd.read_csv(io.BytesIO(content))
    shown = compared.scores().frame()
    np.testing.assert_allclose(saved["value"], shown["value"])
    assert list(saved["label"]) == list(shown["label"])
    dashboard.check()


def test_from_a_zip_of_images_to_those_in_a_cell_of_the_confusion_matrix(dashboard):
    dashboard.goto()
    dashboard.choose("data.sample", "Digits")
    name, packed = dashboard.download("data.sheet.zip")
    assert name == "digits.zip"
    dashboard.upload("data.upload", ("again.zip", packed))
    found = "again: 1,797 images of 8 × 8 pixels in 10 classes"
    dashboard.page.get_by_role("heading", name=found).wait_for()
    dashboard.visit("classify")
    digits = lincore.load(packed, name="again.zip")
    model = lincore.fit(digits, "lda")
    fitted, results = model.pipeline, model.results
    assert report.classification_finding(results, "LDA") in dashboard.text()
    counts = metrics.confusion_matrix(results, "LDA")
    np.fill_diagonal(counts, 0)
    true, predicted = np.unravel_index(counts.argmax(), counts.shape)
    dashboard.click_cell("classify.confusion", int(true), int(predicted))
    found = confusion_cell(results, fitted, digits, int(true), int(predicted))
    sheet = dashboard.figure("classify.cell.images")
    shown = [trace["z"] for trace in sheet["data"] if trace["type"] == "heatmap"]
    assert len(shown) == len(found.rows) == counts.max()
    for image, row in zip(shown, found.rows, strict=True):
        np.testing.assert_array_equal(np.reshape(image, (8, 8)), digits.X[row].reshape(8, 8))
    dashboard.check()
