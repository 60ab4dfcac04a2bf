"""Logistic regression as a minimisation problem, and its five solvers: one loop, five directions.

The loop is `lincore.linalg.descent.descend_together`: direction, line search, trace, stopping rule.
A solver only says which direction it takes and how it chooses the length of a step. Newton's method
also solves many small problems side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils import check_random_state

from lincore.estimators.base.validation import require_classes
from lincore.estimators.logistic.conditioning import Conditioned, condition, condition_features
from lincore.estimators.logistic.elastic_net import ElasticNetLoss
from lincore.estimators.logistic.firth import FirthLoss
from lincore.estimators.logistic.loss import Linear, LogisticLoss, SoftmaxLoss, SummedLoss
from lincore.linalg.covariance import is_positive
from lincore.linalg.descent import (
    Direction,
    ObjectiveStack,
    Search,
    SearchResult,
    SingleObjective,
    as_directions,
    backtracking_line_search,
    descend_together,
    refine_optima,
    take_whole_steps,
)
from lincore.linalg.optimize import Iterate, Optimum, Reason, StoppingRule
from lincore.utils.threads import Mapper
from lincore.utils.typing import Array

# A loss in nats per row at which separated classes need no further descent.
NEGLIGIBLE_LOSS = 1e-3
# Default maximum number of Newton steps.
NEWTON_STEPS = 100
# A whole Hessian of every n-th row preconditions conjugate gradients of up to n times this many
# parameters. With more, one matrix for all classes needs more products but costs less.
WHOLE_HESSIAN = 400
# Up to this many parameters the last step is solved to more digits.
SMALL = 3000
# Rows for each parameter of a preconditioner: the whole Hessian, or one matrix for all classes.
ROWS_PER_PARAMETER, ROWS_PER_COLUMN = 10, 25
# With few parameters, a whole Hessian of all rows costs as much as a few products and saves more:
# with heavy tails or nearly separable classes a sample lacks the few rows that matter. From twice
# this many parameters on it uses every second row, and so on.
CHEAP = 64
# Maximum number of steps of conjugate gradients, and relative residual of a refining direction.
MAX_INNER, REFINED = 500, 1e-3
# A preconditioner that needed this many inner steps is rebuilt at the next point.
WORN_AFTER = 8
# Up to this many parameters the largest eigenvalue is that of a Hessian that is formed.
LARGEST_DENSE = 200


class Posed(NamedTuple):
    """A problem as passed to a solver, with the map back to the original features."""

    conditioned: Conditioned
    loss: Any  # a `SoftmaxLoss` for row-wise solvers, and if problems are solved side by side
    start: Array  # (q, K)
    tol: float  # bound on the largest entry of the gradient
    max_iter: int | None  # None for the solver's own default
    learning_rate: float | None  # None for 1/L, with L the maximum curvature by Böhning's bound
    batch_size: int
    rng: Any

    def stopping(self, default: int) -> StoppingRule:
        """Return the stopping rule, with the default iteration limit of a solver."""
        limit = default if self.max_iter is None else self.max_iter
        # A penalised loss always has a minimum.
        check = None if self.loss.penalty.any() else self._is_unbounded
        return StoppingRule(self.tol, limit, check)

    def _is_unbounded(self, point: Iterate) -> bool:
        """Return whether there is clearly no minimum: separated classes, almost no loss left."""
        slight = point.value <= NEGLIGIBLE_LOSS * self.loss.total
        return bool(slight and self.loss.separates(point))


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
    if model.selects:
        conditioned = condition_features(X, weight, intercept=model.fit_intercept)
    else:
        strength = strength_of(model, n_classes)
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


def strength_of(model: Any, n_classes: int) -> float:
    """Return the strength of the penalty on coefficients that sum to zero over the classes."""
    # Two vectors that sum to zero have a difference twice as long as either, so its square is twice
    # the sum of their squares.
    return (2 if n_classes == 2 else 1) / model.C if model.is_shrunk else 0.0


class Solver(NamedTuple):
    """The parts of the descent that depend on the solver."""

    direction: Direction
    search: Search
    max_iter: int  # default iteration limit
    last: Direction | None = None  # direction of one more step at the minimum


def minimise(posed: Posed, solver: str) -> Optimum:
    """Minimise the loss by one of `SOLVERS`, or by Newton steps on an active set."""
    if isinstance(posed.loss, ElasticNetLoss):
        method = Solver(posed.loss.direction, backtracking_line_search, NEWTON_STEPS)
    else:
        method = SOLVERS[solver](posed)
    if isinstance(posed.loss, SummedLoss):  # every step takes a pass over all rows
        method = method._replace(direction=_Secants(method.last or method.direction), last=None)
    elif isinstance(posed.loss, FirthLoss):  # its direction lacks the curvature of the penalty
        secants = _Secants(method.direction)
        method = method._replace(direction=secants, last=secants)
    objective, stopping = SingleObjective(posed.loss), [posed.stopping(method.max_iter)]
    (optimum,) = descend_together(
        objective,
        posed.start[None],
        as_directions(method.direction),
        search=method.search,
        stopping=stopping,
    )
    if method.last is None:
        return optimum
    return refine_optima(objective, [optimum], as_directions(method.last), stopping)[0]


def subtract_bias(loss: SoftmaxLoss, optimum: Optimum) -> Optimum:
    """Return a maximum of the likelihood less its estimated bias: one step towards Firth's."""
    # King, Zeng (2001), "Logistic regression in rare events data", eqs. 14 and 15.
    penalised = FirthLoss(loss)
    step = newton_direction(loss, penalised(optimum.x))
    return replace(optimum, point=loss(optimum.x + step))


