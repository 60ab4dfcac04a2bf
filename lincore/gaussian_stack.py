"""LDA and QDA of many samples at once, where none of them needs a second look.

A study of class sizes fits both to hundreds of samples of few features. One by one the time goes
to Python and not to arithmetic. Where the rank of a covariance is open to doubt, or a class has no
rows, a fit by itself decides; everywhere else the scores are those of that fit but for rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.cholesky import CLEAR
from lincore.discriminant import LinearDiscriminantAnalysis
from lincore.moment_classifier import class_priors
from lincore.moments import Moments
from lincore.quadratic import QuadraticDiscriminantAnalysis

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Scores(NamedTuple):
    """Log joint densities of B samples as functions of the rows, but for a constant of each row.

    Attributes
    ----------
    constant : ndarray of shape (B, K)
    linear : ndarray of shape (B, K, p) or None
        Of LDA: ``rows @ linear[b].T + constant[b]``.
    means : ndarray of shape (B, K, p)
    factors : ndarray of shape (B, K, p, p) or None
        Of QDA: less half the squared lengths of ``(rows - means[b, k]) @ factors[b, k]``.
    certain : ndarray of shape (B,)
        Of which samples this holds; the others want a fit by itself.
    """

    constant: Array
    linear: Array | None
    means: Array
    factors: Array | None
    certain: Flags

    def of(self, sample: int, rows: NDArray[Any]) -> Array:
        """Return the scores (m, K) of rows (m, p) by one sample's model."""
        if self.linear is not None:
            return np.asarray(rows @ self.linear[sample].T + self.constant[sample])
        assert self.factors is not None
        white = (rows - self.means[sample][:, None]) @ self.factors[sample]
        return np.asarray(self.constant[sample] - 0.5 * np.vecdot(white, white).T)


def is_plain(estimator: Any) -> bool:
    """Whether a classifier is LDA or QDA by maximum likelihood, or with unbiased covariances.

    Examples
    --------
    >>> is_plain(LinearDiscriminantAnalysis()), is_plain(LinearDiscriminantAnalysis(shrinkage=0.1))
    (True, False)
    """
    if type(estimator) is LinearDiscriminantAnalysis:
        return estimator.shrinkage is None and estimator.divisor == "n"
    if type(estimator) is QuadraticDiscriminantAnalysis:
        plain = estimator.shrinkage is None and estimator.divisor in ("n", "n-1")
        return plain and estimator.regularization == 0
    return False


def solve_gaussians(estimator: Any, moments: Moments) -> Scores:
    """Fit a classifier that `is_plain` to each of B samples.

    Parameters
    ----------
    estimator : LinearDiscriminantAnalysis or QuadraticDiscriminantAnalysis
    moments : Moments of shapes (B, K), (B, K, p), (B, K, p, p)

    Raises
    ------
    ValueError
        For priors that are not K probabilities.

    Examples
    --------
    >>> X, codes = np.array([[1.0], [2.0], [4.0], [7.0]]), [0, 0, 1, 1]
    >>> one = Moments.from_groups(X, codes, 2)
    >>> both = Moments(*(np.stack([part, part]) for part in (one.count, one.mean, one.scatter)))
    >>> scores = solve_gaussians(LinearDiscriminantAnalysis(), both).of(1, X)
    >>> alone = LinearDiscriminantAnalysis().fit(X, codes)
    >>> bool(np.allclose(scores[:, 1] - scores[:, 0], alone.decision_function(X)))
    True
    """
    present = np.asarray((moments.count > 0).all(axis=-1))
    count = np.where(present[:, None], moments.count, 1.0)
    if estimator.priors is None:
        priors = count / count.sum(axis=-1, keepdims=True)
    else:
        priors = np.broadcast_to(class_priors(count[0], estimator.priors), count.shape)
    known = Moments(count, moments.mean, moments.scatter)
    with np.errstate(all="ignore"):  # what comes of it is not certain
        if isinstance(estimator, LinearDiscriminantAnalysis):
            found = _linear(known, priors)
        else:
            found = _quadratic(known, priors, estimator.divisor)
    finite = np.isfinite(found.constant).all(axis=-1) & np.isfinite(moments.mean).all(axis=(1, 2))
    return found._replace(certain=found.certain & present & finite)


def _linear(moments: Moments, priors: Array) -> Scores:
    """See `LinearDiscriminantAnalysis._solve`."""
    count = moments.count
    within = moments.within() / count.sum(axis=-1)[:, None, None]
    units = _deviations(within)
    inverse, certain = _inverse_roots(within / units[:, None] / units[:, :, None])
    whitener = inverse.swapaxes(-1, -2) / units[:, :, None]
    centre = (priors[:, None] @ moments.mean)[:, 0]
    white = (moments.mean - centre[:, None]) @ whitener
    linear = white @ whitener.swapaxes(-1, -2)
    constant = np.log(priors) - 0.5 * np.vecdot(white, white) - (linear @ centre[..., None])[..., 0]
    return Scores(constant, linear, moments.mean, None, certain)


def _quadratic(moments: Moments, priors: Array, divisor: str) -> Scores:
    """See `QuadraticDiscriminantAnalysis._whiteners`."""
    count = moments.count
    degrees = count - (divisor == "n-1")
    covariances = moments.scatter / np.where(degrees > 0, degrees, 1.0)[..., None, None]
    share = count / count.sum(axis=-1, keepdims=True)
    pooled = (share[..., None] * np.diagonal(covariances, axis1=-2, axis2=-1)).sum(axis=1)
    units = np.sqrt(np.where(pooled > 0, pooled, np.nan))[:, None]
    inverse, certain = _inverse_roots(covariances / units[..., None, :] / units[..., None])
    factors = inverse.swapaxes(-1, -2) / units[..., None]
    roots = np.log(np.diagonal(inverse, axis1=-2, axis2=-1)).sum(axis=-1)
    log_det = 2 * np.log(units).sum(axis=-1) - 2 * roots
    constant = np.log(priors) - 0.5 * log_det
    return Scores(constant, None, moments.mean, factors, np.asarray(certain.all(axis=1)))


def _deviations(covariances: Array) -> Array:
    variances = np.diagonal(covariances, axis1=-2, axis2=-1)
    return np.sqrt(np.where(variances > 0, variances, np.nan))


def _inverse_roots(matrices: Array) -> tuple[Array, Flags]:
    """Return inverse Cholesky factors (..., p, p), and which are certain: see `triangular_inverse`.

    Diagonals may differ from one; the largest entry takes its place.
    """
    p = matrices.shape[-1]
    largest = np.diagonal(matrices, axis1=-2, axis2=-1).max(axis=-1)
    certain = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)) & (largest > 0))
    safe = np.where(certain[..., None, None], matrices, np.eye(p))
    try:
        roots = np.linalg.cholesky(safe)
    except np.linalg.LinAlgError:
        # Of one of them, which is not told: eigenvalues tell.
        certain &= np.linalg.eigvalsh(safe)[..., 0] > CLEAR * largest
        roots = np.linalg.cholesky(np.where(certain[..., None, None], safe, np.eye(p)))
    inverse = np.linalg.inv(roots)
    certain &= p * largest * (inverse**2).sum(axis=(-2, -1)) * CLEAR < 1
    return np.asarray(inverse, dtype=np.float64), certain
