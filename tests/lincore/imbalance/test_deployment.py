"""Intervals of the error, the log loss and the cost under given class shares."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lincore import Results, imbalance
from lincore.metrics import Settings

EQUAL = np.array([0.5, 0.5])
#: A miss of the second class costs ten false alarms.
COSTS = np.array([[0, 1], [10, 0]])
#: Probabilities of an error in either class.
WRONG = np.array([0.02, 0.04])


def results(truth, predicted, groups=None):
    """Return predictions of one method whose posteriors are 0.9 for the predicted class."""
    log_proba = np.log(np.where(np.arange(2) == predicted[:, None], 0.9, 0.1))
    return Results(
        ("m",), np.arange(2), np.arange(len(truth)), truth, predicted[None], log_proba[None],
        np.zeros(1), settings=Settings(row_groups=groups),
    )  # fmt: skip


def drawn(counts, rng):
    truth = np.repeat(np.arange(2), counts)
    return results(truth, truth ^ (rng.random(len(truth)) < WRONG[truth]))


@pytest.mark.parametrize("counts", [(100, 20), (20, 20), (300, 8)])
def test_intervals_contain_the_error_and_the_cost_in_the_population(counts):
    rng, expected = np.random.default_rng(0), (EQUAL @ WRONG, EQUAL @ (WRONG * [1, 10]))
    covered = []
    for _ in range(500):
        one = drawn(counts, rng)
        found = (
            imbalance.error_in_deployment(one, "m", EQUAL),
            imbalance.cost_in_deployment(one, "m", EQUAL, COSTS),
        )
        covered.append([i.low <= x <= i.high for i, x in zip(found, expected, strict=True)])
    assert (np.mean(covered, axis=0) > 0.93).all()  # as little as 0.57 if no row were added


def test_copies_in_one_group_tell_nothing_new():
    rng = np.random.default_rng(1)
    one = drawn((60, 30), rng)
    few, many = (
        results(one.truth[rows], one.predicted[0][rows], groups=rows)
        for rows in (np.repeat(np.arange(90), times) for times in (2, 5))
    )
    for of in (
        lambda r: imbalance.error_in_deployment(r, "m", EQUAL),
        lambda r: imbalance.cost_in_deployment(r, "m", EQUAL, COSTS),
        lambda r: imbalance.log_loss_in_deployment(r, "m", EQUAL),
    ):
        assert_allclose(of(many), of(few))


def test_a_class_of_two_rows_gives_no_interval_of_the_log_loss():
    one = drawn((60, 2), np.random.default_rng(2))
    value, low, high = imbalance.log_loss_in_deployment(one, "m", EQUAL)
    assert np.isfinite(value) and np.isnan([low, high]).all()
    assert np.isfinite(imbalance.log_loss_in_deployment(one, "m", [1.0, 0.0])).all()


def test_without_a_class_in_deployment_there_is_no_score():
    truth = np.zeros(10, dtype=int)
    one = results(truth, truth)
    assert np.isnan(imbalance.error_in_deployment(one, "m", [0.0, 1.0])).all()
    assert np.isnan(imbalance.log_loss_in_deployment(one, "m", [0.0, 1.0])).all()
