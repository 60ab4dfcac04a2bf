"""Posteriors under other priors: identities, known shares, and decisions by cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import log_softmax

from lincore import LinearDiscriminantAnalysis
from lincore.metrics import (
    Results,
    adjust_posteriors,
    adjust_priors,
    decide,
    estimate_priors,
    move_threshold,
)

SCORES = arrays(float, (5, 3), elements=st.floats(-700, 700))
PRIORS = arrays(float, 3, elements=st.floats(1e-6, 1)).map(lambda p: p / p.sum())


def three_gaussians(sizes, seed=0):
    rng = np.random.default_rng(seed)
    means = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.7]])
    codes = np.repeat(np.arange(3), sizes)
    return means[codes] + rng.standard_normal((len(codes), 2)), codes


@given(SCORES, PRIORS, PRIORS, PRIORS)
@settings(max_examples=25)
def test_adjusting_is_a_group_action(scores, a, b, c):
    log_proba = log_softmax(scores, axis=1)
    assert_allclose(adjust_posteriors(log_proba, a, a), log_proba, atol=1e-9)
    there = adjust_posteriors(log_proba, a, b)
    assert_allclose(np.exp(there).sum(axis=1), 1)
    assert_allclose(adjust_posteriors(there, b, c), adjust_posteriors(log_proba, a, c), atol=1e-9)
    assert_allclose(adjust_posteriors(there, b, a), log_proba, atol=1e-9)


def test_adjusting_equals_fitting_with_other_priors():
    X, codes = three_gaussians([300, 100, 20])
    old, new = np.array([300, 100, 20]) / 420, [0.2, 0.3, 0.5]
    as_trained = LinearDiscriminantAnalysis().fit(X, codes).predict_log_proba(X)
    refitted = LinearDiscriminantAnalysis(priors=new).fit(X, codes).predict_log_proba(X)
    assert_allclose(adjust_posteriors(as_trained, old, new), refitted, atol=1e-9)


def test_priors_of_zero():
    log_proba = np.log([[0.5, 0.3, 0.2]])
    assert_allclose(
        np.exp(adjust_posteriors(log_proba, [0.5, 0.3, 0.2], [0.5, 0.5, 0])), [[0.5, 0.5, 0]]
    )
    with np.errstate(divide="ignore"):
        certain = np.log([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0]])
    # The first row is explained by a class that is impossible now; the second was never seen so.
    out = np.exp(adjust_posteriors(certain, [0.4, 0.4, 0.2], [0.3, 0.7, 0.0]))
    assert_allclose(out, [[0.3, 0.7, 0], [0.3, 0.7, 0]])
    never_seen = np.exp(adjust_posteriors(certain[1:], [0.5, 0.5, 0.0], [0.2, 0.2, 0.6]))
    assert_allclose(never_seen, [[0.5, 0.5, 0]])


@pytest.mark.parametrize("bad", [[0.5, 0.5], [0.5, 0.6, 0.1], [1.5, -0.5, 0.0], [np.nan, 0.5, 0.5]])
def test_what_is_no_prior_is_refused(bad):
    fair = np.full(3, 1 / 3)
    with pytest.raises(ValueError, match="old priors must be 3 probabilities"):
        adjust_posteriors(np.zeros((1, 3)), bad, fair)
    with pytest.raises(ValueError, match="new priors must be 3 probabilities"):
        adjust_posteriors(np.zeros((1, 3)), fair, bad)
    with pytest.raises(ValueError, match="No class"):
        adjust_posteriors(np.zeros((1, 3)), [1, 0, 0], [0, 0, 1])


def test_unknown_priors_are_found():
    X, codes = three_gaussians([1000, 1000, 1000])
    model = LinearDiscriminantAnalysis().fit(X, codes)
    in_use, _ = three_gaussians([600, 300, 2100], seed=1)
    estimate = estimate_priors(model.predict_log_proba(in_use), np.full(3, 1 / 3))
    assert estimate.converged
    assert_allclose(estimate.priors, [0.2, 0.1, 0.7], atol=0.03)
    assert estimate.p_value < 1e-10
    again, _ = three_gaussians([1000, 1000, 1000], seed=2)
    unchanged = estimate_priors(model.predict_log_proba(again), np.full(3, 1 / 3))
    assert unchanged.p_value > 0.01


def test_as_many_training_rows_halve_the_evidence_for_other_priors():
    rng = np.random.default_rng(0)
    log_proba = log_softmax(rng.normal(size=(200, 2)) + [0.3, 0.0], axis=1)
    known, learned = (estimate_priors(log_proba, [0.5, 0.5], n_train=n) for n in (None, 200))
    halved = stats.chi2.isf(known.p_value, 1) / 2
    assert learned.p_value == pytest.approx(stats.chi2.sf(halved, 1))
    assert_array_equal(known.priors, learned.priors)


def test_estimated_priors_are_a_fixed_point_of_the_mean_posterior():
    X, codes = three_gaussians([300, 100, 50])
    log_proba = LinearDiscriminantAnalysis().fit(X, codes).predict_log_proba(X)
    old = np.array([300, 100, 50]) / 450
    estimate = estimate_priors(log_proba, old)
    mean = np.exp(adjust_posteriors(log_proba, old, estimate.priors)).mean(axis=0)
    assert_allclose(mean, estimate.priors, atol=1e-7)
    stopped = estimate_priors(log_proba, old, max_iter=1)
    assert not stopped.converged and stopped.n_iter == 1


def test_estimating_from_nothing_is_refused():
    for bad in (np.zeros((0, 2)), np.full((3, 2), np.nan)):
        with pytest.raises(ValueError, match="at least one row"):
            estimate_priors(bad, [0.5, 0.5])
    for priors in ([1.0, 0.0], [0.5, 0.5]):
        impossible = [[-np.inf, 0.0 if priors[0] == 1 else -np.inf], [0.0, -np.inf]]
        with pytest.raises(ValueError, match="Each row needs a class with positive"):
            estimate_priors(impossible, priors)


def test_results_under_other_priors():
    log_proba = np.log([[[0.7, 0.3], [0.2, 0.8]], [[0.6, 0.4], [0.6, 0.4]]])
    log_proba[1] = np.nan  # a method that has no posteriors
    codes, labels = np.array([0, 1]), np.array([[0, 1], [0, 0]])
    results = Results(
        ("a", "b"), np.array(["x", "y"]), np.arange(2), codes, labels, log_proba, np.zeros(2)
    )
    other = adjust_priors(results, [0.9, 0.1], [0.5, 0.5])
    assert_array_equal(other.predicted, [[1, 1], [0, 0]])
    assert_allclose(other.log_proba[0], adjust_posteriors(log_proba[0], [0.9, 0.1], [0.5, 0.5]))
    assert np.isnan(other.log_proba[1]).all()
    each = adjust_priors(results, [[0.5, 0.5], [0.9, 0.1]], [0.5, 0.5])
    assert_allclose(each.log_proba[0], log_proba[0])


def test_a_moved_threshold_undoes_wrong_priors():
    X, codes = three_gaussians([1000, 1000, 1000])
    wrong = LinearDiscriminantAnalysis(priors=[0.49, 0.49, 0.02]).fit(X, codes)
    log_proba = wrong.predict_log_proba(X)
    shifts = move_threshold(log_proba, codes)
    right = LinearDiscriminantAnalysis().fit(X, codes)
    moved = ((log_proba + shifts).argmax(axis=1) == codes).mean()
    assert moved >= right.score(X, codes)
    assert moved > wrong.score(X, codes) + 0.05


@pytest.mark.parametrize(
    ("current", "positive", "best"),
    [
        (1.2, [0, 0, 1, 1], 1.2),
        (0.5, [0, 0, 1, 1], 1.5),
        (0.5, [0, 0, 0, 0], 6.0),
        (0.5, [1, 1, 1, 1], -1.0),
    ],
)
def test_a_threshold_stays_unless_another_errs_less(current, positive, best):
    z = np.array([0.0, 1.0, 2.0, 5.0])
    low, high = move_threshold(np.column_stack([np.zeros(4), z - current]), positive)
    assert (low, current - high) == (0, best)


def test_rows_of_one_score_are_never_cut_apart():
    alike = np.column_stack([np.zeros(4), np.full(4, 2.0)])
    assert_array_equal(move_threshold(alike, [0, 0, 1, 1]), [0, 0])
    assert_array_equal(move_threshold(np.eye(3), np.arange(3)), np.zeros(3))


def test_a_threshold_weighs_errors():
    log_proba = np.log([[0.9, 0.1]] * 3 + [[0.8, 0.2]])
    codes = [0, 0, 0, 1]
    assert_array_equal((log_proba + move_threshold(log_proba, codes)).argmax(axis=1), codes)
    mixed = np.array([0, 0, 1, 1])
    dear = move_threshold(log_proba, mixed, [1, 1, 10, 10])
    assert_array_equal((log_proba + dear).argmax(axis=1), [1, 1, 1, 1])


@given(SCORES)
@settings(max_examples=25)
def test_equal_costs_choose_the_likeliest(scores):
    log_proba = log_softmax(scores, axis=1)
    chosen = decide(log_proba, 1 - np.eye(3))
    assert_allclose(
        np.take_along_axis(log_proba, chosen[:, None], 1)[:, 0], log_proba.max(axis=1), atol=1e-9
    )


def test_costs_move_the_threshold_where_elkan_says():
    false_alarm, miss = 1.0, 19.0
    threshold = false_alarm / (false_alarm + miss)
    p = np.array([0.9, 1.1]) * threshold
    log_proba = np.log(np.column_stack([1 - p, p]))
    assert_array_equal(decide(log_proba, [[0, false_alarm], [miss, 0]]), [0, 1])
    # A third decision: to ask somebody, at a small price.
    assert decide(np.log([[0.5, 0.5]]), [[0, 1, 0.1], [1, 0, 0.1]]).tolist() == [2]
    with pytest.raises(ValueError, match="one row for each of 2 classes"):
        decide(log_proba, np.zeros((3, 3)))


@pytest.mark.parametrize(
    "costs", [np.zeros((3, 3)), np.ones((3, 3)), np.outer([4, 2, 9], np.ones(3))]
)
def test_of_decisions_that_cost_the_same_the_likeliest_is_taken(costs):
    log_proba = np.log([[0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
    assert_array_equal(decide(log_proba, costs), [1, 2])
    two_alike = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert_array_equal(decide(log_proba, two_alike), [1, 2])
