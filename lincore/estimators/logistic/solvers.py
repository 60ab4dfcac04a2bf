"""The five solvers of logistic regression: direction and step length of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from lincore.estimators.logistic._newton import NewtonCG
from lincore.estimators.logistic.loss import Linear, LogisticLoss, SoftmaxLoss
from lincore.estimators.logistic.posed import Posed
from lincore.linalg.covariance import is_positive
from lincore.linalg.descent import (
    Alone,
    Directions,
    ObjectiveStack,
    alone,
    backtracking_line_search,
    descend,
    descend_together,
    one_step_more,
    take_whole_steps,
)
from lincore.linalg.optimize import (
    Iterate,
    Objective,
    OptimizerStep,
    Optimum,
    Reason,
    StoppingRule,
    largest_entry,
)
from lincore.utils.typing import Array

# Up to this many parameters the preconditioner is a whole Hessian, from this many rows per
# parameter. With more, one matrix for all classes needs more products but two fifths of the time.
WHOLE_HESSIAN = 300
# Up to this many parameters the last step is solved to more digits.
SMALL = 3000
ROWS_PER_PARAMETER = 10
# Below twice this many parameters it uses all rows, then every second one, and so on.
CHEAP = 64
# Rows per column from which the single preconditioner for all classes is estimated.
ROWS_PER_COLUMN = 25
# Default maximum number of Newton steps.
NEWTON_STEPS = 100


def newton(posed: Posed) -> Optimum:
    """Solve with the whole Hessian, for one problem: see `newton_together`."""
    directions = alone(partial(_newton_directions, posed.loss))
    return _newton(Alone(posed.loss), [posed], directions, directions)[0]


def newton_together(posed: Sequence[Posed]) -> list[Optimum]:
    """Solve with the whole Hessian: iteratively reweighted least squares with step halving.

    Problems with rows of the same form and the same number of classes are solved side by side, each
    as in `newton`.
    """
    stack = SoftmaxLoss.stacked([one.loss for one in posed])
    return _newton(stack, posed, _newton_directions, _newton_directions)


def newton_cg(posed: Posed) -> Optimum:
    """Solve by conjugate gradients: the Hessian is multiplied in float32, never formed.

    For large problems, in which the whole Hessian costs more than some products with it or does not
    fit into memory.
    """
    loss = posed.loss
    q, K = loss.shape
    n_parameters = (K - 1) * q
    whole = n_parameters <= WHOLE_HESSIAN
    build = _one_diagonal if loss.wide else _whole_hessian if whole else _one_matrix
    hessian_at, precondition = partial(loss.product_at, exact=False), partial(build, loss)
    direction = NewtonCG(hessian_at, precondition, tol=posed.tol)

    def refined(point: Iterate) -> Array:
        return direction.refined(point, loss.product_at(point.state, exact=True))

    last = alone(refined) if n_parameters <= SMALL and not loss.wide else None
    return _newton(Alone(loss), [posed], alone(direction), last)[0]


def fixed_hessian(posed: Posed) -> Optimum:
    """Use Böhning's upper bound ``½ (I - 11ᵀ/K) ⊗ XᵀX`` of the Hessian at every point."""
    solve = robust_solver(posed.loss.bound())
    return descend(
        posed.loss,
        posed.start,
        lambda point: -solve(point.gradient),
        search=backtracking_line_search,
        stopping=posed.stopping(10_000),
    )


def gradient(posed: Posed) -> Optimum:
    """Gradient descent with a fixed learning rate."""
    rate = posed.learning_rate
    if rate is None:
        rate = 1 / float(np.linalg.eigvalsh(posed.loss.bound())[-1])
    return descend(
        posed.loss,
        posed.start,
        lambda point: -rate * point.gradient,
        search=take_whole_steps(rate),
        stopping=posed.stopping(10_000),
    )


def sgd(posed: Posed) -> Optimum:
    """Stochastic gradient descent, one row or small batch at a time."""
    loss, rate = posed.loss, posed.learning_rate
    if rate is None:
        # The inverse bound for a batch of average rows, which does not overshoot.
        half = np.full(len(loss.rows), 0.5)
        trace = float(loss.diagonal(half).sum())
        rate = 1 / (trace / len(loss.rows) * posed.batch_size)

    def order() -> list[NDArray[np.intp]]:
        shuffled = posed.rng.permutation(len(loss.rows))
        return np.split(shuffled, range(posed.batch_size, len(shuffled), posed.batch_size))

    return descend_by_rows(
        loss,
        loss.part_gradient,
        posed.start,
        order,
        rate=rate,
        stopping=posed.stopping(100),
    )


def descend_by_rows(
    objective: Objective,
    part_gradient: Callable[[Array, NDArray[np.intp]], Array],
    start: Array,
    order: Callable[[], list[NDArray[np.intp]]],
    *,
    rate: float,
    stopping: StoppingRule,
) -> Optimum:
    """Go through all rows again and again, ``x ← x - rate * gradient over the batch``.

    With a fixed rate the steps never die out, and x wanders about the minimum. So the rate is
    halved, and the epoch taken back, whenever an epoch has not lowered the objective over all
    rows. The trace and the stopping rule are those of `descend`, once for each epoch.
    """
    began = time.perf_counter()
    point = objective(start)
    trace = [
        OptimizerStep(
            0, point.value, largest_entry(point.gradient), 0.0, time.perf_counter() - began
        )
    ]
    while (reason := stopping.reason(trace)) is None:
        x = point.x.copy()
        # A rate far too large overflows; the epoch is then taken back like any other bad one.
        with np.errstate(all="ignore"):
            for batch in order():
                x -= rate * part_gradient(x, batch)
            after = objective(x)
        seconds = time.perf_counter() - began
        lower = after.value < point.value
        if lower:
            point = after
        trace.append(
            OptimizerStep(len(trace), point.value, largest_entry(point.gradient), rate, seconds)
        )
        rate = rate if lower else rate / 2
        if rate < np.finfo(float).tiny:
            reason = Reason.PRECISION
            break
    return Optimum(point, reason, tuple(trace))


