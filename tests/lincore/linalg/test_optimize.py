"""Optimisers on functions whose minimum is known; every reason to stop can be provoked."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lincore.linalg import (
    Iterate,
    Reason,
    StoppingRule,
    backtracking_line_search,
    descend,
    take_whole_steps,
)

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