def newton_together(posed: Sequence[Posed]) -> list[Optimum]:
    """Solve many problems by Newton's method side by side, each as `newton` would."""
    # Their rows have the same form, and their classes the same number.
    stack = SoftmaxLoss.stacked([problem.loss for problem in posed])
    start = np.stack([problem.start for problem in posed])
    stopping = [problem.stopping(NEWTON_STEPS) for problem in posed]
    optima = descend_together(
        stack, start, newton_direction, search=backtracking_line_search, stopping=stopping
    )
    return refine_optima(stack, optima, newton_direction, stopping)


def newton(posed: Posed) -> Solver:
    """Solve with the whole Hessian: iteratively reweighted least squares with step halving."""
    direction = partial(newton_direction, posed.loss)
    return Solver(direction, backtracking_line_search, NEWTON_STEPS, last=direction)


def newton_cg(posed: Posed) -> Solver:
    """Solve by conjugate gradients: the Hessian is multiplied in float32, never formed."""
    # For large problems, in which the whole Hessian costs more than some products with it or does
    # not fit into memory.
    direction = _NewtonCG(posed.loss, posed.tol)
    last = direction.refine if direction.is_small else None
    return Solver(direction, backtracking_line_search, NEWTON_STEPS, last)


def fixed_hessian(posed: Posed) -> Solver:
    """Use Böhning's upper bound ``½ (I - 11ᵀ/K) ⊗ XᵀX`` of the Hessian at every point."""
    solve = robust_solver(posed.loss.bound())
    return Solver(lambda point: -solve(point.gradient), backtracking_line_search, 10_000)


def gradient(posed: Posed) -> Solver:
    """Gradient descent with a fixed learning rate."""
    rate = posed.learning_rate or 1 / _largest_bound(posed.loss)
    return Solver(lambda point: -rate * point.gradient, take_whole_steps(rate), 10_000)


def sgd(posed: Posed) -> Solver:
    """Stochastic gradient descent, one row or small batch at a time; a step is an epoch."""
    # With a fixed rate the steps do not become small, and coefficients fluctuate around the
    # minimum. So if an epoch does not lower the objective over all rows, it is undone and the rate
    # is halved.
    loss, size = posed.loss, posed.batch_size
    n = len(loss.rows)
    # The inverse bound for a batch of average rows, which does not overshoot.
    rate = posed.learning_rate or n / (float(loss.diagonal().sum()) * size)

    def epoch(point: Iterate) -> Array:
        coef, order = point.x.copy(), posed.rng.permutation(n)
        # A rate far too large overflows; the epoch is then undone like any other bad one.
        with np.errstate(all="ignore"):
            for batch in np.split(order, range(size, n, size)):
                coef -= rate * loss.batch_gradient(coef, batch)
            return coef - point.x

    def keep_if_lower(objective: ObjectiveStack, point: Iterate, direction: Array) -> SearchResult:
        nonlocal rate
        length = np.array([rate])
        with np.errstate(all="ignore"):
            after = objective(point.x + direction)
        if after.value[0] < point.value[0]:
            return after, length, [None]
        rate /= 2
        return point, length, [Reason.PRECISION if rate < np.finfo(float).tiny else None]

    return Solver(epoch, keep_if_lower, 100)


SOLVERS: dict[str, Callable[[Posed], Solver]] = {
    "newton": newton,
    "newton-cg": newton_cg,
    "fixed-hessian": fixed_hessian,
    "gradient": gradient,
    "sgd": sgd,
}


