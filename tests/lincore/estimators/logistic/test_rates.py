"""Learning rates of gradient descent: 1/L and 2/L never rise, 2/λmax is the local limit."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import LogisticRegression
from lincore.data import Split
from lincore.displays import SolversDisplay
from lincore.inspection import compare_solvers

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def classes(K, correlated=True):
    rng = np.random.default_rng(3)
    y = np.arange(120) % K
    X = rng.standard_normal((120, 3)) + y[:, None] * [1.0, 0.3, 0.0]
    if correlated:
        X[:, 2] += 2 * X[:, 0]
        return X, y
    return np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0], y


def descended(X, y, rate, steps=400):
    model = LogisticRegression(C=np.inf, solver="gradient", learning_rate=rate, max_iter=steps)
    values = np.array([step.objective for step in model.fit(X, y).trace_])
    return model, np.diff(values)


@pytest.mark.parametrize("K", [2, 3])
def test_below_2_over_L_the_loss_never_rises_and_beyond_the_local_limit_it_never_settles(K):
    X, y = classes(K)
    exact = LogisticRegression(C=np.inf, solver="newton").fit(X, y)
    rates = exact.learning_rates(X)
    assert rates.two_over_L == pytest.approx(2 * rates.one_over_L)
    assert rates.local_limit > rates.two_over_L
    for rate in (rates.one_over_L, 0.999 * rates.two_over_L):
        assert descended(X, y, rate)[1].max() <= 1e-9
    assert descended(X, y, None)[0].trace_[1].step_length == pytest.approx(rates.one_over_L)
    beyond, _ = descended(X, y, 1.05 * rates.local_limit, steps=3000)
    assert not beyond.converged_
    within, _ = descended(X, y, 0.9 * rates.local_limit, steps=3000)
    assert within.converged_


def test_uncorrelated_coordinates_make_fixed_hessian_and_gradient_one_and_that_is_said():
    solvers = ["fixed-hessian", "gradient"]
    assert "take the same steps here" in notes(*classes(3, correlated=False), solvers)
    assert "take the same steps here" not in notes(*classes(3), solvers)
    assert "take the same steps here" not in notes(*classes(3), ["newton"])


def notes(X, y, solvers):
    """Return the notes of a display of these solvers."""
    every = np.arange(len(X))
    model = lincore.fit(lincore.load((X, y)), "logistic(C=inf)", Split(every, every))
    return " ".join(SolversDisplay(model, known=compare_solvers(model, solvers)).notes())
