"""Descents on the error of logistic regression in given coordinates, with every position."""

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

# Bound of the largest entry of the gradient, by row, at which a descent stops.
_TOLERANCE = 1e-8


class Reweighted(NamedTuple):
    """A step of iteratively reweighted least squares: ``w = (ΦᵀRΦ)⁻¹ΦᵀRz``.

    Attributes
    ----------
    point : Point
        The weights from which it goes, with value and gradient of the error.
    fitted, curvature, targets : ndarray of shape (n,)
        y, the diagonal of R, and the working response ``z = Φw - R⁻¹(y - t)``.
    hessian : ndarray of shape (q, q)
    weights : ndarray of shape (q,)
        Where it leads: the least squares of z with weights R.
    """

    point: Iterate
    fitted: Array
    curvature: Array
    targets: Array
    hessian: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class LogisticError:
    """The cross-entropy ``E(w) = -Σ log p(tᵢ | xᵢ)`` of two classes, over weights as given.

    Nothing is standardised and nothing penalised: coordinates are those of the columns.

    Attributes
    ----------
    design : ndarray of shape (n, q)
        One column for each weight; a column of ones for an intercept.
    targets : ndarray of shape (n,)
        0 or 1.

    References
    ----------
    "prml-chapter-4-in-r", section 4.3.3; "faces-generative-vs-discriminative", "Probabilistic
    Discriminative Model", with R in ``H = ΦᵀRΦ``, which it once leaves out.

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
        sure = curvature == 0  # such rows have no weight, and no finite z
        root = np.sqrt(curvature)
        A, b = root[:, None] * self.design, root * np.where(sure, 0.0, targets)
        solved = np.linalg.lstsq(A, b)[0]
        return Reweighted(self(weights), fitted, curvature, targets, self.hessian(weights), solved)

    def bound(self) -> Array:
        """Return ``ΦᵀΦ / 4``, which no Hessian exceeds; its largest eigenvalue is L."""
        return np.asarray(self.design.T @ self.design / 4)


@dataclass(frozen=True, eq=False)
class Descent:
    """A descent with its way.

    Attributes
    ----------
    positions : ndarray of shape (t + 1, q)
        The start, and where every step led.
    trace : tuple of t + 1 OptimizerStep
    reason : Reason
        Why it ended.
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


class _ToTheEnd(StoppingRule):
    """A small gradient, a limit or divergence; oscillation is not a reason to stop."""

    def reason(self, trace: list[OptimizerStep]) -> Reason | None:
        """Return the reason to stop after these steps, if there is one."""
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
    """Descend in the coordinates of the columns and keep every position.

    Parameters
    ----------
    error : LogisticError
    method : {"newton", "fixed-hessian", "gradient"}
        Steps of ``H⁻¹∇E`` with the Hessian here, with its bound, or ``rate ∇E``.
    start : array-like of shape (q,), optional
        Zero when not given.
    rate : float, optional
        Of the gradient; 1/L when not given.
    halving : bool, default True
        Halve a step of Newton's until the error falls; without it Newton explodes from afar.
    max_iter : int, default 10,000

    Returns
    -------
    Descent

    Raises
    ------
    DataError
        For a start of another length and a rate that is not positive.

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
            f"A start has {error.design.shape[1]} finite weights.",
            where="start",
            remedy="Give one for each column.",
        )
    if rate is None:
        rate = 1 / float(np.linalg.eigvalsh(error.bound())[-1])
    if not rate > 0:
        raise DataError(f"A rate of {rate} leads nowhere.", where="rate", remedy="Raise it.")
    positions: list[Array] = []

    def step(point: Iterate) -> Array:
        positions.append(point.x)
        if method == "gradient":
            return -rate * point.gradient
        matrix = error.bound() if method == "fixed-hessian" else error.hessian(point.x)
        return np.asarray(-np.linalg.lstsq(matrix, point.gradient)[0], dtype=float)

    whole = take_whole_steps(rate if method == "gradient" else 1.0)
    search = backtracking_line_search if method == "newton" and halving else whole
    stopping = _ToTheEnd(_TOLERANCE * len(error.targets), max_iter)
    found = descend(error, weights, step, search=search, stopping=stopping)
    ended = [*positions, found.x][: len(found.trace)]
    return Descent(np.array(ended), found.trace, found.reason)
