"""Rows needed: the widths they promise are reached, and so is the power."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from benchmarks.power_of_rows_needed import DESIGNS, needed, sample
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
