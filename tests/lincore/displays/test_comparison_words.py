"""What the tabs of several models say: every interval with its rule, no empty columns."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import lincore
from lincore import plots
from lincore.displays import (
    DisagreementsDisplay,
    ErrorSlicesDisplay,
    ExtrapolationDisplay,
    LearningCurveDisplay,
    ScoresDisplay,
)
from lincore.model_selection import learning_curve


@cache
def compared():
    return lincore.compare(lincore.sample("passengers"), ["lda", "logistic"])


def test_the_rule_of_every_interval_of_the_table_is_named():
    rules = ScoresDisplay(compared()).notes()[0]
    for name in ("balanced accuracy", "accuracy", "MCC", "log loss", "AUC", "macro F1", "Brier"):
        assert f"{name} by " in rules, name
    by_area = ScoresDisplay(compared(), "AUC").notes()
    assert "pROC" in by_area[0] and "accuracy by Wilson" in by_area[1]


def test_posteriors_of_disagreements_are_not_called_p():
    frame = DisagreementsDisplay(compared()).frame()
    assert "LDA: posterior" in frame and "LDA: p" not in frame


@cache
def curve():
    iris = lincore.sample("iris")
    splits = [lincore.split(iris, seed=seed) for seed in range(2)]
    return learning_curve(iris, ["lda", "qda"], splits, sizes=[12, 105])


def test_a_model_that_is_never_fitted_has_no_empty_column_and_is_named_with_its_reason():
    known = curve()
    results = {
        size: replace(
            results.select("lda"),
            settings=replace(results.settings, failed={"qda": "class 'a' has too few rows."}),
        )
        for size, results in known.results.items()
    }
    display = LearningCurveDisplay(replace(known, results=results))
    assert list(display.table().columns) == ["training rows", "LDA (%)"]
    notes = " ".join(display.notes())
    assert "Not fitted in every split at any size: QDA." in notes
    assert "class 'a' has too few rows" in notes


def test_what_is_not_extrapolated_has_no_empty_columns():
    table = ExtrapolationDisplay(curve()).table()
    assert list(table.columns) == ["model", "error with 105 rows (%)", "not extrapolated"]


def test_no_label_has_three_lines():
    """A break between words may leave room, so that twice the width needed three lines."""
    label = "average monthly revenue: −2.05 to −0.179"
    intervals = plots.score_intervals([label, "age"], [(0.2, 0.1, 0.3)] * 2)
    bars = plots.contributions([label, "age"], [1.0, -0.5], 2.0)
    for figure in (intervals, bars):
        assert all(text.count("<br>") <= 1 for text in figure.layout.yaxis.ticktext)


def test_numbers_beside_the_bars_have_room_and_nothing_else_has():
    left, right = plots.contributions(["a", "b"], [1.0, 0.5], 2.0).layout.xaxis.range
    assert left == pytest.approx(-0.05 * 3.5) and right >= 3.5 * 1.3
    left, _ = plots.contributions(["a", "b"], [-3.0, 0.5], 2.0).layout.xaxis.range
    assert left <= -1 - 0.3 * 3


def test_long_names_of_methods_are_broken_into_two_lines():
    results = lincore.compare(lincore.sample("iris"), ["logistic(bias_reduction=firth)", "lda"])
    labels = ScoresDisplay(results).plot().layout.yaxis.ticktext
    assert "Logistic regression<br>(bias_reduction=firth)" in labels
    errors = ErrorSlicesDisplay(lincore.fit(lincore.sample("iris"), "lda")).plot()
    assert np.diff(errors.layout.yaxis.range) < 0, "the first is on top"
