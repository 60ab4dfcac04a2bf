"""Linear separability of the classes, for which no maximum likelihood estimate exists."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import linprog

from lincore.estimators.logistic.conditioning import Conditioned, condition
from lincore.estimators.logistic.loss import SoftmaxLoss
from lincore.linalg.covariance import deviations
from lincore.linalg.optimize import Iterate, Optimum
from lincore.utils.typing import Array, Flags

# Standardised margins below this are rounding of the linear programme (HiGHS allows 1e-7).
TOLERANCE = 1e-6
# Classes may be separable if a Newton step moves a score by this much: half the proven bound.
STILL_MOVING = 0.25
# The step is not trusted if a pivot of its matrix (unit diagonal) is smaller than this.
SINGULAR = 1e-11
# It is not computed for more parameters than this.
MOST_PARAMETERS = 3000
# The linear programme runs automatically if its matrix has at most this many entries.
PROGRAMME_ENTRIES = 5_000_000


class SeparationWarning(UserWarning):
    """The classes are separable, but maximum likelihood was requested."""


class SeparationKind(StrEnum):
    """Degree of linear separation of the classes."""

    OVERLAP = "overlap"
    QUASI_COMPLETE = "quasi-complete"
    COMPLETE = "complete"


@dataclass(frozen=True, eq=False)
class Separation:
    """Linear separation of the classes: its kind, and coefficients that achieve it."""

    # COMPLETE: every row is strictly on the correct side. QUASI_COMPLETE: some rows are, and the
    # others are on the boundary. OVERLAP: neither, and the maximum of the likelihood exists.
    kind: SeparationKind
    # (K, p); the separating direction, along which the likelihood has no maximum, in inverse units
    # of the features; zero for an overlap
    coef: Array
    intercept: Array  # (K,)
    # (p,); contribution of each feature: the largest difference of its coefficients between
    # classes, times its standard deviation
    strength: Array

    @property
    def separates(self) -> bool:
        """True if the maximum of the likelihood does not exist."""
        return self.kind != SeparationKind.OVERLAP

    def leading_features(self, at_most: int = 3) -> NDArray[np.intp]:
        """Return the positions of the most important features, in order."""
        order = np.argsort(-self.strength, kind="stable")[:at_most]
        return order[self.strength[order] > 1e-3 * self.strength.max(initial=0.0)]


def separation(
    X: ArrayLike, codes: ArrayLike, n_classes: int, *, intercept: bool = True
) -> Separation:
    """Search for separating coefficients by a linear programme.

    Maximise the sum of all margins ``(β_y - β_k) @ x`` of the true classes over the others, subject
    to nonnegative margins and ``|β| ≤ 1``. The maximum is zero exactly if the classes overlap.
    """
    conditioned = condition(np.asarray(X), None, 0.0, intercept=intercept)
    return _solve_programme(conditioned, np.asarray(codes), n_classes, None)


def detect_separation(
    conditioned: Conditioned, loss: SoftmaxLoss, optimum: Optimum
) -> Separation | None:
    """Return the separation that a fit without penalty has encountered, or None."""
    # If the fit classifies every row correctly, it is the certificate. If a Newton step from any
    # point moves no score by a half, the classes overlap. Proof: suppose that they are separated,
    # possibly quasi-completely, by a direction with margins m_ik >= 0. Multiplied by it, the step's
    # equation ``H δ = -g`` reads ``Σ_ik p_ik m_ik (ū_i - u_ik - 1) = 0``, where u are the changes
    # of the scores and ū their means under p. Then some ``ū_i - u_ik`` is at least one and, as u
    # sums to zero over the classes, some ``|u_ik|`` is at least a half.
    # Otherwise the linear programme decides if the data are of moderate size.
    if loss.separates(optimum.point):
        return to_separation(conditioned, optimum.x, SeparationKind.COMPLETE)
    if overlaps(loss, optimum.point):
        return None
    q, K = loss.shape
    counted = np.ones(len(loss.codes), bool) if loss.weight is None else loss.weight > 0
    if counted.sum() * (K - 1) * 2 * q > PROGRAMME_ENTRIES:
        return None
    # If the separation were complete, such a small gradient would imply that all rows are correct.
    kind = SeparationKind.QUASI_COMPLETE if optimum.converged else None
    result = _solve_programme(conditioned, loss.codes, K, counted, kind)
    return result if result.separates else None


def overlaps(loss: SoftmaxLoss, point: Iterate) -> bool:
    """Return whether Newton's step proves that the classes overlap: see `detect_separation`."""
    return _newton_move(loss, point) < STILL_MOVING


