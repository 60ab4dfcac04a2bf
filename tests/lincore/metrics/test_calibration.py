"""Calibration against brute force, scikit-learn and statsmodels, and in simulated populations."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from benchmarks.coverage_of_calibration import coverage
from lincore import Results, metrics
from lincore.metrics import Settings


def two_classes(log_odds, truth, **more):
    log_odds, truth = np.asarray(log_odds, dtype=float), np.asarray(truth)
    log_proba = -np.logaddexp(0, np.column_stack([log_odds, -log_odds]))[None]
    rows = more.pop("rows", np.arange(len(truth)))
    return Results(
        ("LDA",), np.array(["no", "yes"]), rows, truth, (log_odds > 0).astype(int)[None], log_proba,
        np.zeros(1), **more,
    )  # fmt: skip


def some(n, seed=0, slope=0.6):
    rng = np.random.default_rng(seed)
    log_odds = np.round(rng.normal(-0.5, 1.5, n), 1)
    return log_odds, (rng.random(n) < expit(0.4 + slope * log_odds)).astype(int)


def by_min_max(proba, truth, weight):
    """Return the isotonic regression by its min-max formula."""
    points = np.unique(proba)

    def mean(low, high):
        inside = (proba >= low) & (proba <= high)
        return np.average(truth[inside], weights=weight[inside])

    return np.array([
        max(min(mean(low, high) for high in points[points >= at]) for low in points[points <= at])
        for at in points
    ])  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
def test_curve_and_parts_are_those_of_brute_force_and_scikit_learn(weighted):
    log_odds, truth = some(60)
    weight = np.random.default_rng(1).uniform(0.2, 3, 60) if weighted else np.ones(60)
    results = two_classes(
        log_odds, truth, settings=Settings(row_weights=weight) if weighted else Settings()
    )
    found, proba = metrics.calibration_curve(results, "LDA", 1), np.exp(results.log_proba[0, :, 1])
    assert_allclose(found.predicted, np.unique(proba))
    assert_allclose(found.observed, by_min_max(proba, truth, weight), atol=1e-12)
    best = IsotonicRegression().fit(proba, truth, sample_weight=weight).predict(proba)
    score, at_best = (
        brier_score_loss(truth, value, sample_weight=weight) for value in (proba, best)
    )
    share = np.average(truth, weights=weight)
    expected = (score, score - at_best, share * (1 - share) - at_best, share * (1 - share))
    assert_allclose(found.parts, expected, atol=1e-12)
    total = found.parts.miscalibration - found.parts.discrimination + found.parts.uncertainty
    assert_allclose(total, found.parts.brier, rtol=0, atol=1e-12)


def test_parts_counted_by_hand():
    proba = np.array([0.2, 0.2, 0.6, 0.6, 0.8])
    parts = metrics.BrierParts.of(proba, np.array([0, 1, 0, 0, 1], dtype=bool), np.ones(5))
    # Observed frequencies 1/2, 0 and 1: the first four rows are pooled to 1/4.
    brier = (0.04 + 0.64 + 2 * 0.36 + 0.04) / 5
    best = (3 * 0.0625 + 0.5625) / 5
    assert_allclose(parts, (brier, brier - best, 0.24 - best, 0.24))


def test_the_predicted_class_is_correct_or_not():
    log_odds, truth = some(80)
    results = two_classes(log_odds, truth)
    found = metrics.calibration_curve(results, "LDA")
    assert found.label is None and found.predicted.min() >= 0.5
    assert_allclose(
        found.n_rows @ found.observed / 80, metrics.score(results, "LDA", "accuracy").value
    )


def test_many_posteriors_are_pooled_into_neighbours_and_the_parts_are_exact():
    rng = np.random.default_rng(5)
    log_odds = rng.normal(0, 1.5, 4_000)
    truth = (rng.random(4_000) < expit(log_odds)).astype(int)
    results = two_classes(log_odds, truth)
    found, proba = metrics.calibration_curve(results, "LDA", 1), np.exp(results.log_proba[0, :, 1])
    assert len(found.predicted) == 1_000 and (found.n_rows == 4).all()
    best = IsotonicRegression().fit(proba, truth)
    assert_allclose(found.parts.brier - found.parts.miscalibration,
                    brier_score_loss(truth, best.predict(proba)))  # fmt: skip
    assert np.abs(found.observed - best.predict(found.predicted)).mean() < 0.01


def test_dependent_rows_widen_the_band():
    log_odds, truth = np.repeat(some(60), 5, axis=1)
    truth = truth.astype(int)
    grouped = Settings(row_groups=np.repeat(np.arange(60), 5))
    alone, together, few = (
        metrics.calibration_curve(results, "LDA", 1)
        for results in (
            two_classes(log_odds, truth),
            two_classes(log_odds, truth, settings=grouped),
            two_classes(log_odds[::5], truth[::5]),
        )
    )
    assert_allclose(alone.observed, together.observed)
    assert (alone.high - alone.low).mean() < 0.7 * (together.high - together.low).mean()
    # Five copies of a row are that row.
    assert_allclose((together.high - together.low).mean(), (few.high - few.low).mean(), rtol=0.05)


@pytest.mark.parametrize("n", [40, 400])
def test_slope_and_intercept_are_those_of_statsmodels(n):
    log_odds, truth = some(n, seed=2)
    found = metrics.logistic_recalibration(two_classes(log_odds, truth), "LDA", 1)
    binomial = sm.families.Binomial()
    slope = sm.GLM(truth, sm.add_constant(log_odds), family=binomial).fit(tol=1e-13)
    assert_allclose(found.slope.value, slope.params[1], rtol=1e-8)
    # Its errors are those of the last iteration but one.
    assert_allclose(found.slope, [slope.params[1], *slope.conf_int()[1]], rtol=1e-6)
    large = sm.GLM(truth, np.ones((n, 1)), offset=log_odds, family=binomial).fit(
        tol=1e-13, cov_type="HC0"
    )
    half = 1.959963984540054 * large.bse[0] * np.sqrt(n / (n - 1))
    assert_allclose(
        found.intercept,
        [large.params[0], large.params[0] - half, large.params[0] + half],
        atol=1e-7,
    )


def test_slope_and_intercept_of_groups_are_clustered():
    log_odds, truth = some(300, seed=3)
    groups = np.arange(300) // 4
    results = two_classes(log_odds, truth, settings=Settings(row_groups=groups))
    found = metrics.logistic_recalibration(results, "LDA", 1)
    expected = sm.GLM(truth, sm.add_constant(log_odds), family=sm.families.Binomial()).fit(
        tol=1e-13,
        cov_type="cluster",
        cov_kwds={"groups": groups, "use_correction": False},
    )
    assert_allclose(found.slope.value, expected.params[1])
    half = 1.959963984540054 * expected.bse[1] * np.sqrt(75 / 74)
    assert_allclose(found.slope.high - found.slope.value, half, rtol=1e-6)


def test_log_odds_are_exact_where_a_posterior_rounds_to_one():
    log_odds, truth = some(200)
    log_odds[:2], truth[:2] = [60, -70], [1, 0]
    found = metrics.logistic_recalibration(two_classes(log_odds, truth), "LDA", 1)
    expected = sm.GLM(truth, sm.add_constant(log_odds), family=sm.families.Binomial()).fit(
        tol=1e-13
    )
    assert_allclose(found.slope.value, expected.params[1], rtol=1e-8)


def test_what_has_no_slope_says_why():
    infinite = two_classes([-np.inf, 1, 2, -1], [0, 1, 0, 1])
    reason = metrics.logistic_recalibration(infinite, "LDA", 1).reason
    assert reason.startswith("1 posterior of exactly 0 or 1")
    apart = metrics.logistic_recalibration(two_classes([-1, -2, 0.5, 2], [0, 0, 1, 1]), "LDA", 1)
    assert "separate the outcomes" in apart.reason and np.isnan(apart.slope.value)
    assert np.isfinite(apart.intercept).all()
    none = metrics.logistic_recalibration(two_classes([-1, 1, 2], [0, 0, 0]), "LDA", 1)
    assert none.reason.startswith("No test row is of the class") and np.isnan(none.intercept.value)
    equal = metrics.logistic_recalibration(two_classes([1, 1, 1], [0, 1, 1]), "LDA", 1)
    assert "no slope" in equal.reason
    assert_allclose(equal.intercept.value, np.log(2) - 1)


def test_band_and_intervals_hold_in_simulated_populations():
    found = coverage("calibrated", n_rows=150, n_samples=60)
    assert found.alarms <= 0.15
    assert min(found.slope, found.intercept) >= 0.85
    assert coverage("too extreme", n_rows=400, n_samples=10).alarms >= 0.9
