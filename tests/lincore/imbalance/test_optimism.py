"""The best of several corrections: what it is quoted with does not exceed the truth on noise."""

import numpy as np
import pytest

import lincore
from lincore.imbalance import choose_remedy, imbalance_cost, optimism_of_best


@pytest.mark.parametrize("correlation", [0.0, 0.7])
@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_the_best_of_several_normal_estimates_is_not_too_good(correlation, spread):
    rng = np.random.default_rng(0)
    m = 6
    truth = spread * np.linspace(0, 1, m)
    covariance = np.full((m, m), correlation) + (1 - correlation) * np.eye(m)
    draws = truth + rng.multivariate_normal(np.zeros(m), covariance, size=400)
    raw, corrected = [], []
    for values in draws:
        best = int(values.argmax())
        raw.append(values[best] - truth[best])
        corrected.append(raw[-1] - optimism_of_best(values, covariance))
    assert np.mean(raw) > 0.25
    assert np.mean(corrected) < 0.1
    assert np.mean(corrected) > -0.6  # an opinion of half the rows is a little too low


def test_no_choice_has_no_optimism_and_what_is_not_known_has_none_known():
    assert optimism_of_best(np.array([0.3]), np.eye(1)) == 0
    far = optimism_of_best(np.array([10.0, 0.0]), np.eye(2))
    assert far == pytest.approx(0, abs=0.1)
    assert np.isnan(optimism_of_best(np.array([np.nan, 1.0]), np.eye(2)))


def test_on_noise_the_recovered_points_are_chance_after_the_correction():
    raw, corrected = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        data = lincore.load((rng.normal(size=(200, 3)), np.repeat(["a", "b"], [175, 25])), name="n")
        found = imbalance_cost(data, "lda", repeats=5, seed=seed)
        best = max(one.recovered.value for one in found.corrected("lda"))
        raw.append(best)
        corrected.append(best - found.optimism("lda"))
    assert np.mean(raw) > 0.015
    assert np.mean(corrected) < 0.01


def test_both_questions_say_how_optimistic_the_best_is():
    data = lincore.sample("gaussian")
    study = lincore.balance(data, {"class 3": 8}, ["lda"], repeats=6)
    advice = choose_remedy(study, "lda", "recall of class 3")
    assert advice.n_compared == 6
    assert 0 <= advice.optimism < 0.2
    one = lincore.balance(data, {"class 3": 8}, ["lda"], repeats=1)
    assert np.isnan(choose_remedy(one, "lda", "error").optimism)