def _solve_programme(
    conditioned: Conditioned,
    codes: NDArray[Any],
    n_classes: int,
    counted: Flags | None,
    kind: SeparationKind | None = None,
) -> Separation:
    """Search by the linear programme; the kind of separation may be known in advance."""
    margins = _margins(conditioned, codes, n_classes, counted)
    total = np.asarray(margins.sum(axis=0)).ravel()
    direction = _maximise(total, margins, np.zeros(margins.shape[0]))
    reached = margins @ direction
    if reached.max(initial=0.0) <= TOLERANCE:
        direction, kind = np.zeros_like(direction), SeparationKind.OVERLAP
    elif reached.min() > TOLERANCE:
        kind = SeparationKind.COMPLETE
    elif kind is None:
        direction, kind = _prefer_complete(margins, direction)
    coef = np.zeros((conditioned.rows.n_coordinates, n_classes))
    coef[:, 1:] = direction.reshape(n_classes - 1, -1).T
    return to_separation(conditioned, coef, kind)


def to_separation(conditioned: Conditioned, coef: Array, kind: SeparationKind) -> Separation:
    """Convert a separating direction (q, K) from standardised coordinates to the original ones."""
    W, constant = conditioned.to_user(coef - coef.mean(axis=1, keepdims=True))
    deviation = _deviations(conditioned)
    return Separation(kind, W.T, constant, np.ptp(W, axis=1) * deviation)


def _deviations(conditioned: Conditioned) -> Array:
    """Return the standard deviations (p,) of the original features; zero if constant."""
    rows = conditioned.rows
    deviation = np.where(rows.units > 0, 1 / np.where(rows.units > 0, rows.units, 1.0), 0.0)
    if conditioned.lift is None:
        return deviation
    basis = conditioned.lift[0]
    # Rows x = origin + basis z: the root mean square about the origin of z.
    Z = (rows.X - rows.origin) @ basis.T
    return np.asarray(np.sqrt((Z**2).mean(axis=0)))


def _newton_move(loss: SoftmaxLoss, point: Iterate) -> float:
    """Return the largest change of a score by a Newton step; infinity if unknown."""
    (q, K), view = loss.shape, loss.rows.double
    if loss.rows.wide or (K - 1) * q > MOST_PARAMETERS:
        return np.inf
    hessian = loss.hessian(point.state)
    unit = deviations(hessian)
    scaled = hessian / unit / unit[:, None]
    np.fill_diagonal(scaled, 1.0)  # also for a constant coordinate
    try:
        factor = cho_factor(scaled)
    except np.linalg.LinAlgError:
        return np.inf
    if np.diagonal(factor[0]).min() ** 2 < SINGULAR:
        return np.inf
    step = np.zeros((q, K))
    target = -point.gradient[:, 1:].T.ravel()
    step[:, 1:] = (cho_solve(factor, target / unit) / unit).reshape(K - 1, q).T
    W, constant = view.unfold(step - step.mean(axis=1, keepdims=True))
    moves = (np.abs(block @ W + constant).max(initial=0.0) for _, block in view.blocks())
    return float(max(moves, default=0.0))


def _margins(
    conditioned: Conditioned,
    codes: NDArray[Any],
    n_classes: int,
    counted: Flags | None,
) -> sparse.csr_array:
    """Return the matrix of all margins, (n (K - 1), (K - 1) q); class 0 has coefficients zero."""
    Z = conditioned.rows.double.coordinates(slice(None))
    if counted is not None:
        Z, codes = Z[counted], codes[counted]
    # Coefficients of class 1 to K - 1, in the order of the columns: class 0 has none.
    unit = np.eye(n_classes)[:, 1:]
    pairs = permutations(range(n_classes), 2)
    blocks = [sparse.kron(unit[[k]] - unit[[rival]], Z[codes == k]) for k, rival in pairs]
    margins = sparse.csr_array(sparse.vstack(blocks))
    margins.eliminate_zeros()
    return margins


def _maximise(target: Array, margins: sparse.csr_array, least: Array) -> Array:
    """Maximise ``target @ β`` for margins of at least `least` and ``|β| ≤ 1``."""
    # Normalised, so that the solver's tolerances mean the same for any n.
    size = max(1.0, float(np.abs(target).max(initial=0.0)))
    result = linprog(-target / size, A_ub=-margins, b_ub=-least, bounds=(-1, 1), method="highs")
    if result.status != 0:
        raise RuntimeError(f"The linear programme failed: {result.message}")
    return np.asarray(result.x)


def _prefer_complete(margins: sparse.csr_array, direction: Array) -> tuple[Array, SeparationKind]:
    """Find coefficients with a positive smallest margin, if there are any."""
    n_rows, n_params = margins.shape
    wider = sparse.hstack([margins, -np.ones((n_rows, 1))], format="csr")
    target = np.append(np.zeros(n_params), 1.0)
    solution = _maximise(target, sparse.csr_array(wider), np.zeros(n_rows))
    if solution[-1] > TOLERANCE:
        return solution[:-1], SeparationKind.COMPLETE
    return direction, SeparationKind.QUASI_COMPLETE
