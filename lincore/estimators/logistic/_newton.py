"""Newton direction by conjugate gradients, without forming the Hessian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lincore.estimators.logistic.loss import Linear
from lincore.linalg.optimize import Iterate, largest_entry
from lincore.utils.typing import Array

MAX_INNER = 500
# Relative residual of a direction that refines a minimum.
REFINED = 1e-3
# A preconditioner that needed this many inner steps is rebuilt at the next point.
WORN_AFTER = 8


class NewtonCG:
    """The Newton direction, solved only as accurately as useful at each point.

    Parameters
    ----------
    hessian_at : callable
        Maps a point's state to the function ``v -> H v``.
    preconditioner_at : callable
        Maps a point's state to a function ``v -> M⁻¹ v`` with M near H there. Rebuilt only after
        many inner steps were needed.
    tol : float
        The outer tolerance: no direction is solved more accurately than this requires.
    norm : callable
        Norm of the outer tolerance.

    Attributes
    ----------
    inner_steps : list of int
        Number of products with the Hessian for each direction.

    References
    ----------
    Dembo, Eisenstat, Steihaug (1982), "Inexact Newton methods". Nocedal and Wright (2006),
    "Numerical Optimization", algorithm 7.1.
    """

    def __init__(
        self,
        hessian_at: Callable[[Any], Linear],
        preconditioner_at: Callable[[Any], Linear],
        *,
        tol: float,
    ) -> None:
        self._hessian_at = hessian_at
        self._preconditioner_at = preconditioner_at
        self._tol = tol
        self._first: float | None = None
        self._precondition: Linear | None = None
        self.inner_steps: list[int] = []
        self._steps_since = 0

    def __call__(self, point: Iterate) -> Array:
        """Return the direction at a point."""
        size = largest_entry(point.gradient)
        self._first = size if self._first is None else self._first
        if self._precondition is None or self._steps_since >= WORN_AFTER:
            self._precondition = self._preconditioner_at(point.state)
            self._steps_since = 0
        # A residual proportional to the root of the gradient makes the outer steps superlinear.
        share = min(0.1, np.sqrt(size / self._first))
        share = max(share, min(0.1, 0.1 * self._tol / size))
        return self._solve(self._hessian_at(point.state), point, self._precondition, share)

    def refined(self, point: Iterate, product: Linear) -> Array:
        """Return the direction from more precise products, solved far beyond the tolerance."""
        precondition = self._precondition or self._preconditioner_at(point.state)
        return self._solve(product, point, precondition, REFINED)

    def _solve(self, product: Linear, point: Iterate, precondition: Linear, share: float) -> Array:
        solution, steps = conjugate_gradients(product, -point.gradient, precondition, share)
        self.inner_steps.append(steps)
        self._steps_since += steps
        return solution


def conjugate_gradients(
    product: Linear, target: Array, precondition: Linear, share: float
) -> tuple[Array, int]:
    """Solve ``H x = target`` until the preconditioned residual is `share` of the first."""
    x = np.zeros_like(target)
    residual = target
    search = near = precondition(residual)
    energy = first = float((residual * near).sum())
    for step in range(1, MAX_INNER + 1):
        curved = product(search)
        curvature = float((search * curved).sum())
        # Only rounding is left of the curvature: return the current solution.
        # (Sums, not norms: for such short vectors BLAS spends its time waking threads.)
        lengths = np.sqrt((search * search).sum()) * np.sqrt((curved * curved).sum())
        if not curvature > np.finfo(float).eps * lengths:
            return (x if step > 1 else near), step
        length = energy / curvature
        x = x + length * search
        residual = residual - length * curved
        near = precondition(residual)
        before, energy = energy, float((residual * near).sum())
        if not energy > share**2 * first:
            return x, step
        search = near + energy / before * search
    return x, MAX_INNER
