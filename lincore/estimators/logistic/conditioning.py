"""Change of variables that conditions logistic regression without changing its estimate."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lincore.estimators.logistic.design_matrix import StandardRows
from lincore.estimators.logistic.sparse_design_matrix import SparseRows, sparse_centre_and_scale
from lincore.linalg.covariance import is_positive
from lincore.moments.moments import Moments
from lincore.utils.typing import Array

# Deviations below this share of the mean, or below this size, are rounding.
NOTHING = 1e-14
SMALLEST = 1e-140
LARGEST = 1e150


class Conditioned(NamedTuple):
    """Standardised rows, the penalty that means the same there, and the way back.

    Attributes
    ----------
    rows : StandardRows
        n rows of q coordinates.
    penalty : ndarray of shape (q,)
        Of each squared coordinate; zero for the intercept.
    null : ndarray of shape (p, m) or None
        Changes of coefficients, in the user's units, that change no score of these rows.
    lift : tuple of ndarray (p', p) and ndarray (p',), or None
        With fewer rows than features p': an orthonormal basis of the rows' space, and its origin.
    """

    rows: StandardRows
    penalty: Array
    null: Array | None = None
    lift: tuple[Array, Array] | None = None

    def to_user(self, coef: Array) -> tuple[Array, Array]:
        """Return coefficients (p, K) and intercepts (K,) in the user's features and units.

        Where several give the same scores those of least norm, the limit for C → inf. What is
        subtracted lies in the null space, so an error there costs no score.
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
    """Standardise rows, without a copy of them, and carry the penalty over.

    The penalty stays ``½ strength ‖coefficients in the user's units‖²``. Without one, directions
    in which the rows do not vary are left out, for there nothing is determined.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n, p)
        A sparse one is neither centred nor made dense: the coefficients see to the means.
    weight : ndarray of shape (n,) or None
    strength : float
        1 / C; zero for maximum likelihood.
    intercept : bool
    """
    if sp.issparse(X):
        origin, scale = sparse_centre_and_scale(X, weight, intercept=intercept)
        scale, penalty = _penalised(scale, X.shape[0] if weight is None else weight.sum(), strength)
        sparse = SparseRows(X, origin, scale, intercept=intercept)
        return Conditioned(sparse, np.append(penalty, 0.0) if intercept else penalty)
    if X.shape[1] > len(X):
        return _in_row_space(X, weight, strength, intercept)
    origin, scale = centre_and_scale(X, weight, intercept=intercept)
    if strength == 0:
        _refuse_vanishing(scale, X)
        total = Moments.from_groups(X, np.zeros(len(X), dtype=np.intp), 1, weight)[0]
        return _without_penalty(X, total, origin, scale, intercept)
    n_rows = len(X) if weight is None else float(weight.sum())
    return _with_penalty(X, n_rows, origin, scale, strength, intercept)


def condition_by_moments(total: Moments, strength: float, *, intercept: bool = True) -> Conditioned:
    """Return what `condition` does of rows of which the moments alone are known.

    Parameters
    ----------
    total : Moments of shapes (), (p,), (p, p)
        Of all rows.
    strength, intercept
        As for `condition`.

    Returns
    -------
    Conditioned
        Its rows are none: what is there of them is how they are standardised.
    """
    origin, scale = _centre_and_scale(total, intercept)
    nothing = np.empty((0, total.n_features))
    if strength == 0:
        return _without_penalty(nothing, total, origin, scale, intercept)
    return _with_penalty(nothing, float(total.count), origin, scale, strength, intercept)


def _with_penalty(
    X: NDArray[Any], total: float, origin: Array, scale: Array, strength: float, intercept: bool
) -> Conditioned:
    scale, penalty = _penalised(scale, total, strength)
    rows = StandardRows(X, origin, scale, intercept=intercept)
    return Conditioned(rows, np.append(penalty, 0.0) if intercept else penalty)


def _penalised(scale: Array, total: float, strength: float) -> tuple[Array, Array]:
    """Return the units of the coordinates, and the penalty (p,) of their squares."""
    # In these units the penalty is never more than the rows, n / 2, however little they vary.
    scale = np.sqrt(scale**2 + 2 * strength / total)
    # A feature that does not vary keeps its coefficient of zero under any penalty.
    return scale, np.where(np.isfinite(scale), strength / scale**2, 1.0)


def centre_and_scale(
    X: NDArray[Any], weight: Array | None, *, intercept: bool
) -> tuple[Array, Array]:
    """Return means and deviations (p,); about zero without an intercept; infinite if constant.

    Raises
    ------
    ValueError
        For features whose squares overflow.
    """
    codes = np.zeros(len(X), dtype=np.intp)
    with np.errstate(over="ignore", invalid="ignore"):
        total = Moments.from_groups(X, codes, 1, weight, diagonal=True)[0]
    return _centre_and_scale(total, intercept)


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


def _refuse_vanishing(scale: Array, X: NDArray[Any]) -> None:
    """Raise ValueError for a feature that varies, but by less than can be squared."""
    constant = np.flatnonzero(np.isinf(scale))
    spread = np.ptp(X[:, constant].astype(np.float64), axis=0)
    vanishing = constant[(spread > 0) & (spread < SMALLEST)]
    if len(vanishing):
        raise ValueError(
            f"Feature {vanishing[0]} varies by less than {SMALLEST:g}, whose square vanishes. "
            "Give it in smaller units."
        )


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
    """Turn n < p rows into n coordinates: coefficients outside of their space are zero."""
    # The first row is as good an origin as the mean, and takes an offset away without rounding.
    origin = X[0].astype(np.float64) if intercept else np.zeros(X.shape[1])
    # qr, not the rows' products: those would lose what is 1e-8 of the largest.
    centred = np.asarray(X - origin, dtype=np.float64)  # LAPACK knows no long doubles
    basis, coordinates = np.linalg.qr(centred.T)
    inner = condition(np.ascontiguousarray(coordinates.T), weight, strength, intercept=intercept)
    return inner._replace(lift=(basis, origin))
