"""Logistic regression as a problem for a solver: loss, starting point, stopping rule."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from lincore.estimators.base.validation import require_classes
from lincore.estimators.logistic.conditioning import Conditioned, condition
from lincore.estimators.logistic.loss import LogisticLoss, SoftmaxLoss
from lincore.linalg.optimize import StoppingRule
from lincore.utils.threads import Mapper
from lincore.utils.typing import Array


class Posed(NamedTuple):
    """A problem as passed to a solver, with the map back to the original features.

    Attributes
    ----------
    conditioned : Conditioned
    loss : LogisticLoss
        A `SoftmaxLoss` for row-wise solvers, and if many problems are solved side by side.
    start : ndarray of shape (q, K)
    tol : float
        Bound on the largest entry of the gradient.
    max_iter : int or None
        None for the solver's own default.
    learning_rate : float or None
        None for 1/L, with L the maximum curvature by Böhning's bound.
    batch_size : int
    rng : numpy.random.Generator or RandomState
    """

    conditioned: Conditioned
    loss: Any
    start: Array
    tol: float
    max_iter: int | None
    learning_rate: float | None
    batch_size: int
    rng: Any

    def stopping(self, default: int) -> StoppingRule:
        """Return the stopping rule, with the default iteration limit of a solver."""
        limit = default if self.max_iter is None else self.max_iter
        # A penalised loss always has a minimum.
        check = None if self.loss.penalty.any() else self.loss.is_unbounded
        return StoppingRule(self.tol, limit, check)


def pose_rows(
    model: Any,
    X: Any,
    codes: NDArray[np.intp],
    weight: Array | None,
    n_classes: int,
    mapper: Mapper = map,
) -> Posed:
    """Return the problem of a model for rows (n, p) of classes 0 to K - 1."""
    count = np.bincount(codes, weight, n_classes).astype(np.float64)
    require_classes(count)
    strength = strength_of(model.C, n_classes)
    conditioned = condition(X, weight, strength, intercept=model.fit_intercept)
    rows, penalty = conditioned.rows, conditioned.penalty
    loss = SoftmaxLoss(rows, codes, n_classes, weight, penalty, mapper)
    return pose(model, loss, conditioned, count)


def pose(model: Any, loss: LogisticLoss, conditioned: Conditioned, count: Array) -> Posed:
    """Return the problem for a loss; `count` (K,) is the weight of each class."""
    # Start at the class shares: a Newton step from there gives least squares, or LDA.
    start = np.zeros(loss.shape)
    if model.fit_intercept:
        logs = np.log(np.maximum(count, 0.5 * count[count > 0].min()))
        start[-1] = logs - logs.mean()
    return Posed(
        conditioned,
        loss,
        start,
        tol=model.tol * float(loss.total),
        max_iter=model.max_iter,
        learning_rate=model.learning_rate,
        batch_size=model.batch_size,
        rng=check_random_state(model.random_state),
    )


def strength_of(C: float, n_classes: int) -> float:
    """Return the strength of the penalty on coefficients that sum to zero over the classes."""
    # Two vectors that sum to zero have a difference twice as long as either, so its square is twice
    # the sum of their squares.
    return (2 if n_classes == 2 else 1) / C
