"""Linear separability of the classes, where no maximum likelihood estimate exists."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
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
# Classes may be separated where Newton's step moves a score by this much: half of what it would.
STILL_MOVING = 0.25
# Nor is that step believed where a pivot of its matrix, of unit diagonal, is smaller.
SINGULAR = 1e-11
# Nor computed for more parameters.
MOST_PARAMETERS = 3000
# The linear programme runs unasked when its matrix has at most so many entries.
PROGRAMME_ENTRIES = 5_000_000


class SeparationWarning(UserWarning):
    """The classes can be separated, and maximum likelihood was asked for."""


class SeparationKind(StrEnum):
    """Degree of linear separation of the classes."""

    OVERLAP = "overlap"
    QUASI_COMPLETE = "quasi-complete"
    COMPLETE = "complete"


@dataclass(frozen=True, eq=False)
class Separation:
    """Linear separation of the classes: its kind, and coefficients that achieve it.

    Attributes
    ----------
    kind : SeparationKind
        COMPLETE: every row is strictly on its side. QUASI_COMPLETE: some rows are, and the rest
        lie on a boundary. OVERLAP: neither, and the maximum of the likelihood exists.
    coef : ndarray of shape (K, p)
        The separating direction in inverse units of the features; zero for an overlap. Along it
        the likelihood has no maximum.
    intercept : ndarray of shape (K,)
    strength : ndarray of shape (p,)
        How much each feature does: the largest difference of its coefficients between classes,
        in its standard deviations.
    """

    kind: SeparationKind
    coef: Array
    intercept: Array
    strength: Array

    @property
    def separates(self) -> bool:
        """True if the maximum of the likelihood does not exist."""
        return self.kind != SeparationKind.OVERLAP

    def leading_features(self, at_most: int = 3) -> NDArray[np.intp]:
        """Return the positions of the features that matter most, in that order."""
        order = np.argsort(-self.strength, kind="stable")[:at_most]
        return order[self.strength[order] > 1e-3 * self.strength.max(initial=0.0)]


def separation(
    X: ArrayLike, codes: ArrayLike, n_classes: int, *, intercept: bool = True
) -> Separation:
    """Search for separating coefficients by a linear programme.

    Maximise the sum of all margins ``(β_y - β_k) @ x`` of the rows' own classes over the others,
    none of which may be negative, for ``|β| ≤ 1``. The maximum is zero exactly if the classes
    overlap.
    """
    conditioned = condition(np.asarray(X), None, 0.0, intercept=intercept)
    return _by_programme(conditioned, np.asarray(codes), n_classes, None)


def notice(conditioned: Conditioned, loss: SoftmaxLoss, optimum: Optimum) -> Separation | None:
    """Return the separation that a fit without penalty has run into, or None.

    Where the fit itself puts every row on its side, it is the certificate. Where Newton's step
    moves no score by a half, from whatever point, the classes overlap. For let them be separated,
    quasi-completely too, by a direction of margins m_ik >= 0: multiplied by it, the step's equation
    ``H δ = -g`` reads ``Σ_ik p_ik m_ik (ū_i - u_ik - 1) = 0``, with u how far the step moves the
    scores and ū their means under p. Some ``ū_i - u_ik`` is then at least one, and, as u sums to
    zero over the classes, some ``|u_ik|`` at least a half.

    Otherwise the linear programme decides, for data of moderate size.
    """
    if loss.separates(optimum.point):
        return as_separation(conditioned, optimum.x, SeparationKind.COMPLETE)
    if overlaps(loss, optimum.point):
        return None
    q, K = loss.shape
    counted = np.ones(len(loss.codes), bool) if loss.weight is None else loss.weight > 0
    if counted.sum() * (K - 1) * 2 * q > PROGRAMME_ENTRIES:
        return None
    # Were the separation complete, a gradient that small would have every row on its side.
    kind = SeparationKind.QUASI_COMPLETE if optimum.converged else None
    found = _by_programme(conditioned, loss.codes, K, counted, kind)
    return found if found.separates else None


def overlaps(loss: SoftmaxLoss, point: Iterate) -> bool:
    """Return whether Newton's step proves that the classes overlap: see `notice`."""
    return _newton_move(loss, point) < STILL_MOVING