class _Secants:
    """Directions by approximate curvature, corrected by how gradients changed so far."""

    # The two loops of L-BFGS, with the solution of a direction in the middle.
    # Nocedal and Wright (2006), "Numerical Optimization", algorithm 7.4.

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._pairs: list[tuple[Array, Array, float]] = []
        self._before: Iterate | None = None

    def __call__(self, point: Iterate) -> Array:
        """Return the direction at a point."""
        if self._before is not None:
            step, change = point.x - self._before.x, point.gradient - self._before.gradient
            if (curvature := float((step * change).sum())) > 0:
                self._pairs.append((step, change, 1 / curvature))
        self._before = point
        gradient, shares = point.gradient, []
        for step, change, inverse in reversed(self._pairs):
            shares.append(inverse * float((step * gradient).sum()))
            gradient = gradient - shares[-1] * change
        direction = self._direction(point._replace(gradient=gradient))
        for (step, change, inverse), share in zip(self._pairs, reversed(shares), strict=True):
            direction = direction - (share + inverse * float((change * direction).sum())) * step
        return direction


def newton_direction(loss: SoftmaxLoss, point: Iterate) -> Array:
    """Return the Newton direction of one problem or of each problem of a stack."""
    hessian = loss.hessian(point.state, exact=True)
    return _solve_for_differences(partial(_robust_solve, hessian), -point.gradient)