SOLVERS: dict[str, Callable[[Posed], Optimum]] = {
    "newton": newton,
    "newton-cg": newton_cg,
    "fixed-hessian": fixed_hessian,
    "gradient": gradient,
    "sgd": sgd,
}


def robust_solver(matrix: Array) -> Linear:
    """Return ``b -> matrix⁻¹ b`` for a symmetric positive semidefinite matrix (m, m).

    In units in which its diagonal is one. Null-space directions are left unchanged.
    """
    scaled, unit = _of_unit_diagonal(matrix)
    solve = _solver(scaled)
    return lambda b: (solve((b.T / unit).T).T / unit).T


def robust_solve(matrices: Array, targets: Array) -> Array:
    """Solve for each of some matrices (..., m, m) and targets (..., m) as `robust_solver` does."""
    scaled, unit = _of_unit_diagonal(matrices)
    m = targets.shape[-1]
    pairs = zip(scaled.reshape(-1, m, m), (targets / unit).reshape(-1, m), strict=True)
    solved = np.array([_solver(matrix)(target) for matrix, target in pairs])
    return solved.reshape(targets.shape) / unit


def _of_unit_diagonal(matrices: Array) -> tuple[Array, Array]:
    diagonal = np.diagonal(matrices, axis1=-2, axis2=-1)
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    return matrices / unit[..., None, :] / unit[..., None], unit


def _solver(scaled: Array) -> Linear:
    factor, failed = lapack.dpotrf(scaled)
    if not failed and is_positive(factor.diagonal() ** 2).all():
        return lambda b: np.asarray(lapack.dpotrs(factor, b)[0])
    values, vectors = np.linalg.eigh(scaled)
    kept = is_positive(values)
    root = vectors[:, kept] / np.sqrt(values[kept])
    return lambda b: root @ (root.T @ b)


def _newton(
    objective: ObjectiveStack,
    posed: Sequence[Posed],
    directions: Directions,
    last: Directions | None,
) -> list[Optimum]:
    """Take Newton steps until each gradient is small, and one more."""
    start = np.stack([one.start for one in posed])
    stopping = [one.stopping(NEWTON_STEPS) for one in posed]
    found = descend_together(
        objective, start, directions, search=backtracking_line_search, stopping=stopping
    )
    return found if last is None else one_step_more(objective, found, last, stopping)


def _newton_directions(loss: LogisticLoss, point: Iterate) -> Array:
    """Return the Newton direction of one problem or of each problem of a stack."""
    hessian = loss.hessian(point.state, exact=True)
    return _by_differences(partial(robust_solve, hessian), -point.gradient)


def _by_differences(solve: Linear, target: Array) -> Array:
    """Solve for differences from the first class; return coefficients that sum to zero.

    Because a gradient sums to zero over the classes, its part for the differences consists of all
    columns except the first.
    """
    full = np.zeros(target.shape)
    others = target[..., 1:].swapaxes(-1, -2)
    solved = solve(others.reshape(*others.shape[:-2], -1)).reshape(others.shape)
    full[..., 1:] = solved.swapaxes(-1, -2)
    return _of_sum_zero(full)


def _of_sum_zero(values: Array) -> Array:
    """Subtract from values (..., q, K) their means over the classes."""
    return values - np.add.reduce(values, axis=-1, keepdims=True) / values.shape[-1]


def _whole_hessian(loss: LogisticLoss, state: Any) -> Linear:
    """Precondition by the Hessian of every n-th row."""
    q, K = loss.shape
    n_parameters = (K - 1) * q
    # With few parameters, using all rows costs as much as a few products and saves more: with heavy
    # tails or nearly separable classes a sample lacks the few rows that matter.
    every = min(loss.n_rows // (ROWS_PER_PARAMETER * n_parameters), n_parameters // CHEAP)
    every = max(1, every)
    hessian = loss.hessian(state, exact=False, every=every)
    solve = robust_solver(_ridged(hessian))
    return lambda target: _by_differences(solve, _of_sum_zero(target))


def _one_matrix(loss: LogisticLoss, state: Any) -> Linear:
    """Precondition by one (q, q) matrix for all classes: Böhning's with row weights."""
    every = max(1, loss.n_rows // (ROWS_PER_COLUMN * loss.shape[0]))
    return robust_solver(_ridged(loss.unsettled(state, every=every)))


def _one_diagonal(loss: LogisticLoss, state: Any) -> Linear:
    """Precondition by the diagonal of the matrix of `_one_matrix`, if that is too large."""
    diagonal = loss.unsettled_diagonal(state)
    diagonal += 1e-5 * diagonal.mean()
    return lambda target: target / diagonal[:, None]


def _ridged(matrix: Array) -> Array:
    """Add to the diagonal the possible rounding error of float32 products."""
    diagonal = np.diagonal(matrix)
    return matrix + 1e-5 * np.diag(diagonal + 1e-3 * diagonal.mean())
