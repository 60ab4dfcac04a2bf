"""Change of variables that improves conditioning without changing the estimate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lincore.estimators.base.moment_classifier import SMALLEST, refuse_vanishing
from lincore.estimators.logistic.design_matrix import StandardRows
from lincore.estimators.logistic.sparse_design_matrix import (
    SparseRows,
    sparse_centre_and_scale,
    sparse_rounding,
)
from lincore.linalg.covariance import is_positive
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

# Deviations below this fraction of the mean (about nine times the rounding unit) are rounding.
NOTHING = 1e-15
LARGEST = 1e150


class Conditioned(NamedTuple):
    """Standardised rows, the equivalent penalty, and the inverse map.

    Attributes
    ----------
    rows : StandardRows
        n rows of q coordinates.
    penalty : ndarray of shape (q,)
        Penalty of each squared coordinate; zero for the intercept.
    null : ndarray of shape (p, m) or None
        Changes of coefficients, in the original units, that leave the scores of these rows
        unchanged.
    lift : tuple of ndarray (p', p) and ndarray (p',), or None
        With fewer rows than features p': an orthonormal basis of the row space, and its origin.
    rounding : tuple of int
        Features that vary so little relative to their size that they are treated as constant.
    """

    rows: StandardRows
    penalty: Array
    null: Array | None = None
    lift: tuple[Array, Array] | None = None
    rounding: tuple[int, ...] = ()

    def to_user(self, coef: Array) -> tuple[Array, Array]:
        """Return coefficients (p, K) and intercepts (K,) for the original features and units.

        If several give the same scores, those with minimum norm, the limit for C → inf. Only a
        null-space component is subtracted, so errors in it do not affect scores.
        """
        W, intercept = self.rows.to_user(coef)
        if self.null is not None:
            change = self.null @ np.linalg.lstsq(self.null, W)[0]
            W, intercept = W - change, intercept + self.rows.origin @ change
        if self.lift is not None:
            basis, origin = self.lift
            W = basis @ W
            intercept = intercept - origin @ W
        return W, intercept if self.rows.intercept else np.zeros_like(intercept)


def condition(
    X: NDArray[Any], weight: Array | None, strength: float, *, intercept: bool = True
) -> Conditioned:
    """Standardise rows without copying them, and transform the penalty.

    The penalty stays ``½ strength ‖coefficients in the original units‖²``. Without a penalty,
    directions in which the rows do not vary are excluded, because they are not determined.
    """
    if sp.issparse(X):
        origin, scale = sparse_centre_and_scale(X, weight, intercept=intercept)
        scale, penalty = _penalised(scale, X.shape[0] if weight is None else weight.sum(), strength)
        sparse = SparseRows(X, origin, scale, intercept=intercept)
        penalty = np.append(penalty, 0.0) if intercept else penalty
        return Conditioned(sparse, penalty, rounding=sparse_rounding(X, weight, scale))
    if X.shape[1] > len(X):
        return _in_row_space(X, weight, strength, intercept)
    spread = _spread(X, weight)
    origin, scale = _centre_and_scale(spread, intercept)
    if strength == 0:
        refuse_vanishing(X, spread.scatter, float(spread.count))
        total = Moments.from_groups(X, np.zeros(len(X), dtype=np.intp), 1, weight)[0]
        conditioned = _without_penalty(X, total, origin, scale, intercept)
    else:
        n_rows = len(X) if weight is None else float(weight.sum())
        conditioned = _with_penalty(X, n_rows, origin, scale, strength, intercept)
    return conditioned._replace(rounding=_rounding(spread, scale))


def condition_by_moments(total: Moments, strength: float, *, intercept: bool = True) -> Conditioned:
    """Do the same as `condition` for rows of which only the moments are known."""
    origin, scale = _centre_and_scale(total, intercept)
    nothing = np.empty((0, total.n_features))
    if strength == 0:
        conditioned = _without_penalty(nothing, total, origin, scale, intercept)
    else:
        n_rows = float(total.count)
        conditioned = _with_penalty(nothing, n_rows, origin, scale, strength, intercept)
    return conditioned._replace(rounding=_rounding(total.diagonal(), scale))


def _with_penalty(
    X: NDArray[Any], total: float, origin: Array, scale: Array, strength: float, intercept: bool
) -> Conditioned:
    scale, penalty = _penalised(scale, total, strength)
    rows = StandardRows(X, origin, scale, intercept=intercept)
    return Conditioned(rows, np.append(penalty, 0.0) if intercept else penalty)


def _penalised(scale: Array, total: float, strength: float) -> tuple[Array, Array]:
    """Return the units of the coordinates, and the penalty (p,) of their squares."""
    # In these units the penalty never exceeds n / 2, however little the features vary.
    scale = np.sqrt(scale**2 + 2 * strength / total)
    # A constant feature keeps coefficient zero under any penalty.
    return scale, np.where(np.isfinite(scale), strength / scale**2, 1.0)


def centre_and_scale(
    X: NDArray[Any], weight: Array | None, *, intercept: bool
) -> tuple[Array, Array]:
    """Return means and deviations (p,); about zero without an intercept; infinite if constant."""
    return _centre_and_scale(_spread(X, weight), intercept)


def _spread(X: NDArray[Any], weight: Array | None) -> Moments:
    with np.errstate(over="ignore", invalid="ignore"):
        return Moments.from_groups(X, np.zeros(len(X), dtype=np.intp), 1, weight, diagonal=True)[0]


def _rounding(total: Moments, scale: Array) -> tuple[int, ...]:
    """Return the excluded features whose values differ by more than the last digit.

    One digit may be the rounding of a constant: 0.1 + 0.2 compared with 0.3.
    """
    deviation = np.sqrt(total.scatter / total.count)
    lost = np.isinf(scale) & (deviation > np.finfo(np.float64).eps / 2 * np.abs(total.mean))
    return tuple(np.flatnonzero(lost & (deviation > SMALLEST)).tolist())


def _centre_and_scale(total: Moments, intercept: bool) -> tuple[Array, Array]:
    with np.errstate(over="ignore", invalid="ignore"):
        variance = total.diagonal().scatter / total.count
    largest = np.abs(total.mean).max(initial=0.0)
    if not np.isfinite(variance).all() or largest > LARGEST:
        raise ValueError(
            "The squares of the features overflow: some are larger than 1e150. Give them in "
            "larger units."
        )
    deviation = np.sqrt(variance)
    if not intercept:
        scale = np.sqrt(variance + total.mean**2)
        return np.zeros_like(scale), np.where(scale > SMALLEST, scale, np.inf)
    scale = deviation
    varies = scale > np.maximum(NOTHING * np.abs(total.mean), SMALLEST)
    return total.mean, np.where(varies, scale, np.inf)


def _without_penalty(
    X: NDArray[Any], total: Moments, origin: Array, scale: Array, intercept: bool
) -> Conditioned:
    second = total.scatter / total.count
    if not intercept:
        second = second + np.outer(total.mean, total.mean)
    varying = np.flatnonzero(np.isfinite(scale))
    correlation = second[np.ix_(varying, varying)] / scale[varying] / scale[varying, None]
    values, vectors = np.linalg.eigh(correlation)
    kept = is_positive(values)
    axes = null = None
    if np.count_nonzero(kept) < len(scale):
        axes = np.zeros((len(scale), np.count_nonzero(kept)))
        axes[varying] = vectors[:, kept]
    if not kept.all():
        null = np.zeros((len(scale), np.count_nonzero(~kept)))
        null[varying] = vectors[:, ~kept] / scale[varying, None]
    rows = StandardRows(X, origin, scale, axes, intercept=intercept)
    return Conditioned(rows, np.zeros(rows.n_coordinates), null)


def _in_row_space(
    X: NDArray[Any], weight: Array | None, strength: float, intercept: bool
) -> Conditioned:
    """Map n < p rows to n coordinates: coefficients outside their span are zero."""
    # The first row is as good an origin as the mean, and removes an offset without rounding.
    origin = X[0].astype(np.float64) if intercept else np.zeros(X.shape[1])
    # qr, not inner products: those would lose directions below 1e-8 of the largest.
    centred = np.asarray(X - origin, dtype=np.float64)  # LAPACK does not support long doubles
    basis, coordinates = np.linalg.qr(centred.T)
    inner = condition(np.ascontiguousarray(coordinates.T), weight, strength, intercept=intercept)
    return inner._replace(lift=(basis, origin))
