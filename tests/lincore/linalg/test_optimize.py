"""Optimisers on functions whose minimum is known; every reason to stop can be provoked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from lincore.estimators.logistic._newton import NewtonCG, conjugate_gradients
from lincore.estimators.logistic.solvers import descend_by_rows
from lincore.linalg import Reason
from lincore.linalg.descent import backtracking_line_search, descend, take_whole_steps
from lincore.linalg.optimize import Iterate, StoppingRule

CURVATURE = np.diag([1.0, 4.0, 9.0])
MINIMUM = np.array([1.0, -2.0, 3.0])


def bowl(x):
    gradient = CURVATURE @ (x - MINIMUM)
    return Iterate(x, 5 + 0.5 * float((x - MINIMUM) @ gradient), gradient)


def down(rate):
    return lambda point: -rate * point.gradient


def fixed(rate, max_iter=1000, tol=1e-9):
    search = take_whole_steps(rate)
    return descend(
        bowl, np.zeros(3), down(rate), search=search, stopping=StoppingRule(tol, max_iter)
    )


def test_a_small_rate_finds_the_minimum_and_the_trace_tells_how():
    found = fixed(0.1)
    assert found.converged and found.reason is Reason.GRADIENT and not found.reason.remedy
    assert_allclose(found.x, MINIMUM, atol=1e-8)
    assert [step.iteration for step in found.trace] == list(range(len(found.trace)))
    assert np.all(np.diff([step.objective for step in found.trace]) <= 1e-12)
    assert np.all(np.diff([step.seconds for step in found.trace]) >= 0)
    assert found.trace[0].step_length == 0 and found.trace[1].step_length == 0.1
    assert found.trace[-1].gradient_norm <= 1e-9 < found.trace[-2].gradient_norm


@pytest.mark.parametrize(
    ("rate", "max_iter", "reason"),
    [
        (0.1, 3, Reason.ITERATIONS),
        (2 / 9 + 1e-6, 1000, Reason.OSCILLATES),
        (10.0, 1000, Reason.DIVERGED),
    ],
)
def test_reasons_of_fixed_rates(rate, max_iter, reason):
    found = fixed(rate, max_iter)
    assert found.reason is reason and not found.converged
    assert reason.words and reason.remedy
    assert np.isfinite(found.x).all()


def test_an_overflow_is_taken_back():
    """A point where the objective is no number is never the answer."""
    cliff = lambda x: Iterate(x, float(x @ x) if abs(x[0]) < 2 else np.nan, 2 * x)  # noqa: E731
    search = take_whole_steps(5.0)
    found = descend(cliff, np.ones(1), down(5.0), search=search, stopping=StoppingRule(1e-9, 9))
    assert found.reason is Reason.DIVERGED and found.x.tolist() == [1.0]


def test_halving_finds_a_shorter_step():
    found = descend(
        bowl,
        np.zeros(3),
        down(1.0),
        search=backtracking_line_search,
        stopping=StoppingRule(1e-9, 500),
    )
    assert found.converged
    assert {step.step_length for step in found.trace[1:]} <= {2.0**-k for k in range(9)}
    assert np.all(np.diff([step.objective for step in found.trace]) <= 1e-12)


def test_a_direction_uphill_is_refused():
    found = descend(
        bowl,
        np.zeros(3),
        down(-1.0),
        search=backtracking_line_search,
        stopping=StoppingRule(1e-9, 9),
    )
    assert found.reason is Reason.NO_DESCENT and len(found.trace) == 1


def test_a_tolerance_below_rounding_is_no_convergence():
    def rough(x):
        return Iterate(x, 1e9 + float(x @ x), np.where(np.abs(x) < 1e-7, 1e-7, 2 * x))

    found = descend(
        rough,
        np.ones(1),
        down(0.5),
        search=backtracking_line_search,
        stopping=StoppingRule(1e-300, 99),
    )
    assert found.reason is Reason.PRECISION and not found.converged


@given(st.integers(0, 1000), st.integers(1, 12))
def test_conjugate_gradients_solve_in_as_many_steps_as_there_are_eigenvalues(seed, m):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((m, m)))[0]
    H = (turn * rng.integers(1, 4, m)) @ turn.T
    b = rng.standard_normal(m)
    x, steps = conjugate_gradients(lambda v: H @ v, b, lambda v: v, 1e-8)
    assert steps <= 3
    assert_allclose(H @ x, b, atol=1e-6)


def test_conjugate_gradients_stop_where_there_is_no_curvature():
    H = np.diag([1.0, 0.0])
    x, _ = conjugate_gradients(lambda v: H @ v, np.array([0.0, 1.0]), lambda v: v, 1e-9)
    assert np.isfinite(x).all() and x[1] > 0


def test_newton_cg_with_the_exact_preconditioner_takes_one_inner_step():
    direction = NewtonCG(
        lambda state: lambda v: CURVATURE @ v,
        lambda state: lambda v: np.linalg.solve(CURVATURE, v),
        tol=1e-9,
    )
    found = descend(
        bowl,
        np.zeros(3),
        direction,
        search=backtracking_line_search,
        stopping=StoppingRule(1e-9, 9),
    )
    assert found.converged and len(found.trace) == 2 and direction.inner_steps == [1]


def test_sequential_steps_halve_their_rate_instead_of_wandering():
    rows = np.random.default_rng(0).standard_normal((40, 2))
    target = rows @ [1.0, 2.0] + np.tile([0.5, -0.5], 20)

    def objective(x):
        residual = rows @ x - target
        return Iterate(x, 0.5 * float(residual @ residual), rows.T @ residual)

    found = descend_by_rows(
        objective,
        lambda x, i: rows[i].T @ (rows[i] @ x - target[i]),
        np.zeros(2),
        lambda: list(np.arange(40)[:, None]),
        rate=0.5,
        stopping=StoppingRule(1e-3, 2000),
    )
    assert_allclose(found.x, np.linalg.lstsq(rows, target)[0], atol=1e-3)
    assert found.trace[-1].step_length < 0.5
    assert np.all(np.diff([step.objective for step in found.trace]) <= 0)