def _by_programme(
    conditioned: Conditioned,
    codes: NDArray[Any],
    n_classes: int,
    counted: Flags | None,
    kind: SeparationKind | None = None,
) -> Separation:
    """Search by the linear programme; how far classes that separate do so may be known before."""
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
    return as_separation(conditioned, coef, kind)


def as_separation(conditioned: Conditioned, coef: Array, kind: SeparationKind) -> Separation:
    """Return a separating direction (q, K), found in standardised coordinates, for the user."""
    W, constant = conditioned.to_user(coef - coef.mean(axis=1, keepdims=True))
    deviation = _deviations(conditioned)
    return Separation(kind, W.T, constant, np.ptp(W, axis=1) * deviation)


def _deviations(conditioned: Conditioned) -> Array:
    """Return the deviations (p,) of the features as they came; zero where they are constant."""
    rows = conditioned.rows
    deviation = np.where(rows.units > 0, 1 / np.where(rows.units > 0, rows.units, 1.0), 0.0)
    if conditioned.lift is None:
        return deviation
    basis = conditioned.lift[0]
    # Rows x = origin + basis z: the root mean square about the origin of z.
    Z = (rows.X - rows.origin) @ basis.T
    return np.asarray(np.sqrt((Z**2).mean(axis=0)))


def _newton_move(loss: SoftmaxLoss, point: Iterate) -> float:
    """Return by how much Newton's step moves the score of any row; infinity if that is unknown."""
    (q, K), view = loss.shape, loss.rows.double
    if loss.rows.wide or (K - 1) * q > MOST_PARAMETERS:
        return np.inf
    hessian = loss.hessian(point.state)
    unit = deviations(hessian)
    scaled = hessian / unit / unit[:, None]
    np.fill_diagonal(scaled, 1.0)  # of a coordinate that does not vary too
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
    q = Z.shape[1]
    values, columns, lengths = [np.zeros(0)], [np.zeros(0, dtype=np.intp)], [np.zeros(1)]
    for own in range(n_classes):
        chosen = Z[codes == own]
        for other in range(n_classes):
            if other != own and len(chosen):
                # The own class's coefficients less the other's, in the order of the columns.
                signs = sorted((k, sign) for k, sign in ((own, 1.0), (other, -1.0)) if k)
                row = np.concatenate([np.arange((k - 1) * q, k * q) for k, _ in signs])
                values.append(np.hstack([sign * chosen for _, sign in signs]).ravel())
                columns.append(np.tile(row, len(chosen)))
                lengths.append(np.full(len(chosen), len(row)))
    ends = np.concatenate(lengths).cumsum().astype(np.intp)
    shape = (len(ends) - 1, (n_classes - 1) * q)
    margins = sparse.csr_array((np.concatenate(values), np.concatenate(columns), ends), shape)
    margins.eliminate_zeros()
    return margins


def _maximise(target: Array, margins: sparse.csr_array, least: Array) -> Array:
    """Maximise ``target @ β`` for margins of at least `least` and ``|β| ≤ 1``."""
    # Divided by its size, so that the tolerances of the solver mean the same for any n.
    size = max(1.0, float(np.abs(target).max(initial=0.0)))
    result = linprog(-target / size, A_ub=-margins, b_ub=-least, bounds=(-1, 1), method="highs")
    if result.status != 0:
        raise RuntimeError(f"The linear programme ended without an answer: {result.message}")
    return np.asarray(result.x)


def _prefer_complete(margins: sparse.csr_array, direction: Array) -> tuple[Array, SeparationKind]:
    """Find coefficients that make the least margin positive, if there are any."""
    n_rows, n_params = margins.shape
    wider = sparse.hstack([margins, -np.ones((n_rows, 1))], format="csr")
    target = np.append(np.zeros(n_params), 1.0)
    found = _maximise(target, sparse.csr_array(wider), np.zeros(n_rows))
    if found[-1] > TOLERANCE:
        return found[:-1], SeparationKind.COMPLETE
    return direction, SeparationKind.QUASI_COMPLETE
