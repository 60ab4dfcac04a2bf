"""Prior shift and majority bias are the mean of both orders of the two corrections."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import lincore
from lincore.imbalance import imbalance_cost


def unequal_covariances():
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(size=(300, 2)), [1.5, 0] + 2.5 * rng.normal(size=(60, 2))])
    return lincore.load((X, np.repeat(["large", "small"], [300, 60])), name="unequal")


@pytest.fixture(scope="module")
def study():
    return lincore.balance(
        unequal_covariances(), {"small": 12}, ("lda", "least-squares"), repeats=6
    )


def test_the_parts_of_a_reduced_class_are_means_of_both_orders(study):
    losses = {c: study.loss("lda", c, "balanced error").mean() for c in study.conditions}
    split = study.attribution("lda", "balanced error")
    first = losses["reduced"] - losses["corrected priors"]
    last = losses["balanced weights"] - losses["both"]
    assert first != pytest.approx(last)
    assert_allclose(split.orders["prior shift"], (first, last))
    assert_allclose(split.prior_shift.value, (first + last) / 2)
    assert split.prior_shift.low < split.prior_shift.value < split.prior_shift.high
    first, last = (
        losses["reduced"] - losses["balanced weights"],
        losses["corrected priors"] - losses["both"],
    )
    assert_allclose(split.orders["majority bias"], (first, last))
    assert_allclose(split.majority_bias.value, (first + last) / 2)
    assert_allclose(
        split.prior_shift.value + split.majority_bias.value, losses["reduced"] - losses["both"]
    )


def test_the_parts_of_the_data_as_they_are_too():
    found = imbalance_cost(unequal_covariances(), ("lda", "least-squares"), repeats=6)
    loss = {c: found.loss("lda", c).mean() for c in ("uncorrected", "corrected priors",
                                                     "balanced weights", "both")}  # fmt: skip
    split = found.attribution("lda")
    shift = (
        loss["uncorrected"] - loss["corrected priors"],
        loss["balanced weights"] - loss["both"],
    )
    assert_allclose(split.orders["prior shift"], shift)
    assert_allclose(split.prior_shift.value, np.mean(shift))
    assert_allclose(
        split.prior_shift.value + split.majority_bias.value, loss["uncorrected"] - loss["both"]
    )
    assert found.attribution("least-squares").orders == {}


def test_an_attribution_is_computed_once(study):
    assert study.attribution("lda", "error") is study.attribution("lda", "error")
    assert study.attribution("lda", "error") is not study.attribution("lda", "log loss")
