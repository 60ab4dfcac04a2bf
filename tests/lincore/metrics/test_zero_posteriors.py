"""Posteriors of exactly 0: their errors cost 36 nats, which rows without one do not show."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import Results, metrics, report
from lincore.metrics import Settings

N = 400


def two_models(n_wrong, groups=None):
    """Return a model with moderate posteriors, and one whose 0 for the second class errs."""
    rng = np.random.default_rng(0)
    truth = np.arange(N) % 2
    moderate = np.where(truth, rng.uniform(0.3, 0.9, N), rng.uniform(0.1, 0.7, N))
    extreme = moderate.copy()
    extreme[truth == 0] = np.where(rng.random(N // 2) < 0.3, 0.0, extreme[truth == 0])
    extreme[np.flatnonzero(truth)[:n_wrong]] = 0.0
    with np.errstate(divide="ignore"):
        log_proba = np.log(np.stack([np.stack([1 - p, p], axis=1) for p in (moderate, extreme)]))
    return Results(
        ("moderate", "extreme"), np.array(["no", "yes"]), np.arange(N), truth,
        log_proba.argmax(axis=2), log_proba, np.zeros(2), settings=Settings(row_groups=groups),
    )  # fmt: skip


@pytest.mark.parametrize(("n_wrong", "is_known"), [(0, False), (7, False), (8, True)])
def test_a_log_loss_has_an_interval_if_enough_rows_show_what_zeros_cost(n_wrong, is_known):
    results = two_models(n_wrong)
    found = metrics.score(results, "extreme", "log loss")
    assert np.isfinite(found.value) and np.isfinite(found.high) == is_known
    assert np.isfinite(metrics.score(results, "moderate", "log loss").high)
    assert np.isfinite(metrics.score(results, "extreme", "Brier").high)
    (pair,) = metrics.pairwise_differences(results, "log loss")
    assert np.isfinite(pair.value) and np.isfinite([pair.low, pair.high, pair.p]).all() == is_known
    note = report.missing_interval_note(results, "log loss")
    assert note == (
        ""
        if is_known
        else "too few rows show the cost of zero posteriors of extreme for an interval"
    )


def test_groups_of_errors_count_once():
    groups = np.arange(N) // 40
    groups[np.flatnonzero(np.arange(N) % 2)[:20]] = 0
    found = metrics.score(two_models(20, groups), "extreme", "log loss")
    assert np.isfinite(found.value) and np.isnan(found.high)


def test_sentences_claim_no_test():
    results = two_models(0)
    pairs = results.pairwise(score="log loss")
    assert pairs.finding().endswith(
        "without interval and test: too few rows show what posteriors of 0 cost."
    )
    assert report.comparison_finding(results, "log loss").startswith(
        "No test is possible between extreme"
    )
    shown = results.scores(score="log loss")
    for text in (shown.finding(), shown.scope(), *shown.notes()):
        assert "nan" not in text
    assert results.disagreements(score="log loss").notes()[0] == pairs.finding()
    assert len(pairs.table()) == 1 and pairs.plot() is not None
    same = results.select("extreme").joined(
        Results(("copy",), *[getattr(results, name) for name in ("classes", "rows", "truth")],
                results.predicted[1:], results.log_proba[1:], np.zeros(1))
    )  # fmt: skip
    (identical,) = metrics.pairwise_differences(same, "log loss")
    assert identical.p == 1


def test_isotonic_posteriors_on_few_test_rows_have_no_interval():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 60)
    X = rng.standard_normal((120, 4))
    X[y == 1, :2] += 1
    results = lincore.compare((X, y), ["lda", "lda(recalibration=isotonic)"])
    own = results.log_proba[1]
    assert np.isneginf(own).any()
    assert np.isnan(metrics.score(results, results.methods[1], "log loss").high)
    assert np.isfinite(metrics.score(results, "lda", "log loss").high)
