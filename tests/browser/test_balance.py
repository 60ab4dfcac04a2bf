"""Balance in a browser: the faces of the text, full and reduced, and what a remedy changes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import lincore
from lincore.experiments import scores
from lincore.experiments.pipeline import Steps
from lincore.report import balance_rows, balance_words
from tests.data import DATA, needs_data

REPEATS = 2


def cells(dashboard, key: str) -> np.ndarray:
    """Return the numbers in the cells of a confusion matrix on the screen."""
    texts = dashboard.figure(key)["data"][-1]["text"]
    numbers = [re.split("<", str(one))[0].replace(",", "").replace("−", "-") for one in texts]
    return np.array(numbers, dtype=int).reshape(3, 3)


def few_repeats(dashboard) -> None:
    dashboard.unfold("balance.models")
    dashboard.enter("balance.repeats", REPEATS)
    dashboard.wait_for_job("balance.study")


@needs_data
def test_the_faces_lose_and_get_it_back(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", DATA / "faces3_bmp30.zip")
    # Pictures are decoded while one may go elsewhere: here we wait for them.
    dashboard.page.get_by_text("3,000 pictures of 30 × 30 pixels").first.wait_for(timeout=60_000)
    dashboard.settle()
    dashboard.visit("balance")
    few_repeats(dashboard)

    faces = lincore.load(DATA / "faces3_bmp30.zip")
    seen = []
    study = lincore.balance(
        faces,
        {"Class3": 233},
        ("lda", "qda", "logistic"),
        steps=Steps(standardize=False, n_components=2),
        repeats=REPEATS,
        keep=seen.append,
    )
    one = seen[0].example.results  # of the split in the sidebar

    shown = dashboard.text()
    assert balance_words.balance_finding(study, "lda", "error") in shown
    for sentence in balance_words.parts_in_words(study, "lda", "error").values():
        assert sentence in shown
    table = dashboard.table("balance.parts")
    for row, expected in zip(
        table[1:],
        balance_rows.parts_rows(
            study, "lda", ["error", "balanced error", "log loss", "recall of Class3"]
        ),
        strict=True,
    ):
        assert row == list(expected.values())
    before, after = (scores.confusion(one[cell], "lda") for cell in ("full", "reduced"))
    np.testing.assert_array_equal(cells(dashboard, "balance.confusion.full"), before)
    np.testing.assert_array_equal(cells(dashboard, "balance.confusion.reduced"), after)
    np.testing.assert_array_equal(cells(dashboard, "balance.confusion.difference"), after - before)
    assert "2,100 pictures (700 Class1, 700 Class2, 700 Class3)" in shown

    dashboard.choose("balance.remedy", "weights and priors")
    both = scores.confusion(one["both"], "lda")
    np.testing.assert_array_equal(cells(dashboard, "balance.confusion.reduced"), both)
    assert both[2, 2] > 3 * after[2, 2]  # the recall of the class comes back
    dashboard.check()
    dashboard.screenshot("balance-faces")


@pytest.mark.parametrize(("width", "dark"), [(1440, True), (390, False)])
def test_generated_classes_beside_their_truth(dashboard, width, dark):
    dashboard.goto(width=width, dark=dark)
    dashboard.press("data.sample.gaussian")
    dashboard.visit("balance")
    if width < 600:
        dashboard.close_sidebar()
    few_repeats(dashboard)
    dashboard.open_tab("balance.tabs", "Priors in use")
    dashboard.slide("balance.use.share.2", 20)
    dashboard.open_tab("balance.tabs", "Scores")
    assert "The truth is known here" in dashboard.text()
    dashboard.check()
    dashboard.screenshot(f"balance-gaussian-{width}")
