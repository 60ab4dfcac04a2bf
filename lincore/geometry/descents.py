"""Minimisation of the error of logistic regression in given coordinates, with every iterate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from lincore.errors import DataError
from lincore.linalg.descent import backtracking_line_search, descend, take_whole_steps
from lincore.linalg.optimize import (
    Iterate,
    OptimizerStep,
    Reason,
    StoppingRule,
)
from lincore.utils.typing import Array

Method = Literal["newton", "fixed-hessian", "gradient"]

# A descent stops if the largest entry of the gradient, per row, is below this.
_TOLERANCE = 1e-8


class Reweighted(NamedTuple):
    """A step of iteratively reweighted least squares: ``w = (ΦᵀRΦ)⁻¹ΦᵀRz``.

    Attributes
    ----------
    point : Iterate
        Weights before the step, with value and gradient of the error.
    fitted, curvature, targets : ndarray of shape (n,)
        y, the diagonal of R, and the working response ``z = Φw - R⁻¹(y - t)``.
    hessian : ndarray of shape (q, q)
    weights : ndarray of shape (q,)
        Weights after the step: the least-squares solution for z with weights R.
    """

    point: Iterate
    fitted: Array
    curvature: Array
    targets: Array
    hessian: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class LogisticError:
    """The cross-entropy ``E(w) = -Σ log p(tᵢ | xᵢ)`` of two classes as a function of the weights.

    Columns are not standardised and there is no penalty.

    Attributes
    ----------
    design : ndarray of shape (n, q)
        One column for each weight; a column of ones for an intercept.
    targets : ndarray of shape (n,)
        0 or 1.

    References
    ----------
    "prml-chapter-4-in-r", section 4.3.3; "faces-generative-vs-discriminative", "Probabilistic
    Discriminative Model", with the R in ``H = ΦᵀRΦ`` that it omits in one place.

    Examples
    --------
    >>> error = LogisticError(np.array([[-1.0], [1.0]]), np.array([0.0, 1.0]))
    >>> round(error(np.zeros(1)).value, 6), error(np.zeros(1)).gradient.tolist()
    (1.386294, [-1.0])
    >>> error.hessian(np.zeros(1)).tolist(), error.bound().tolist()
    ([[0.5]], [[0.5]])
    """

    design: Array
    targets: Array

    def __call__(self, weights: Array) -> Iterate:
        """Return value and gradient ``Φᵀ(y - t)`` at weights (q,)."""
        scores = self.design @ weights
        value = float(np.logaddexp(0, np.where(self.targets > 0, -scores, scores)).sum())
        return Iterate(weights, value, self.design.T @ (expit(scores) - self.targets))

    def hessian(self, weights: Array) -> Array:
        """Return ``ΦᵀRΦ`` at weights (q,)."""
        return np.asarray((self.design.T * self.curvature(weights)) @ self.design)

    def curvature(self, weights: Array) -> Array:
        """Return the diagonal of R at weights (q,): ``y (1 - y)``, (n,)."""
        scores = self.design @ weights
        return np.asarray(expit(scores) * expit(-scores))

    def reweighted(self, weights: Array) -> Reweighted:
        """Return a step of iteratively reweighted least squares from weights (q,)."""
        scores = self.design @ weights
        fitted, curvature = expit(scores), self.curvature(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            targets = scores - (fitted - self.targets) / curvature
        sure = curvature == 0  # these rows have weight zero, and no finite z
        root = np.sqrt(curvature)
        A, b = root[:, None] * self.design, root * np.where(sure, 0.0, targets)
        solved = np.linalg.lstsq(A, b)[0]
        return Reweighted(self(weights), fitted, curvature, targets, self.hessian(weights), solved)

    def bound(self) -> Array:
        """Return ``ΦᵀΦ / 4``, an upper bound of every Hessian; its largest eigenvalue is L."""
        return np.asarray(self.design.T @ self.design / 4)


@dataclass(frozen=True, eq=False)
class Descent:
    """A descent with all its iterates.

    Attributes
    ----------
    positions : ndarray of shape (t + 1, q)
        The start and the weights after each step.
    trace : tuple of t + 1 OptimizerStep
    reason : Reason
        Reason for stopping.
    """

    positions: Array
    trace: tuple[OptimizerStep, ...]
    reason: Reason

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.trace) - 1

    @property
    def n_rises(self) -> int:
        """Number of steps that raised the error by more than rounding."""
        values = np.array([step.objective for step in self.trace])
        return int(np.count_nonzero(np.diff(values) > 1e-12 * np.abs(values[1:])))


class _ToleratesOscillation(StoppingRule):
    """Stop at a small gradient, the iteration limit or divergence, but not if it oscillates."""

    def reason(self, trace: list[OptimizerStep]) -> Reason | None:
        """Return the reason to stop after these steps, if any."""
        if trace[-1].gradient_norm <= self.tol:
            return Reason.GRADIENT
        if not trace[-1].objective <= 1e6 * (1 + abs(trace[0].objective)):
            return Reason.DIVERGED
        return Reason.ITERATIONS if len(trace) > self.max_iter else None


def descend_logistic(
    error: LogisticError,
    method: Method = "newton",
    *,
    start: ArrayLike | None = None,
    rate: float | None = None,
    halving: bool = True,
    max_iter: int = 10_000,
) -> Descent:
    """Minimise the error in the coordinates of the columns and keep every iterate.

    Parameters
    ----------
    method : {"newton", "fixed-hessian", "gradient"}
        Steps ``H⁻¹∇E`` with the current Hessian, with its upper bound, or ``rate ∇E``.
    start : array-like of shape (q,), optional
        Default: zero.
    rate : float, optional
        Learning rate of "gradient". Default: 1/L.
    halving : bool, default True
        Halve a Newton step until the error decreases; without it Newton may diverge from a distant
        start.

    Raises
    ------
    DataError
        If the start has the wrong length or the rate is not positive.

    Examples
    --------
    >>> x = np.array([-2.0, -1.0, 0.5, -0.5, 1.0, 2.0])
    >>> error = LogisticError(np.column_stack([x, np.ones(6)]), np.array([0, 0, 0, 1, 1, 1.0]))
    >>> newton, slow = (descend_logistic(error, name) for name in ("newton", "gradient"))
    >>> bool(np.allclose(newton.positions[-1], slow.positions[-1], atol=1e-6))
    True
    >>> newton.n_steps < slow.n_steps, slow.n_rises
    (True, 0)
    """
    weights = np.zeros(error.design.shape[1]) if start is None else np.array(start, dtype=float)
    if weights.shape != (error.design.shape[1],) or not np.isfinite(weights).all():
        raise DataError(
            f"The start must have {error.design.shape[1]} finite weights.",
            where="start",
            remedy="Give one for each column.",
        )
    if rate is None:
        rate = 1 / float(np.linalg.eigvalsh(error.bound())[-1])
    if not rate > 0:
        raise DataError(f"The rate is {rate}, not positive.", where="rate", remedy="Raise it.")
    positions: list[Array] = []

    def step(point: Iterate) -> Array:
        positions.append(point.x)
        if method == "gradient":
            return -rate * point.gradient
        matrix = error.bound() if method == "fixed-hessian" else error.hessian(point.x)
        return np.asarray(-np.linalg.lstsq(matrix, point.gradient)[0], dtype=float)

    whole = take_whole_steps(rate if method == "gradient" else 1.0)
    search = backtracking_line_search if method == "newton" and halving else whole
    stopping = _ToleratesOscillation(_TOLERANCE * len(error.targets), max_iter)
    optimum = descend(error, weights, step, search=search, stopping=stopping)
    visited = [*positions, optimum.x][: len(optimum.trace)]
    return Descent(np.array(visited), optimum.trace, optimum.reason)
