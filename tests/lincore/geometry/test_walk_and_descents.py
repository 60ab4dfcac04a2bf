"""The perceptron, step by step and the race of solvers: the known numbers of the laboratory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import lincore
from lincore import DataError
from lincore.data import gaussian_classes
from lincore.estimators import mistake_bound
from lincore.geometry import LogisticError, descend_logistic, perceptron_walk
from lincore.linalg import Reason


@pytest.fixture(scope="module")
def R():
    data = lincore.sample("prml chapter 4")
    return data.X[:100], data.codes[:100]


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def widest(X, y):
    """Return weights of widest margin in the space of (1, x)."""
    rows = np.column_stack([np.ones(len(X)), X]) * (2 * y - 1)[:, None]
    start = lincore.LogisticRegression(C=1e4).fit(X, y)
    w = np.r_[start.intercept_, start.coef_[0]]
    w = w / (rows @ w).min()
    fitted = minimize(
        lambda w: w @ w,
        w,
        jac=lambda w: 2 * w,
        constraints={"type": "ineq", "fun": lambda w: rows @ w - 1, "jac": lambda w: rows},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return fitted.x


@pytest.mark.parametrize(
    ("prepare", "mistakes", "bound"),
    [(lambda X: X, [38, 9, 0], 4095.08), (standardised, [4, 0], 55.82)],
)
def test_mistakes_of_the_r_rows_by_epoch_stay_below_the_bound(R, prepare, mistakes, bound):
    X, y = prepare(R[0]), R[1]
    walk = perceptron_walk(X, y)
    assert walk.converged and walk.mistakes.tolist() == mistakes
    w = widest(X, y)
    found = mistake_bound(X, y, [w[1:]], [w[0]])
    assert found == pytest.approx(bound, rel=2e-5) and sum(mistakes) <= found
    same = lincore.Perceptron(standardize=False, shuffle=False).fit(X, y)
    np.testing.assert_allclose(walk.weights[-1][1:], same.coef_[0])
    assert walk.weights[-1][0] == pytest.approx(same.intercept_[0])
    changed = np.any(np.diff(walk.weights, axis=0) != 0, axis=1)
    np.testing.assert_array_equal(changed, walk.mistaken)


def test_a_start_that_separates_stays_and_another_order_is_another_walk(R):
    X, y = R
    w = widest(X, y)
    still = perceptron_walk(X, y, start=1.001 * w)
    assert still.mistakes.tolist() == [0] and np.all(still.weights == still.weights[0])
    other = perceptron_walk(X, y, order=np.arange(100)[::-1])
    assert other.converged and other.rows[0] == 99
    never = perceptron_walk([[0.0], [1.0], [2.0]], [0, 1, 0], max_epochs=7)
    assert not never.converged and len(never.mistakes) == 7


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": [0.0]},
        {"start": [np.nan, 0.0]},
        {"order": [0, 0, 1]},
        {"eta": 0.0},
        {"y": [0, 1, 2]},
    ],
)
def test_walks_that_make_no_sense_are_refused(wrong):
    with pytest.raises(DataError):
        perceptron_walk([[0.0], [1.0], [2.0]], wrong.pop("y", [0, 1, 1]), **wrong)


@pytest.fixture(scope="module")
def A():
    data = gaussian_classes([[0.0], [2.0]], sizes=[60, 40], seed=0)
    design = np.column_stack([data.X, np.ones(100)])
    return LogisticError(design, data.codes.astype(float))


def test_the_race_in_given_coordinates_has_the_known_numbers_of_steps(A):
    newton = descend_logistic(A)
    fixed = descend_logistic(A, "fixed-hessian")
    assert (newton.n_steps, fixed.n_steps, fixed.n_rises) == (6, 83, 0)
    values = np.linalg.eigvalsh(A.bound())
    top = np.linalg.eigvalsh(A.hessian(newton.positions[-1]))
    assert 1 / values[-1] == pytest.approx(0.014219, abs=5e-7)
    assert 2 / top[-1] == pytest.approx(0.0667916, abs=5e-8)
    best = 2 / (top[0] + top[-1])
    assert best == pytest.approx(0.060284, abs=5e-7)
    safe = descend_logistic(A, "gradient")
    assert (safe.n_steps, safe.n_rises) == (318, 0)
    assert descend_logistic(A, "gradient", rate=best).n_steps == 79
    edge = descend_logistic(A, "gradient", rate=0.98 * 2 / top[-1])
    assert (edge.n_steps, edge.n_rises) == (379, 11)
    beyond = descend_logistic(A, "gradient", rate=1.05 * 2 / top[-1])
    assert beyond.reason is Reason.ITERATIONS
    for descent in (newton, fixed, safe, edge):
        assert descent.reason is Reason.GRADIENT
        assert len(descent.positions) == len(descent.trace)
        np.testing.assert_allclose(descent.positions[-1], newton.positions[-1], atol=1e-5)
        for place, step in zip(descent.positions, descent.trace, strict=True):
            assert A(place).value == pytest.approx(step.objective, rel=1e-12)


def test_newton_explodes_from_afar_without_halving_and_not_with_it(A):
    afar = descend_logistic(A, start=[5.0, 5.0], halving=False, max_iter=100)
    assert afar.reason is not Reason.GRADIENT
    assert descend_logistic(A, start=[5.0, 5.0]).reason is Reason.GRADIENT


def test_a_newton_step_is_weighted_least_squares_of_the_working_response(A):
    w = np.array([0.4, -0.3])
    step = A.reweighted(w)
    np.testing.assert_allclose(step.curvature, step.fitted * (1 - step.fitted))
    np.testing.assert_allclose(
        step.targets, A.design @ w - (step.fitted - A.targets) / step.curvature
    )
    np.testing.assert_allclose(
        step.hessian, A.design.T @ np.diag(step.curvature) @ A.design, rtol=1e-12
    )
    newton = w - np.linalg.solve(step.hessian, step.point.gradient)
    np.testing.assert_allclose(step.weights, newton)
    h = 1e-5
    numeric = [(A(w + h * unit).value - A(w - h * unit).value) / (2 * h) for unit in np.eye(2)]
    np.testing.assert_allclose(step.point.gradient, numeric, rtol=1e-6)


def test_the_first_step_from_zero_is_least_squares_and_certain_rows_have_no_weight(A):
    first = A.reweighted(np.zeros(2))
    squares = np.linalg.lstsq(A.design, 4 * (A.targets - 0.5))[0]
    np.testing.assert_allclose(first.weights, squares)
    certain = A.reweighted(np.array([1e4, 0.0]))
    assert np.any(certain.curvature == 0) and np.isfinite(certain.weights).all()


def test_a_start_or_rate_that_does_not_fit_is_refused(A):
    with pytest.raises(DataError, match="2 finite weights"):
        descend_logistic(A, start=[1.0])
    with pytest.raises(DataError, match="not positive"):
        descend_logistic(A, "gradient", rate=-1.0)


def test_last_weights_of_overlapping_classes_are_an_accident_and_the_pocket_is_not():
    data = gaussian_classes([[0, 0], [3, 0]], sizes=[60, 60], seed=0)
    wrong = {"last": [], "pocket": [], "averaged": []}
    for kept, found in wrong.items():
        for seed in range(5):
            model = lincore.Perceptron(weights=kept, random_state=seed)
            with pytest.warns(UserWarning):
                model.fit(data.X, data.codes)
            found.append(int((model.predict(data.X) != data.codes).sum()))
    assert wrong == {
        "last": [11, 23, 9, 16, 11],
        "pocket": [8] * 5,
        "averaged": [9, 9, 9, 9, 8],
    }
