"""The logistic regressions of many sides or pairs of classes, fitted together where they are small.

Forty classes have 780 pairs of a few dozen rows: fitted one by one, the time goes to Python and not
to arithmetic. What comes out are the very models that fit by themselves, to the solver's tolerance.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lincore.estimators.logistic import solvers
from lincore.estimators.logistic.batched_newton import NEWTON_STEPS, Point, solve_stack
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.linalg.optimize import OptimizerStep, Reason, should_continue
from lincore.utils.typing import Array

# Solvers that end at the minimum itself, for all that numbers of eight digits can tell.
NEWTONS = ("newton-cg", "newton")
# Fewer models cost little by themselves.
FEWEST = 10
# Products of one of Newton's steps above which a fit by itself costs no more.
LARGEST_STEP = 1_000_000
# Numbers of rows that are solved together; between such parts one may ask to stop.
LARGEST_PART = 2_000_000


def has_one_minimum(estimator: Any) -> bool:
    """Tell if a classifier is logistic regression that ends at one point, however it is fitted.

    Newton's methods go on until they are there, and a step beyond; others stop somewhere near.
    Options that it would refuse are left to a fit by itself, which tells why.

    Examples
    --------
    >>> [has_one_minimum(LogisticRegression(C=C)) for C in (1.0, np.inf, -1.0)]
    [True, False, False]
    >>> [has_one_minimum(LogisticRegression(max_iter=number)) for number in (3, 100)]
    [False, True]
    """
    return may_have_one_minimum(estimator) and not np.isinf(estimator.C)


def may_have_one_minimum(estimator: Any) -> bool:
    """Tell if it ends at one point where there is one: without a penalty, if classes overlap.

    Examples
    --------
    >>> [may_have_one_minimum(LogisticRegression(C=C)) for C in (1.0, np.inf, -1.0)]
    [True, True, False]
    """
    if type(estimator) is not LogisticRegression or estimator.solver not in NEWTONS:
        return False
    if estimator.class_weight is not None:  # of each model's own classes
        return False
    try:
        estimator._check_options()
    except ValueError:
        return False
    return estimator.max_iter is None or bool(estimator.max_iter >= solvers.NEWTON_STEPS)


def stackable(estimator: Any, rows: Any, lengths: NDArray[np.intp]) -> bool:
    """Return whether binary models may be fitted together, with the same result.

    They may for logistic regression with a penalty: its minimum is one point, however one comes
    there.

    Parameters
    ----------
    estimator : classifier
    rows : array of shape (n, p)
    lengths : ndarray of shape (M,)
        How many of them each model sees.
    """
    if not (has_one_minimum(estimator) and isinstance(rows, np.ndarray)):
        return False
    size, longest = rows.shape[1] + 1, int(lengths.max())
    return len(lengths) >= FEWEST and max(longest, size) * size**2 <= LARGEST_STEP


def fit_stack(
    estimator: LogisticRegression,
    rows: NDArray[Any],
    codes: NDArray[np.intp],
    weight: Array | None,
    design: NDArray[np.int8],
) -> list[LogisticRegression | None]:
    """Fit a clone of a `stackable` estimator for each row of a design.

    Parameters
    ----------
    estimator : LogisticRegression
    rows : ndarray of shape (n, p)
    codes : ndarray of shape (n,)
    weight : ndarray of shape (n,) or None
    design : ndarray of shape (M, K)
        For each model +1 and -1 for the classes of its two sides, 0 for those that it never sees.

    Returns
    -------
    list of M LogisticRegression or None
        Of classes 0 and 1; None for what did not converge, or was not begun since it was asked to
        stop: these want a fit of their own, which tells why.
    """
    models: list[LogisticRegression | None] = [None] * len(design)
    step = OptimizerStep(0, np.nan, np.inf, 0.0, 0.0)
    for part in _parts(lengths_of(design, codes), rows.shape[1] + 1):
        if not should_continue(step, NEWTON_STEPS):
            break
        sides = [design[m][codes] for m in part]
        used = [side != 0 for side in sides]
        trace = _Trace(len(part))
        solved = solve_stack(
            [rows[chosen] for chosen in used],
            [(side[side != 0] > 0).astype(np.intp) for side in sides],
            [None if weight is None else weight[chosen] for chosen in used],
            2,
            # As in `LogisticRegression.fit`: of two classes the difference is penalised.
            strength=2 / estimator.C,
            tol=estimator.tol,
            intercept=estimator.fit_intercept,
            tell=trace,
        )
        for place, m in enumerate(part):
            if solved.converged[place]:
                models[m] = _fitted(
                    estimator, solved.coef[place], solved.intercept[place], trace.steps[place]
                )
        step = trace.steps[-1][-1] if trace.steps[-1] else step
    return models


def lengths_of(design: NDArray[np.int8], codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how many rows each model of a design sees, (M,)."""
    return np.asarray(
        np.abs(design).astype(np.intp) @ np.bincount(codes, minlength=design.shape[1])
    )


class _Trace:
    """Keep the steps of each problem, with its share of the seconds that all took."""

    def __init__(self, number: int) -> None:
        self.steps: list[list[OptimizerStep]] = [[] for _ in range(number)]
        self._began = time.perf_counter()

    def __call__(self, places: NDArray[np.intp], point: Point, length: Array) -> None:
        seconds = (time.perf_counter() - self._began) / len(self.steps)
        states = zip(places, point.value, point.size, length, strict=True)
        for place, value, size, share in states:
            steps = self.steps[place]
            steps.append(
                OptimizerStep(len(steps), float(value), float(size), float(share), seconds)
            )


def _parts(lengths: NDArray[np.intp], size: int) -> Iterator[list[int]]:
    """Put models of about as many rows together, so that little is filled up."""
    order = np.argsort(-lengths, kind="stable")
    while len(order):
        number = max(1, LARGEST_PART // (int(lengths[order[0]]) * size))
        yield order[:number].tolist()
        order = order[number:]


def _fitted(
    estimator: LogisticRegression, coef: Array, intercept: Array, steps: list[OptimizerStep]
) -> LogisticRegression:
    model = clone(estimator)
    model.classes_, model.n_features_in_ = np.array([0, 1]), coef.shape[1]
    model._set_linear(coef, intercept)
    model.log_loss_ = steps[-1].objective - float((coef**2).sum()) / estimator.C
    model.trace_, model.n_iter_ = tuple(steps), max(1, len(steps) - 1)
    model.reason_, model.converged_, model.separation_ = Reason.GRADIENT, True, None
    return model