class _NewtonCG:
    """The Newton direction by conjugate gradients, solved only as accurately as useful."""

    # Dembo, Eisenstat, Steihaug (1982), "Inexact Newton methods". Nocedal and Wright (2006),
    # "Numerical Optimization", algorithm 7.1.

    def __init__(self, loss: LogisticLoss, tol: float) -> None:
        q, K = loss.shape
        self._loss = loss
        # No direction is solved more accurately than this tolerance requires.
        self._tol = tol
        self._first: float | None = None
        self._precondition: Linear | None = None
        self._inner_steps = 0
        n = (K - 1) * q
        self.is_small = n <= SMALL and not loss.wide
        self._every = max(1, min(loss.n_rows // (ROWS_PER_PARAMETER * n), n // CHEAP))
        self._whole = self.is_small and n <= WHOLE_HESSIAN * self._every

    def __call__(self, point: Iterate) -> Array:
        """Return the direction at a point."""
        size = float(np.abs(point.gradient).max(initial=0.0))
        self._first = size if self._first is None else self._first
        if self._precondition is None or self._inner_steps >= WORN_AFTER:
            self._precondition = self._preconditioner(point.state)
            self._inner_steps = 0
        # A residual proportional to the root of the gradient makes the outer steps superlinear.
        share = min(0.1, np.sqrt(size / self._first))
        share = max(share, min(0.1, 0.1 * self._tol / size))
        return self._solve(point, self._precondition, share, exact=False)

    def refine(self, point: Iterate) -> Array:
        """Return the direction from exact products, solved far beyond the tolerance."""
        precondition = self._precondition or self._preconditioner(point.state)
        return self._solve(point, precondition, REFINED, exact=True)

    def _solve(self, point: Iterate, precondition: Linear, share: float, exact: bool) -> Array:
        product = self._loss.product_at(point.state, exact=exact)
        solution, steps = _conjugate_gradients(product, -point.gradient, precondition, share)
        self._inner_steps += steps
        return solution

    def _preconditioner(self, state: Any) -> Linear:
        """Return the map ``v -> M⁻¹ v`` for an M near the Hessian at a point."""
        loss = self._loss
        if isinstance(loss, SoftmaxLoss) and loss.wide:  # the diagonal of the next matrix
            diagonal = loss.diagonal(state)
            diagonal += 1e-5 * diagonal.mean()
            return lambda target: target / diagonal[:, None]
        if not self._whole:  # one (q, q) matrix for all classes: Böhning's with row weights
            every = max(1, loss.n_rows // (ROWS_PER_COLUMN * loss.shape[0]))
            return robust_solver(_add_ridge(loss.weighted_bound(state, every=every)))
        solve = robust_solver(_add_ridge(loss.hessian(state, exact=False, every=self._every)))
        return lambda target: _solve_for_differences(solve, _centre_over_classes(target))


def _conjugate_gradients(
    product: Linear, target: Array, precondition: Linear, share: float
) -> tuple[Array, int]:
    """Solve ``H x = target`` until the preconditioned residual is `share` of the first."""
    x = np.zeros_like(target)
    residual = target
    search = preconditioned = precondition(residual)
    energy = first = float((residual * preconditioned).sum())
    for step in range(1, MAX_INNER + 1):
        curved = product(search)
        curvature = float((search * curved).sum())
        # Only rounding is left of the curvature: return the current solution.
        # (Sums, not norms: for such short vectors BLAS spends its time waking threads.)
        lengths = np.sqrt((search * search).sum()) * np.sqrt((curved * curved).sum())
        if not curvature > np.finfo(float).eps * lengths:
            return (x if step > 1 else preconditioned), step
        length = energy / curvature
        x = x + length * search
        residual = residual - length * curved
        preconditioned = precondition(residual)
        before, energy = energy, float((residual * preconditioned).sum())
        if not energy > share**2 * first:
            return x, step
        search = preconditioned + energy / before * search
    return x, MAX_INNER


def _add_ridge(matrix: Array) -> Array:
    """Add to the diagonal the possible rounding error of float32 products."""
    diagonal = np.diagonal(matrix)
    return matrix + 1e-5 * np.diag(diagonal + 1e-3 * diagonal.mean())


def _solve_for_differences(solve: Linear, target: Array) -> Array:
    """Solve for differences from the first class; return coefficients that sum to zero."""
    # Because a gradient sums to zero over the classes, its part for the differences consists of all
    # columns except the first.
    full = np.zeros(target.shape)
    others = target[..., 1:].swapaxes(-1, -2)
    solved = solve(others.reshape(*others.shape[:-2], -1)).reshape(others.shape)
    full[..., 1:] = solved.swapaxes(-1, -2)
    return _centre_over_classes(full)


def _centre_over_classes(values: Array) -> Array:
    """Subtract from values (..., q, K) their means over the classes."""
    return values - np.add.reduce(values, axis=-1, keepdims=True) / values.shape[-1]


def robust_solver(matrix: Array) -> Linear:
    """Return ``b -> matrix⁻¹ b`` for a symmetric positive semidefinite matrix (m, m)."""
    # In units in which its diagonal is one. Null-space directions are left unchanged.
    scaled, unit = _scale_to_unit_diagonal(matrix)
    solve = _factorise(scaled)
    return lambda b: (solve((b.T / unit).T).T / unit).T


def _robust_solve(matrices: Array, targets: Array) -> Array:
    """Solve for each of some matrices (..., m, m) and targets (..., m) as `robust_solver` does."""
    scaled, unit = _scale_to_unit_diagonal(matrices)
    m = targets.shape[-1]
    pairs = zip(scaled.reshape(-1, m, m), (targets / unit).reshape(-1, m), strict=True)
    solved = np.array([_factorise(matrix)(target) for matrix, target in pairs])
    return solved.reshape(targets.shape) / unit


def _scale_to_unit_diagonal(matrices: Array) -> tuple[Array, Array]:
    diagonal = np.diagonal(matrices, axis1=-2, axis2=-1)
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    return matrices / unit[..., None, :] / unit[..., None], unit


def _factorise(scaled: Array) -> Linear:
    factor, failed = lapack.dpotrf(scaled)
    if not failed and is_positive(factor.diagonal() ** 2).all():
        return lambda b: np.asarray(lapack.dpotrs(factor, b)[0])
    values, vectors = np.linalg.eigh(scaled)
    positive = is_positive(values)
    root = vectors[:, positive] / np.sqrt(values[positive])
    return lambda b: root @ (root.T @ b)


class LearningRates(NamedTuple):
    """Rates of gradient descent on one loss, in its standardised coordinates."""

    # 1/L, with L the maximum curvature according to Böhning's bound: the rate with the largest
    # guaranteed decrease per step, and the default
    one_over_L: float
    two_over_L: float  # 2/L: with any lower rate the loss provably never rises
    # 2/λmax of the Hessian at the model: with a lower rate descent converges there once it is near,
    # with a higher one it does not
    local_limit: float


def learning_rates(loss: SoftmaxLoss, probabilities: Array) -> LearningRates:
    """Compute the three rates."""
    L, local = _largest_bound(loss), _largest_eigenvalue(loss, probabilities)
    return LearningRates(1 / L, 2 / L, float(2 / local) if local > 0 else float("inf"))


def _largest_bound(loss: SoftmaxLoss) -> float:
    return float(np.linalg.eigvalsh(loss.bound())[-1])


def _largest_eigenvalue(loss: SoftmaxLoss, probabilities: Array) -> float:
    """Return the largest eigenvalue of the Hessian for coefficients of sum zero over classes."""
    times = loss.product_at(probabilities)

    def product(flat: Array) -> Array:
        return _centre_over_classes(times(_centre_over_classes(flat.reshape(loss.shape)))).ravel()

    size = int(np.prod(loss.shape))
    if size <= LARGEST_DENSE:
        matrix = np.array([product(unit) for unit in np.eye(size)])
        return float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[-1])
    start = np.random.default_rng(0).standard_normal(size)
    operator = LinearOperator((size, size), matvec=product, dtype=float)
    return float(eigsh(operator, k=1, which="LA", v0=start, return_eigenvectors=False)[0])
