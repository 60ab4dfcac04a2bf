"""Remedies: measured against the reduced set, paired, and with what they cost the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore.imbalance import REMEDIES, choose_remedy
from lincore.io import gaussian_classes


@pytest.fixture(scope="module")
def study():
    data = gaussian_classes([[0, 0], [1.5, 0], [0.7, 1.4]], sizes=[300, 300, 300])
    return lincore.balance(data, {"class 3": 0.1}, ("lda", "logistic"), repeats=6)


def test_each_is_measured_against_the_reduced_set(study):
    for loss, sign in (("error", 1), ("log loss", 1), ("recall of class 3", -1)):
        found = study.remedies("lda", loss)
        assert tuple(remedy.name for remedy in found) == REMEDIES
        for remedy in found:
            with_it = study.loss("lda", remedy.name, loss)
            gain = sign * (study.loss("lda", "reduced", loss) - with_it)
            missing = sign * (with_it - study.loss("lda", "full", loss))
            assert remedy.loss.value == pytest.approx(with_it.mean())
            assert remedy.recovered.value == pytest.approx(gain.mean())
            assert remedy.still_missing.value == pytest.approx(missing.mean())
            assert remedy.recovered.low < remedy.recovered.value < remedy.recovered.high or (
                np.ptp(gain) == 0
            )


def test_corrected_priors_buy_recall_and_cost_the_others(study):
    for method in study.methods:
        for remedy in study.remedies(method, "recall of class 3"):
            change = [interval.value for interval in remedy.recall_change]
            assert remedy.recovered.value == pytest.approx(change[2])
            assert remedy.others.value == pytest.approx(np.mean(change[:2]))
            if remedy.name != "balanced weights":  # equal covariances: there is no lean to mend
                assert remedy.recovered.low > 0
                assert remedy.share > 0.7
                assert remedy.others.value < 0


def test_a_moved_threshold_changes_labels_and_no_posterior(study):
    for method in study.methods:
        moved, reduced = (study.loss(method, c, "log loss") for c in ("moved threshold", "reduced"))
        assert_allclose(moved, reduced)
        labels = [study.loss(method, c).mean() for c in ("moved threshold", "reduced")]
        assert labels[0] < labels[1]
    results = study.example.results
    assert_array_equal(results["moved threshold"].log_proba, results["reduced"].log_proba)
    assert (results["moved threshold"].predicted != results["reduced"].predicted).any()


def test_a_share_needs_a_loss_to_be_a_share_of():
    data = gaussian_classes([[0.0, 0.0], [4.0, 0.0]], sizes=[60, 60])
    study = lincore.balance(data, {"class 2": 0.9}, "lda", repeats=4)
    assert np.isnan([remedy.share for remedy in study.remedies("lda")]).all()


def test_without_other_classes_there_is_nothing_to_cost():
    data = gaussian_classes([[0.0, 0.0], [1.0, 0.0]], sizes=[60, 60])
    study = lincore.balance(data, {"class 1": 20, "class 2": 10}, "lda", repeats=2)
    assert all(np.isnan(remedy.others).all() for remedy in study.remedies("lda"))


@pytest.mark.parametrize(
    ("bought", "chosen"),
    [
        # By a hair, and differently at every seed: not a reason to leave rows out.
        ({"undersampling": 0.201, "both": 0.2}, "both"),
        ({"oversampling": 0.201, "both": 0.2, "corrected priors": 0.199}, "corrected priors"),
        # Not shown to be worse, but far less: weights do what priors cannot.
        ({"both": 0.2, "corrected priors": 0.12}, "both"),
        # Beyond chance.
        ({"undersampling": 0.3, "both": 0.1}, "undersampling"),
        ({"undersampling": 0.3, "oversampling": 0.299, "both": 0.1}, "oversampling"),
        ({"moved threshold": 0.2, "corrected priors": 0.1}, "moved threshold"),
    ],
)
def test_a_hair_that_is_no_difference_is_no_reason(study, bought, chosen):
    losses = np.full_like(study.losses, 0.4)
    spread = 0.02 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    for i, (name, value) in enumerate(bought.items()):
        condition = study.conditions.index(name)
        losses[:, condition] = 0.4 - value + spread[:, None] * (1 if i % 2 else -1)
    planted = replace(study, losses=losses, variances={})
    advised = choose_remedy(planted, "lda", "error")
    assert advised.remedy.name == chosen
    assert advised.most.name == max(bought, key=bought.get)
    assert advised.behind.value == pytest.approx(max(bought.values()) - bought[chosen])


def test_beyond_the_full_set_there_is_nothing_to_recover(study):
    """Corrected priors bring nearly all of it back: a threshold that gains more is no better."""
    losses = np.full_like(study.losses, 0.4)
    losses[:, study.conditions.index("full")] = 0.3
    losses[:, study.conditions.index("corrected priors")] = 0.31
    spread = 0.1 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    losses[:, study.conditions.index("moved threshold")] = 0.26 + spread[:, None]
    assert (
        choose_remedy(replace(study, losses=losses, variances={}), "lda").remedy.name
        == "corrected priors"
    )


def test_advice_is_of_the_loss_that_is_asked_for(study):
    for loss in study.loss_names:
        found = {remedy.name: remedy for remedy in study.remedies("lda", loss)}
        advised = choose_remedy(study, "lda", loss)
        clear = [r for r in found.values() if r.recovered.low > 0] or found.values()
        assert advised.most.recovered.value == max(r.recovered.value for r in clear)
        assert advised.behind.value == pytest.approx(
            advised.most.recovered.value - advised.remedy.recovered.value
        )
        if advised.remedy.name in ("undersampling", "oversampling"):
            assert advised.behind.value == 0 or advised.most.name == "undersampling"


def test_what_is_beyond_chance_goes_before_what_is_larger(study):
    losses = np.full_like(study.losses, 0.4)
    spread = 0.2 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    losses[:, study.conditions.index("corrected priors")] = 0.30 + spread[:, None]
    losses[:, study.conditions.index("both")] = 0.31
    advised = choose_remedy(replace(study, losses=losses, variances={}), "lda")
    assert advised.remedy.name == advised.most.name == "both"
    assert advised.remedy.recovered.low > 0


def test_advice_where_there_is_no_loss_to_speak_of():
    data = gaussian_classes([[0, 0], [1.5, 0]], sizes=[60, 60])
    study = lincore.balance(data, {"class 2": 10}, "least-squares", repeats=2)
    assert choose_remedy(study, "least-squares", "log loss").remedy.name == "corrected priors"
    one = lincore.balance(data, {"class 2": 10}, "lda", repeats=1)
    assert choose_remedy(one, "lda").remedy.name not in ("undersampling", "oversampling")
