"""Many small logistic regressions, fitted together.

Forty classes have 780 pairs of a few dozen rows, and a study of class sizes has hundreds of
samples: fitted one by one, most of the time is spent in Python instead of arithmetic, and a visitor
waits for seconds. The problems are set up as in single fits, and the solver "newton", which has a
leading axis, solves them side by side. The models equal those of single fits up to rounding; with
"newton-cg", to the ten digits or so to which both find the minimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.logistic.separation import overlaps
from lincore.estimators.logistic.solvers import (
    NEWTON_STEPS,
    Posed,
    newton_together,
    pose_rows,
)
from lincore.utils.typing import Array

# Solvers that find the minimum to at least eight digits.
NEWTONS = ("newton-cg", "newton")
# Products in a Newton step above which separate fits cost no more.
LARGEST_STEP = 1_000_000
# The Hessian grows with the square of the classes: with more, conjugate gradients are faster.
MOST_CLASSES = 12
# Numbers in rows or Hessians that are solved together; work can be cancelled between chunks.
LARGEST_PART = 2_000_000


def has_one_minimum(estimator: Any, *, overlap: bool = False) -> bool:
    """Return whether it is logistic regression with one result; if unpenalised, given overlap."""
    # Newton's methods continue to the minimum and one step beyond; others stop near it. Invalid
    # options are left to a single fit, which reports them.
    if type(estimator) is not LogisticRegression or estimator.solver not in NEWTONS:
        return False
    if estimator.class_weight is not None:  # of the classes of each model
        return False
    if estimator.bias_reduction is not None or estimator.selects:
        return False
    try:
        estimator._check_options()
    except ValueError:
        return False
    if not overlap and not estimator.is_shrunk:
        return False
    return estimator.max_iter is None or bool(estimator.max_iter >= NEWTON_STEPS)


class Problem(NamedTuple):
    """Rows (n, p), codes (n,) from 0 to K - 1, and optional weights (n,)."""

    rows: Any
    codes: NDArray[np.intp]
    weight: Array | None


def stackable(estimator: Any, n_classes: int) -> bool:
    """Return whether fits of a classifier may be stacked, given enough memory: see `fit_stack`."""
    return has_one_minimum(estimator, overlap=True) and n_classes <= MOST_CLASSES


def fit_stack(
    estimator: LogisticRegression, problems: Sequence[Problem], n_classes: int
) -> list[LogisticRegression | None]:
    """Fit a clone of a `stackable` estimator to each of many small problems at once."""
    models: list[LogisticRegression | None] = [None] * len(problems)
    posed: dict[int, Posed] = {}
    for b, problem in enumerate(problems):
        if _is_small(problem, n_classes):
            with suppress(ValueError):
                posed[b] = pose_rows(estimator, *problem, n_classes)
    for group in _group_by_form(posed):
        optima = newton_together([posed[b] for b in group])
        for b, optimum in zip(group, optima, strict=True):
            loss = posed[b].loss
            if optimum.converged and (loss.penalty.any() or overlaps(loss, optimum.point)):
                models[b] = model = clone(estimator)
                model.classes_ = np.arange(loss.n_classes)
                model.n_features_in_ = problems[b].rows.shape[1]
                model._keep(posed[b], optimum)
                model.separation_ = None
    return models


def _group_by_form(posed: dict[int, Posed]) -> Iterator[list[int]]:
    """Group problems of the same form and similar numbers of rows, so that padding is small."""
    # Levels and variance shares may give samples different numbers of coordinates.
    for form in dict.fromkeys(problem.loss.rows.form for problem in posed.values()):
        members = [b for b, problem in posed.items() if problem.loss.rows.form == form]
        members.sort(key=lambda b: -len(posed[b].loss.rows))
        while members:
            q, K = posed[members[0]].loss.shape
            largest = max(len(posed[members[0]].loss.rows) * q, ((K - 1) * q) ** 2)
            number = max(1, LARGEST_PART // largest)
            yield members[:number]
            members = members[number:]


def _is_small(problem: Problem, n_classes: int) -> bool:
    rows, codes, weight = problem
    if not isinstance(rows, np.ndarray) or not np.isfinite(rows).all():
        return False
    n_rows, p = rows.shape
    fits = n_rows * ((n_classes - 1) * (p + 1)) ** 2 <= LARGEST_STEP
    return fits and bool((np.bincount(codes, weight, n_classes) > 0).all())
