"""Scores at the ends of what numbers can hold: losses of 1e-120, constant scores, none correct."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import lincore
from lincore import Results, metrics, report
from lincore.metrics import (
    SCORES,
    Settings,
    baseline_scores,
    cochran_test,
    groups,
    pairwise_differences,
    rank_methods,
)

#: Log posteriors of the class that is predicted, and of the others.
CERTAINTY = {
    "sure": (-1e-120, -276.0),
    "surer": (-1e-300, -1e300),
    "impossible": (0.0, -np.inf),
    "constant": (np.log(0.5), np.log(0.5)),
    "subnormal": (-5e-324, -740.0),
}
HITS = ("all", "none", "half", "one", "constant")


def predictions(truth, n_classes, hits, rng):
    """Return predicted codes (m,) that are correct on all rows, none, half of them, or but one."""
    wrong = (truth + 1) % n_classes
    if hits == "constant":
        return np.zeros_like(truth)
    correct = {
        "all": np.ones(len(truth), bool),
        "none": np.zeros(len(truth), bool),
        "half": rng.random(len(truth)) < 0.5,
        "one": np.arange(len(truth)) > 0,
    }[hits]
    return np.where(correct, truth, wrong)


def posteriors(predicted, n_classes, certainty, rng):
    """Return log posteriors (m, K), with certainties that differ a little between the rows."""
    high, low = CERTAINTY[certainty]
    found = np.full((len(predicted), n_classes), low)
    with np.errstate(over="ignore"):
        found[np.arange(len(predicted)), predicted] = high * rng.uniform(0.1, 1.0, len(predicted))
    return found


@st.composite
def extremes(draw):
    """Draw results of two or three methods, each extreme in its own way, under any split."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    n, n_classes = draw(st.integers(4, 40)), draw(st.integers(2, 4))
    how = draw(st.sampled_from(("holdout", "groups", "folds", "repeated", "leave-one-out")))
    r = 3 if how == "repeated" else 1
    n_methods = draw(st.integers(2, 3))
    rows = np.tile(np.arange(n), r)
    truth = (rng.integers(0, n_classes, n) if draw(st.booleans()) else rows[:n] % n_classes)[rows]
    fold = {"holdout": np.zeros(n), "groups": np.zeros(n), "leave-one-out": np.arange(n)}
    predicted, log_proba = [], []
    for _ in range(n_methods):
        predicted.append(predictions(truth, n_classes, draw(st.sampled_from(HITS)), rng))
        certainty = draw(st.sampled_from(tuple(CERTAINTY)))
        log_proba.append(posteriors(predicted[-1], n_classes, certainty, rng))
    return Results(
        tuple("ABC"[:n_methods]), np.arange(n_classes), rows, truth, np.array(predicted),
        np.array(log_proba), np.zeros(n_methods),
        fold=np.tile(fold.get(how, np.arange(n) % 2), r).astype(int),
        repetition=np.repeat(np.arange(r), n),
        settings=Settings(row_groups=np.arange(n) // 2) if how == "groups" else Settings(),
    )  # fmt: skip


def is_interval(found, score):
    """Return whether an interval holds its value and lies on the scale, where there is one."""
    if np.isnan(found.low):
        return np.isnan(found.high)
    inside = SCORES[score].lowest <= found.low and found.high <= SCORES[score].highest
    return inside and found.low <= found.value <= found.high


@settings(max_examples=20)
@given(extremes())
def test_every_score_test_and_group_bears_extremes(results):
    for score in SCORES:
        for method in results.methods:
            assert is_interval(metrics.score(results, method, score), score), (score, method)
        for d in pairwise_differences(results, score):
            assert np.isnan(d.p) or 0 <= d.p <= d.p_holm <= 1
            assert np.isnan(d.low) or d.low <= d.high
        assert set(groups(results, score)) == set(results.methods)
        assert rank_methods(results, score).methods and baseline_scores(results, score) is not None
        assert report.comparison_finding(results, score).endswith(".")
    for method in results.methods:
        recalls = [*metrics.recall(results, method), *metrics.precision(results, method)]
        assert all(is_interval(found, "accuracy") for found in recalls)
    if len(set(results.fold)) == 1 and results.settings.row_groups is None:
        assert 0 <= cochran_test(results).p <= 1


def test_a_comparison_of_many_features_that_separate_two_classes():
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    data = lincore.load((rng.normal(size=(60, 150)) + 2 * codes[:, None], codes))
    results = lincore.compare(data, ["naive-bayes", "diagonal-lda", "lda(shrinkage=oas)"], "5-fold")
    assert (metrics.score_table(results, ["log loss"])["value"] < 1e-3).all()
    for score in SCORES:
        assert set(groups(results, score).values()) == {1}
