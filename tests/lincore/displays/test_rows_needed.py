"""Rows needed: the widths they promise are reached, and so is the power."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from benchmarks.power_of_rows_needed import DESIGNS, needed, sample, widths
from lincore import metrics


@pytest.mark.parametrize("design", DESIGNS)
def test_a_difference_is_found_as_often_as_wanted(design):
    rng = np.random.default_rng(1)
    only, other, both = DESIGNS[design]
    n = needed(sample(rng, design, 40_000), only - other, 0.8)
    # Normal approximation: Lachin (1981).
    variance = only + other - (only - other) ** 2
    assert n == pytest.approx(variance * ((1.96 + 0.8416) / (only - other)) ** 2, rel=0.05)
    found = []
    for _ in range(400):
        (one,) = metrics.pairwise_differences(sample(rng, design, int(n)), "accuracy")
        found.append(one.p < 0.05 and one.value > 0)
    assert 0.73 < np.mean(found) < 0.86


def test_an_interval_has_the_wanted_width_with_the_rows_stated():
    rng = np.random.default_rng(2)
    pilot = sample(rng, "alike", 5_000)
    lines = pilot.rows_needed(score="accuracy", half_width=0.01).frame()
    line = lines[(lines["question"] == "interval") & (lines["score"] == "accuracy")].iloc[0]
    new = sample(rng, "alike", int(line["rows needed"]))
    found = metrics.score(new, "better", "accuracy")
    assert (found.high - found.low) / 2 == pytest.approx(0.01, rel=0.08)


@pytest.mark.parametrize(
    ("design", "score"),
    [
        ((0.1, (0.9, 0.7), 100, 0.05), "recall"),  # ten rows of the class
        ((0.1, (0.9, 0.7), 100, 0.05), "balanced accuracy"),
        ((0.5, (0.99, 0.98), 100, 0.02), "accuracy"),  # one error or none
    ],
)
def test_few_rows_and_few_errors_promise_no_width_that_is_missed(design, score):
    _, reached = widths(np.random.default_rng(4), design, score, 80)
    assert 0.6 < np.median(reached) < 1.08
    assert np.quantile(reached, 0.9) < 1.3


def test_widths_are_those_of_wilsons_formula():
    for n, k, half in ((100, 97, 0.02), (400, 200, 0.1), (50, 50, 0.05)):
        right = np.arange(n) < k
        truth = np.arange(n) % 2
        silent = np.full((1, n, 2), np.nan)
        results = metrics.Results(
            ("m",), np.arange(2), np.arange(n), truth, np.where(right, truth, 1 - truth)[None],
            silent, np.zeros(1),
        )  # fmt: skip
        line = results.rows_needed(score="accuracy", half_width=half).frame().iloc[0]
        middle = (k + 1.96**2 / 2) / (n + 1.96**2)
        m = line["rows needed"]
        width = 1.96 / (1 + 1.96**2 / m) * np.sqrt(middle * (1 - middle) / m + (0.98 / m) ** 2)
        assert width == pytest.approx(half, rel=1e-3)


def test_the_figure_has_a_bar_for_each_number():
    results = lincore.compare(lincore.sample("passengers"), ["lda", "naive-bayes"])
    shown = results.rows_needed()
    assert sorted(shown.plot().data[0].x) == pytest.approx(
        sorted(shown.frame()["rows needed"]), rel=1e-5
    )


def test_the_rarest_class_counts_its_own_rows():
    passengers = lincore.sample("passengers")
    results = lincore.compare(passengers, ["lda", "naive-bayes"], "5-fold")
    lines = results.rows_needed().frame()
    (recall,) = lines[lines["score"] == "recall of 'yes'"].to_dict("records")
    share = recall["of these in the class"] / recall["rows needed"]
    assert share == pytest.approx((passengers.codes == 1).mean())
    assert recall["rows"] == passengers.n_rows


def test_one_model_has_no_pairs():
    alone = lincore.compare(lincore.sample("iris"), "lda").rows_needed()
    assert set(alone.frame()["question"]) == {"interval"}
    assert "an interval of ± 2.0 points" in alone.finding()


def test_sentences_name_rows_and_power():
    results = lincore.compare(lincore.sample("passengers"), ["lda", "naive-bayes"])
    said = results.rows_needed(score="accuracy", rope=0.03, power=0.9)
    assert "find a difference of 3.0 points" in said.finding()
    assert said.finding().endswith("with 90 % power; there are 270.")
    assert said.table()["wanted"].iloc[-1] == "3.0 points, 90 % power"
    losses = results.rows_needed(score="log loss").table()
    assert losses["now"].str.contains("points").tolist() == [False, True, False]
