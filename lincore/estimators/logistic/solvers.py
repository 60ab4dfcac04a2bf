"""The five solvers of logistic regression: direction and step length of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, lapack

from lincore.estimators.logistic._newton import Linear, NewtonCG
from lincore.estimators.logistic._sgd import descend_by_rows
from lincore.estimators.logistic.loss import Loss, SoftmaxLoss
from lincore.linalg.covariance import is_positive
from lincore.linalg.optimize import (
    OptimizerStep,
    Optimum,
    Point,
    StoppingRule,
    backtracking_line_search,
    descend,
    largest_entry,
    take_whole_steps,
)
from lincore.utils.typing import Array

# Up to so many parameters the preconditioner is a whole Hessian, from so many rows for each.
WHOLE_HESSIAN = 3000
ROWS_PER_PARAMETER = 10
# Below twice so many parameters it is that of all rows, then of every second one, and so on.
CHEAP = 64
# The preconditioner by one matrix for all classes is estimated from so many rows for each column.
ROWS_PER_COLUMN = 25
# Steps of Newton's method at most, where no number is given.
NEWTON_STEPS = 100


class Settings(NamedTuple):
    """Options of a solver.

    Attributes
    ----------
    tol : float
        Bound of the largest entry of the gradient.
    max_iter : int or None
        None for the solver's own default.
    learning_rate : float or None
        None for 1/L, with L the largest curvature by Böhning's bound.
    batch_size : int
    rng : numpy.random.Generator or RandomState
    """

    tol: float
    max_iter: int | None
    learning_rate: float | None
    batch_size: int
    rng: Any

    def limit(self, default: int) -> int:
        """Return how many iterations there may be."""
        return default if self.max_iter is None else self.max_iter

    def stopping(self, loss: Loss, default: int) -> StoppingRule:
        """Return when a descent stops that has a default limit of iterations."""
        return StoppingRule(self.tol, self.limit(default), loss.is_unbounded)


def newton(loss: Loss, start: Array, settings: Settings) -> Optimum:
    """Solve with the whole Hessian: iteratively reweighted least squares, steps halved if needed.

    References
    ----------
    "prml-chapter-4-in-r", section 4.3.3; "faces-generative-vs-discriminative", "Newton-Raphson".
    """

    def direction(point: Point) -> Array:
        hessian = loss.hessian(point.state, exact=True)
        return _by_differences(robust_solver(hessian), -point.gradient)

    found = _descend_by_halving(loss, start, direction, settings, max_iter=NEWTON_STEPS)
    return _refined(loss, found, direction, settings)


def newton_cg(loss: Loss, start: Array, settings: Settings) -> Optimum:
    """Solve by conjugate gradients: the Hessian is multiplied in float32, never formed."""
    q, K = loss.shape
    small = (K - 1) * q <= WHOLE_HESSIAN
    build = _one_diagonal if loss.wide else _whole_hessian if small else _one_matrix
    hessian_at, precondition = partial(loss.product_at, exact=False), partial(build, loss)
    direction = NewtonCG(hessian_at, precondition, tol=settings.tol)
    found = _descend_by_halving(loss, start, direction, settings, max_iter=NEWTON_STEPS)
    if not small or loss.wide:
        return found

    def refine(point: Point) -> Array:
        return direction.refined(point, loss.product_at(point.state, exact=True))

    return _refined(loss, found, refine, settings)


def fixed_hessian(loss: Loss, start: Array, settings: Settings) -> Optimum:
    """Use Böhning's bound ``½ (I - 11ᵀ/K) ⊗ XᵀX``, which no Hessian exceeds, at every point.

    References
    ----------
    Böhning (1992), "Multinomial logistic regression algorithm". The fixed Hessian of
    "faces-generative-vs-discriminative", "Fixed Learning Rate", is one of its kind.
    """
    solve = robust_solver(loss.bound())
    return _descend_by_halving(
        loss, start, lambda point: -solve(point.gradient), settings, max_iter=10_000
    )


def gradient(loss: Loss, start: Array, settings: Settings) -> Optimum:
    """Go down the gradient with a fixed learning rate.

    References
    ----------
    "faces-generative-vs-discriminative", "Fixed Learning Rate": "this algorithm might oscillate".
    """
    rate = settings.learning_rate
    if rate is None:
        rate = 1 / float(np.linalg.eigvalsh(loss.bound())[-1])
    return descend(
        loss,
        start,
        lambda point: -rate * point.gradient,
        search=take_whole_steps(rate),
        stopping=settings.stopping(loss, 10_000),
    )


def sgd(loss: SoftmaxLoss, start: Array, settings: Settings) -> Optimum:
    """Go down the gradient of one row, or a small batch, after the other."""
    rate = settings.learning_rate
    if rate is None:
        # One over the bound of a batch of mean rows: it does not overshoot, whatever comes.
        half = np.full(len(loss.rows), 0.5)
        trace = float(loss.diagonal(half).sum())
        bound = trace / len(loss.rows) * settings.batch_size
        rate = 1 / bound

    def order() -> list[NDArray[np.intp]]:
        shuffled = settings.rng.permutation(len(loss.rows))
        return np.split(shuffled, range(settings.batch_size, len(shuffled), settings.batch_size))

    return descend_by_rows(
        loss,
        loss.part_gradient,
        start,
        order,
        rate=rate,
        stopping=StoppingRule(settings.tol, settings.limit(100)),
    )


SOLVERS: dict[str, Callable[[Any, Array, Settings], Optimum]] = {
    "newton": newton,
    "newton-cg": newton_cg,
    "fixed-hessian": fixed_hessian,
    "gradient": gradient,
    "sgd": sgd,
}


def robust_solver(matrix: Array) -> Linear:
    """Return ``b -> matrix⁻¹ b`` for a symmetric positive semidefinite matrix (m, m).

    In units in which its diagonal is one. Directions that it does not see are left alone.
    """
    diagonal = np.diagonal(matrix)
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = matrix / unit / unit[:, None]
    try:
        factor = cho_factor(scaled)
        if is_positive(np.diagonal(factor[0]) ** 2).all():
            return lambda b: (_by_factor(factor[0], (b.T / unit).T).T / unit).T
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(scaled)
    kept = is_positive(values)
    root = vectors[:, kept] / np.sqrt(values[kept]) / unit[:, None]
    return lambda b: root @ (root.T @ b)


def _by_factor(factor: Array, b: Array) -> Array:
    """Solve by a Cholesky factor above the diagonal; of few numbers, in a tenth of `cho_solve`."""
    return np.asarray(lapack.dpotrs(factor, np.asarray_chkfinite(b))[0])


def _descend_by_halving(
    loss: Loss,
    start: Array,
    direction: Callable[[Point], Array],
    settings: Settings,
    *,
    max_iter: int,
) -> Optimum:
    return descend(
        loss,
        start,
        direction,
        search=backtracking_line_search,
        stopping=settings.stopping(loss, max_iter),
    )


def _refined(
    loss: Loss, found: Optimum, direction: Callable[[Point], Array], settings: Settings
) -> Optimum:
    """Take one of Newton's steps more at a minimum, which doubles the digits there.

    A small gradient alone says little of coefficients that are correlated: at 1e-8 they may have
    four digits.
    """
    if not found.converged or len(found.trace) > (settings.max_iter or NEWTON_STEPS):
        return found
    began, last = time.perf_counter(), found.trace[-1]
    after = loss(found.x + direction(found.point))
    norm = largest_entry(after.gradient)
    if not norm < last.gradient_norm:
        return found
    seconds = last.seconds + time.perf_counter() - began
    step = OptimizerStep(len(found.trace), after.value, norm, 1.0, seconds)
    return replace(found, point=after, trace=(*found.trace, step))


def _by_differences(solve: Linear, target: Array) -> Array:
    """Solve in the differences of the classes from the first; return coefficients of sum zero.

    Since a gradient sums to zero over the classes, its part for the differences is its own
    columns but the first.
    """
    q, K = target.shape
    full = np.zeros((q, K))
    full[:, 1:] = solve(target[:, 1:].T.ravel()).reshape(K - 1, q).T
    return _of_sum_zero(full)


def _of_sum_zero(values: Array) -> Array:
    """Return values (q, K) without their means over the classes."""
    return values - np.add.reduce(values, axis=1, keepdims=True) / values.shape[1]


def _whole_hessian(loss: Loss, state: Any) -> Linear:
    """Precondition by the Hessian of each so-many-th row."""
    q, K = loss.shape
    n_parameters = (K - 1) * q
    # Of few parameters all rows cost what a few products do, and save more of them: of heavy tails
    # and classes all but separated a sample lacks the few rows that matter.
    every = min(loss.n_rows // (ROWS_PER_PARAMETER * n_parameters), n_parameters // CHEAP)
    every = max(1, every)
    hessian = loss.hessian(state, exact=False, every=every)
    solve = robust_solver(_ridged(hessian))
    return lambda target: _by_differences(solve, _of_sum_zero(target))


def _one_matrix(loss: Loss, state: Any) -> Linear:
    """Precondition by one (q, q) matrix for all classes, Böhning's with the rows' own weights."""
    every = max(1, loss.n_rows // (ROWS_PER_COLUMN * loss.shape[0]))
    return robust_solver(_ridged(loss.unsettled(state, every=every)))


def _one_diagonal(loss: Loss, state: Any) -> Linear:
    """Precondition by the diagonal of the matrix of `_one_matrix`, where that is too large."""
    diagonal = loss.unsettled_diagonal(state)
    diagonal += 1e-5 * diagonal.mean()
    return lambda target: target / diagonal[:, None]


def _ridged(matrix: Array) -> Array:
    """Add to the diagonal what float32 products may have taken from it."""
    diagonal = np.diagonal(matrix)
    return matrix + 1e-5 * np.diag(diagonal + 1e-3 * diagonal.mean())
