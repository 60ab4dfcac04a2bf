"""Many small logistic regressions, fitted together.

Forty classes have 780 pairs of a few dozen rows, a study of class sizes hundreds of samples: fitted
one by one, the time goes to Python and not to arithmetic, and a visitor waits for seconds. What
comes out are the very models that fit by themselves, to the solver's tolerance.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lincore.estimators.logistic import solvers
from lincore.estimators.logistic._batched_newton import NEWTON_STEPS, Point, solve_stack
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.linalg.optimize import OptimizerStep, Reason, should_continue
from lincore.utils.typing import Array

# Solvers that end at the minimum itself, for all that numbers of eight digits can tell.
NEWTONS = ("newton-cg", "newton")
# Products of one of Newton's steps above which a fit by itself costs no more.
LARGEST_STEP = 1_000_000
# Blocks of the Hessian go with the square of the classes: of more, conjugate gradients are faster.
MOST_CLASSES = 12
# Numbers in rows or in Hessians that are solved together; between parts one may ask to stop.
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


class Problem(NamedTuple):
    """Rows (n, p), their codes (n,) from 0 to K - 1, and their weights (n,), if there are any."""

    rows: Any
    codes: NDArray[np.intp]
    weight: Array | None


def stackable(estimator: Any, n_classes: int) -> bool:
    """Tell if fits of a classifier may be made together, where there is room: see `fit_stack`."""
    return may_have_one_minimum(estimator) and n_classes <= MOST_CLASSES


def fit_stack(
    estimator: LogisticRegression, problems: Sequence[Problem], n_classes: int
) -> list[LogisticRegression | None]:
    """Fit a clone of a `stackable` estimator to each of many small problems, all at once.

    Parameters
    ----------
    estimator : LogisticRegression
    problems : sequence of B Problem
    n_classes : int

    Returns
    -------
    list of B LogisticRegression or None
        Of classes 0 to K - 1; None for what is not small, lacks a class, did not converge, or was
        not begun since it was asked to stop: these want a fit of their own, which tells why.
    """
    models: list[LogisticRegression | None] = [None] * len(problems)
    step = OptimizerStep(0, np.nan, np.inf, 0.0, 0.0)
    # As in `LogisticRegression.fit`: of two classes the difference is penalised.
    strength = (2 if n_classes == 2 else 1) / estimator.C
    small = [b for b, one in enumerate(problems) if _is_small(one, n_classes, strength)]
    for part in _parts(problems, small, n_classes):
        if not should_continue(step, NEWTON_STEPS):
            break
        trace = _Trace(len(part))
        solved = solve_stack(
            [problems[b].rows for b in part],
            [problems[b].codes for b in part],
            [problems[b].weight for b in part],
            n_classes,
            strength=strength,
            tol=estimator.tol,
            intercept=estimator.fit_intercept,
            tell=trace,
        )
        for place, b in enumerate(part):
            if solved.converged[place]:
                coef, intercept = solved.coef[place], solved.intercept[place]
                models[b] = _fitted(estimator, coef, intercept, strength, trace.steps[place])
        step = trace.steps[-1][-1] if trace.steps[-1] else step
    return models


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


def _parts(
    problems: Sequence[Problem], small: Sequence[int], n_classes: int
) -> Iterator[list[int]]:
    """Put small problems of the same width and about as many rows together: little is filled up."""
    # Levels, and shares of the variance, may leave samples with different numbers of coordinates.
    for width in sorted({problems[b].rows.shape[1] for b in small}):
        own = [b for b in small if problems[b].rows.shape[1] == width]
        own.sort(key=lambda b: -len(problems[b].rows))
        while own:
            n_values = len(problems[own[0]].rows) * (width + 1)
            largest = max(n_values, ((n_classes - 1) * (width + 1)) ** 2)
            number = max(1, LARGEST_PART // largest)
            yield own[:number]
            own = own[number:]


def _is_small(problem: Problem, n_classes: int, strength: float) -> bool:
    rows, codes, weight = problem
    if not isinstance(rows, np.ndarray) or not np.isfinite(rows).all():
        return False
    n_rows, p = rows.shape
    if not strength and n_rows < p:  # many minima
        return False
    fits = n_rows * ((n_classes - 1) * (p + 1)) ** 2 <= LARGEST_STEP
    return fits and bool((np.bincount(codes, weight, n_classes) > 0).all())


def _fitted(
    estimator: LogisticRegression,
    coef: Array,
    intercept: Array,
    strength: float,
    steps: list[OptimizerStep],
) -> LogisticRegression:
    model = clone(estimator)
    model.classes_, model.n_features_in_ = np.arange(len(coef)), coef.shape[1]
    model._set_linear(coef, intercept)
    model.log_loss_ = steps[-1].objective - 0.5 * strength * float((coef**2).sum())
    model.trace_, model.n_iter_ = tuple(steps), max(1, len(steps) - 1)
    model.reason_, model.converged_, model.separation_ = Reason.GRADIENT, True, None
    return model
