"""Net benefit against a count by hand, and its band in simulated populations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks.coverage_of_net_benefit import coverage
from lincore import Results, metrics
from lincore.metrics import Settings


def two_classes(proba, truth, **more):
    proba, truth = np.asarray(proba, dtype=float), np.asarray(truth)
    log_proba = np.log(np.column_stack([1 - proba, proba]))[None]
    return Results(
        ("LDA",), np.array(["no", "yes"]), np.arange(len(truth)), truth,
        (proba > 0.5).astype(int)[None], log_proba, np.zeros(1), **more,
    )  # fmt: skip


@pytest.fixture
def some():
    rng = np.random.default_rng(0)
    proba = np.round(rng.beta(0.7, 1.5, 200), 2).clip(0.005, 0.995)
    return proba, (rng.uniform(size=200) < proba).astype(int)


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_hits_minus_the_odds_times_false_alarms(some, weighted):
    proba, truth = some
    weight = np.random.default_rng(1).uniform(0.2, 3, 200) if weighted else np.ones(200)
    settings = Settings(row_weights=weight) if weighted else Settings()
    results = two_classes(proba, truth, settings=settings)
    found = metrics.decision_curve(results, "LDA", 1)
    weight /= weight.mean()
    for at, threshold in enumerate(found.thresholds):
        odds = threshold / (1 - threshold)
        taken = np.exp(results.log_proba[0, :, 1]) >= threshold
        benefit = (weight * (truth - (1 - truth) * odds))[taken].sum() / 200
        assert found.net_benefit[at] == pytest.approx(benefit, abs=1e-12)
        every = (weight * (truth - (1 - truth) * odds)).mean()
        assert found.every_row[at] == pytest.approx(every, abs=1e-12)
    assert_allclose(found.gain, found.net_benefit - found.every_row, atol=1e-12)
    assert (found.low <= found.net_benefit).all() and (found.high >= found.net_benefit).all()


def test_the_other_class_is_its_own_question(some):
    proba, truth = some
    found = metrics.decision_curve(two_classes(proba, truth), "LDA", 0)
    other = metrics.decision_curve(two_classes(1 - proba, 1 - truth), "LDA", 1)
    assert found.label == "no"
    assert_allclose(found.net_benefit, other.net_benefit)


def test_copies_in_groups_are_as_uncertain_as_the_rows_themselves(some):
    proba, truth = some
    single = metrics.decision_curve(two_classes(proba, truth), "LDA", 1)
    groups = np.repeat(np.arange(200), 5)
    copied = metrics.decision_curve(
        two_classes(np.repeat(proba, 5), np.repeat(truth, 5), settings=Settings(row_groups=groups)),
        "LDA",
        1,
    )
    assert_allclose(copied.net_benefit, single.net_benefit)
    assert_allclose(copied.high - copied.low, single.high - single.low, rtol=1e-6)


def test_it_needs_posteriors_and_one_test_set(some):
    proba, truth = some
    folds = two_classes(proba, truth, fold=np.arange(200) % 5)
    with pytest.raises(ValueError, match="one test set"):
        metrics.decision_curve(folds, "LDA", 1)
    without = two_classes(proba, truth)
    without.log_proba[:] = np.nan
    with pytest.raises(ValueError, match="without probabilities"):
        metrics.decision_curve(without, "LDA", 1)


def test_the_band_holds_the_truth_at_all_thresholds_at_once():
    held, false_alarms = coverage("calibrated", n_rows=200, n_samples=100)
    assert held >= 0.92
    # At some threshold, where nothing is better in truth than all rows or none.
    assert coverage("noise", n_rows=200, n_samples=100)[1] <= 0.05
