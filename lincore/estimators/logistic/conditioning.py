"""Change of variables that improves conditioning without changing the estimate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lincore.estimators.base.moment_classifier import SMALLEST, refuse_vanishing
from lincore.estimators.logistic.design_matrix import FAR, StandardRows
from lincore.linalg.covariance import is_positive
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

# Deviations below this fraction of the mean (about nine times the rounding unit) are rounding.
ROUNDING = 1e-15
LARGEST = 1e150


class Conditioned(NamedTuple):
    """Standardised rows, the equivalent penalty, and the inverse map."""

    rows: StandardRows  # n rows of q coordinates
    penalty: Array  # (q,), of each squared coordinate; zero for the intercept
    # Changes of coefficients (p, m) in the original units that leave the scores of these rows
    # unchanged.
    null: Array | None = None
    # With fewer rows than features p': an orthonormal basis (p', p) of the row space, and its
    # origin (p',).
    lift: tuple[Array, Array] | None = None
    # Features that vary so little relative to their size that they are treated as constant.
    rounding: tuple[int, ...] = ()

    def to_user(self, coef: Array) -> tuple[Array, Array]:
        """Return coefficients (p, K) and intercepts (K,) for the original features and units."""
        # If several give the same scores, those with minimum norm, the limit for C → inf. Only a
        # null-space component is subtracted, so errors in it do not affect scores.
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
    X: Any, weight: Array | None, strength: float, *, intercept: bool = True
) -> Conditioned:
    """Standardise rows without copying them, and transform the penalty."""
    # The penalty stays ``½ strength ‖coefficients in the original units‖²``. Without a penalty,
    # directions in which dense rows do not vary are excluded, because they are not determined.
    if sp.issparse(X):
        total = float(X.shape[0] if weight is None else weight.sum())
        origin, scale = sparse_centre_and_scale(X, weight, intercept=intercept)
        conditioned = _penalised(X, origin, scale, total, strength, intercept)
        return conditioned._replace(rounding=_sparse_rounding(X, weight, scale))
    if X.shape[1] > len(X):
        return _in_row_space(X, weight, strength, intercept)
    spread = _total(X, weight, diagonal=True)

    def whole() -> Moments:
        refuse_vanishing(X, spread.scatter, float(spread.count))
        return _total(X, weight, diagonal=False)

    return _by_moments(X, spread, whole, strength, intercept)


def condition_features(X: Any, weight: Array | None, *, intercept: bool) -> Conditioned:
    """Only standardise, so that coordinates are features: for penalties that choose features."""
    if sp.issparse(X):
        origin, scale = sparse_centre_and_scale(X, weight, intercept=intercept)
        rounding = _sparse_rounding(X, weight, scale)
    else:
        spread = _total(X, weight, diagonal=True)
        origin, scale = _centre_and_scale(spread, intercept)
        rounding = _rounding(spread, scale)
    rows = StandardRows(X, origin, scale, intercept=intercept)
    return Conditioned(rows, np.zeros(rows.n_coordinates), rounding=rounding)


def condition_by_moments(total: Moments, strength: float, *, intercept: bool) -> Conditioned:
    """Like `condition`, for rows of which only the moments are known."""
    nothing = np.empty((0, total.n_features))
    return _by_moments(nothing, total.diagonal(), lambda: total, strength, intercept)


def _by_moments(
    X: NDArray[Any],
    spread: Moments,
    whole: Callable[[], Moments],
    strength: float,
    intercept: bool,
) -> Conditioned:
    """Standardise by variances; without a penalty also by covariances, of `whole` moments."""
    origin, scale = _centre_and_scale(spread, intercept)
    if strength:
        conditioned = _penalised(X, origin, scale, float(spread.count), strength, intercept)
    else:
        conditioned = _without_penalty(X, whole(), origin, scale, intercept)
    return conditioned._replace(rounding=_rounding(spread, scale))


def _rounding(spread: Moments, scale: Array) -> tuple[int, ...]:
    """Return the features without a scale whose values differ by more than the last digit."""
    # A deviation of one digit may be the rounding of a constant: 0.1 + 0.2 compared with 0.3.
    deviation = np.sqrt(spread.scatter / spread.count)
    digit = np.finfo(np.float64).eps / 2 * np.abs(spread.mean)
    lost = np.isinf(scale) & (deviation > np.maximum(digit, SMALLEST))
    return tuple(np.flatnonzero(lost).tolist())


def _penalised(
    X: Any, origin: Array, scale: Array, total: float, strength: float, intercept: bool
) -> Conditioned:
    # In these units the penalty never exceeds n / 2, however little the features vary.
    scale = np.sqrt(scale**2 + 2 * strength / total)
    # A constant feature keeps coefficient zero under any penalty.
    penalty = np.where(np.isfinite(scale), strength / scale**2, 1.0)
    rows = StandardRows(X, origin, scale, intercept=intercept)
    return Conditioned(rows, np.append(penalty, 0.0) if intercept else penalty)


def centre_and_scale(
    X: NDArray[Any], weight: Array | None, *, intercept: bool
) -> tuple[Array, Array]:
    """Return means and deviations (p,); about zero without an intercept; infinite if constant."""
    return _centre_and_scale(_total(X, weight, diagonal=True), intercept)


def _total(X: NDArray[Any], weight: Array | None, *, diagonal: bool) -> Moments:
    one_group = np.zeros(len(X), dtype=np.intp)
    with np.errstate(over="ignore", invalid="ignore"):
        return Moments.from_groups(X, one_group, 1, weight, diagonal=diagonal)[0]


def _centre_and_scale(total: Moments, intercept: bool) -> tuple[Array, Array]:
    with np.errstate(over="ignore", invalid="ignore"):
        variance = total.diagonal().scatter / total.count
    largest = np.abs(total.mean).max(initial=0.0)
    if not np.isfinite(variance).all() or largest > LARGEST:
        raise ValueError(
            "The squares of the features overflow: some values exceed 1e150. Give them in "
            "larger units."
        )
    if not intercept:
        scale = np.sqrt(variance + total.mean**2)
        return np.zeros_like(scale), np.where(scale > SMALLEST, scale, np.inf)
    deviation = np.sqrt(variance)
    varies = deviation > np.maximum(ROUNDING * np.abs(total.mean), SMALLEST)
    return total.mean, np.where(varies, deviation, np.inf)


def _without_penalty(
    X: NDArray[Any], total: Moments, origin: Array, scale: Array, intercept: bool
) -> Conditioned:
    second = total.scatter / total.count
    if not intercept:
        second = second + np.outer(total.mean, total.mean)
    varying = np.flatnonzero(np.isfinite(scale))
    correlation = second[np.ix_(varying, varying)] / scale[varying] / scale[varying, None]
    values, vectors = np.linalg.eigh(correlation)
    positive = is_positive(values)
    axes = null = None
    if np.count_nonzero(positive) < len(scale):
        axes = np.zeros((len(scale), np.count_nonzero(positive)))
        axes[varying] = vectors[:, positive]
    if not positive.all():
        null = np.zeros((len(scale), np.count_nonzero(~positive)))
        null[varying] = vectors[:, ~positive] / scale[varying, None]
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


def sparse_centre_and_scale(
    X: Any, weight: Array | None, *, intercept: bool
) -> tuple[Array, Array]:
    """Return means and deviations (p,) of sparse rows, in two passes over the stored values."""
    # About zero without an intercept, and if the mean is so many deviations away that absorbing it
    # in the coefficients would lose digits, unless it can be subtracted because no zero is left
    # out; infinite for constant features.
    rows = sp.csr_array(X, dtype=np.float64)
    n, p = rows.shape
    row_weight = np.ones(n) if weight is None else weight
    total = row_weight.sum()
    value_weight = np.repeat(row_weight, np.diff(rows.indptr))
    mean = np.bincount(rows.indices, value_weight * rows.data, p) / total
    if not intercept:
        scale = np.sqrt(np.bincount(rows.indices, value_weight * rows.data**2, p) / total)
        return np.zeros(p), np.where(scale > 0, scale, np.inf)
    about_mean = np.bincount(rows.indices, value_weight * (rows.data - mean[rows.indices]) ** 2, p)
    stored = np.bincount(rows.indices, value_weight, p)
    deviation = np.sqrt((about_mean + np.maximum(total - stored, 0.0) * mean**2) / total)
    # Rounding in the sum of the weights would appear as a deviation of 1e-8.
    constant = deviation <= 1e-7 * np.abs(mean)
    full = (np.bincount(rows.indices, minlength=p) == n) & rows.has_canonical_format
    far = (np.abs(mean) > FAR * deviation) & ~full
    origin = np.where(far & ~constant, 0.0, mean)
    scale = np.where(far, np.hypot(deviation, mean), deviation)
    return origin, np.where(constant | (scale == 0), np.inf, scale)


def _sparse_rounding(X: Any, weight: Array | None, scale: Array) -> tuple[int, ...]:
    """Return the features without a scale whose values differ by more than the last digit."""
    flat = np.flatnonzero(np.isinf(scale))
    rows = sp.csr_array(X)[:, flat]
    if weight is not None:
        rows = rows[weight > 0]
    if not rows.nnz:
        return ()
    high, low = rows.max(axis=0).toarray().ravel(), rows.min(axis=0).toarray().ravel()
    lost = high - low > 2 * np.finfo(np.float64).eps * np.maximum(np.abs(high), np.abs(low))
    return tuple(flat[lost].tolist())
