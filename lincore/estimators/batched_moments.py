"""Classifiers solved from moments for many samples of the rows at once.

A study of class sizes fits them to hundreds of samples of few features, and cross-validation of
small data to as many folds. One by one the time goes to Python and not to arithmetic. Where the
rank of a covariance is open to doubt, or a class has no rows, a fit by itself decides; everywhere
else the scores are those of that fit but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from lincore.estimators.base.class_weights import class_weights
from lincore.estimators.base.moment_classifier import class_priors
from lincore.estimators.fisher import FisherDiscriminant
from lincore.estimators.least_squares import LeastSquaresClassifier, class_targets
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.naive_bayes import GaussianNB
from lincore.estimators.quadratic_discriminant import QuadraticDiscriminantAnalysis
from lincore.linalg.cholesky import CLEAR
from lincore.linalg.gaussian import multiplied_out, needs_differences
from lincore.moments.moments import Moments
from lincore.utils.typing import Array, Flags

# Deviations from the centre up to which the mean of a class is near: the scores of its rows are
# half the square, and lose eps times as much.
FARTHEST = 1e3
# Features from which on LAPACK's inverse of a triangle beats NumPy's of many matrices at once.
LARGE_TRIANGLE = 16


class Scores(NamedTuple):
    """Scores of B samples as functions of the rows: of densities, but for a constant of each row.

    Attributes
    ----------
    constant : ndarray of shape (B, K)
    linear : ndarray of shape (B, K, p) or None
        ``rows @ linear[b].T + constant[b]``.
    means : ndarray of shape (B, K, p)
    factors : ndarray of shape (B, K, p, p), of shape (B, K, p) for diagonal ones, or None
        Less half the squared lengths of ``(rows - means[b, k]) @ factors[b, k]``.
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
        means, factors = self.means[sample], self.factors[sample]
        if factors.ndim == 2:
            centre = means.mean(axis=0)
            return self.constant[sample] - 0.5 * multiplied_out(
                rows - centre, factors**2, means - centre
            )
        white = (rows - means[:, None]) @ factors
        return np.asarray(self.constant[sample] - 0.5 * np.vecdot(white, white).T)


class Canonical(NamedTuple):
    """Class means of B samples where the covariance within classes is one: see `CanonicalMeans`.

    Attributes
    ----------
    factor : ndarray of shape (B, p, p)
        W with ``W @ W.T`` the inverse of the covariance within classes, divisor n.
    centre : ndarray of shape (B, p)
        Mean of all rows.
    means : ndarray of shape (B, K, p)
        About it, times W.
    certain : ndarray of shape (B,)
    """

    factor: Array
    centre: Array
    means: Array
    certain: Flags


@dataclass(frozen=True, eq=False)
class MomentStack:
    """Moments by class of B samples, and what several classifiers make of them alike.

    Parameters
    ----------
    moments : Moments of shapes (B, K), (B, K, p), (B, K, p, p)
    """

    moments: Moments

    @cached_property
    def is_whole(self) -> Flags:
        """Mask (B,) of the samples that have rows of every class and finite means."""
        moments = self.moments
        present = (moments.count > 0).all(axis=-1)
        return np.asarray(present & np.isfinite(moments.mean).all(axis=(1, 2)))

    @cached_property
    def count(self) -> Array:
        """Rows, or total weight, of each class (B, K); one where a sample is not whole."""
        return np.where(self.is_whole[:, None], self.moments.count, 1.0)

    @cached_property
    def shares(self) -> Array:
        """Shares of the classes, (B, K)."""
        return np.asarray(self.count / self.count.sum(axis=-1, keepdims=True))

    @cached_property
    def canonical(self) -> Canonical:
        """The class means in canonical coordinates."""
        moments = self.moments
        within = moments.within() / self.count.sum(axis=-1)[:, None, None]
        units = _deviations(within)
        factor, certain = _inverse_roots(within / units[:, None] / units[:, :, None])
        factor = factor / units[:, :, None]
        centre = (self.shares[:, None] @ moments.mean)[:, 0]
        means = (moments.mean - centre[:, None]) @ factor
        certain &= self.is_whole & (np.vecdot(means, means) < FARTHEST**2).all(axis=1)
        return Canonical(factor, centre, means, certain)

    def priors(self, given: Any) -> Array:
        """Return the priors (B, K): those given, or the shares.

        Raises
        ------
        ValueError
            For priors that are not K probabilities.
        """
        if given is None:
            return self.shares
        return np.broadcast_to(class_priors(self.count[0], given), self.count.shape)


def is_plain(estimator: Any) -> bool:
    """Return whether a classifier is one of those, with options, that `solve_together` knows.

    LDA, QDA, Gaussian naive Bayes, least squares and Fisher's discriminant, nothing shrunken.

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
    if type(estimator) is GaussianNB:
        categories = estimator.categorical_columns
        return bool(estimator.var_smoothing >= 0) and not categories and estimator.alpha > 0
    if type(estimator) is LeastSquaresClassifier:
        return estimator.alpha == 0
    if type(estimator) is FisherDiscriminant:
        return estimator.n_components is None and estimator.threshold in ("midpoint", "gaussian")
    return False


def solve_together(estimator: Any, stack: MomentStack) -> Scores:
    """Fit a classifier that `is_plain` to each of B samples of classes 0 to K - 1.

    Raises
    ------
    ValueError
        For options that a fit by itself refuses too.

    Examples
    --------
    >>> X, codes = np.array([[1.0], [2.0], [4.0], [7.0]]), [0, 0, 1, 1]
    >>> one = Moments.from_groups(X, codes, 2)
    >>> both = Moments(*(np.stack([part, part]) for part in (one.count, one.mean, one.scatter)))
    >>> scores = solve_together(LinearDiscriminantAnalysis(), MomentStack(both)).of(1, X)
    >>> alone = LinearDiscriminantAnalysis().fit(X, codes)
    >>> bool(np.allclose(scores[:, 1] - scores[:, 0], alone.decision_function(X)))
    True
    """
    count = stack.moments.count
    by_class = class_weights(estimator.class_weight, np.arange(count.shape[1]), count)
    if by_class is not None:
        stack = MomentStack(stack.moments.scale(by_class))
    with np.errstate(all="ignore"):  # what comes of it is not certain
        found = _SOLVERS[type(estimator)](estimator, stack)
    finite = np.isfinite(found.constant).all(axis=-1)
    return found._replace(certain=found.certain & stack.is_whole & finite)


def _discriminant(estimator: LinearDiscriminantAnalysis, stack: MomentStack) -> Scores:
    """See `LinearDiscriminantAnalysis._solve`."""
    priors = stack.priors(estimator.priors)
    means = stack.canonical.means
    white = means - (priors[:, None] @ means)
    centre = (priors[:, None] @ stack.moments.mean)[:, 0]
    return _from_white_means(stack, white, centre, np.log(priors))


def _fisher(estimator: FisherDiscriminant, stack: MomentStack) -> Scores:
    """See `FisherDiscriminant._solve`: all directions together span all that the means span."""
    canonical = stack.canonical
    priors = stack.priors(estimator.priors)
    offsets = np.zeros_like(priors) if estimator.threshold == "midpoint" else np.log(priors)
    found = _from_white_means(stack, canonical.means, canonical.centre, offsets)
    rows = np.sqrt(stack.shares)[..., None] * canonical.means
    known = canonical.certain[:, None, None]
    squares = np.linalg.eigvalsh(np.where(known, rows @ rows.swapaxes(-1, -2), 0.0))
    # One of them is zero, for the means lie about their centre.
    clear = squares[:, 1] > CLEAR * squares[:, -1]
    return found._replace(certain=np.asarray(found.certain & clear))


def _from_white_means(stack: MomentStack, white: Array, centre: Array, offsets: Array) -> Scores:
    """Return offsets less half the squared distances from white means about a centre (B, p)."""
    factor, _, _, certain = stack.canonical
    linear = white @ factor.swapaxes(-1, -2)
    constant = offsets - 0.5 * np.vecdot(white, white) - (linear @ centre[..., None])[..., 0]
    return Scores(constant, linear, stack.moments.mean, None, certain)


def _least_squares(estimator: LeastSquaresClassifier, stack: MomentStack) -> Scores:
    """See `lincore.estimators.least_squares._canonical_solution`, here without singular vectors."""
    factor, centre, means, certain = stack.canonical
    targets = np.stack([class_targets(count, estimator.targets) for count in stack.count])
    roots = np.sqrt(stack.shares)[..., None]
    rows = roots * means
    gram = np.eye(rows.shape[1]) + rows @ rows.swapaxes(-1, -2)
    known = certain[:, None, None]
    shrunk = np.linalg.solve(np.where(known, gram, np.eye(rows.shape[1])), rows)
    linear = (roots * targets).swapaxes(-1, -2) @ shrunk @ factor.swapaxes(-1, -2)
    mean_target = (stack.shares[:, None] @ targets)[:, 0]
    constant = mean_target - (linear @ centre[..., None])[..., 0]
    return Scores(constant, linear, stack.moments.mean, None, certain)


def _quadratic(estimator: QuadraticDiscriminantAnalysis, stack: MomentStack) -> Scores:
    """See `QuadraticDiscriminantAnalysis._whiteners`."""
    degrees = stack.count - (estimator.divisor == "n-1")
    scatter = stack.moments.scatter
    covariances = scatter / np.where(degrees > 0, degrees, 1.0)[..., None, None]
    variances = np.diagonal(covariances, axis1=-2, axis2=-1)
    pooled = (stack.shares[..., None] * variances).sum(axis=1)
    units = np.sqrt(np.where(pooled > 0, pooled, np.nan))[:, None]
    factors, certain = _inverse_roots(covariances / units[..., None, :] / units[..., None])
    roots = np.log(np.diagonal(factors, axis1=-2, axis2=-1)).sum(axis=-1)
    log_det = 2 * np.log(units).sum(axis=-1) - 2 * roots
    constant = np.log(stack.priors(estimator.priors)) - 0.5 * log_det
    factors = factors / units[..., None]
    return Scores(constant, None, stack.moments.mean, factors, np.asarray(certain.all(axis=1)))


def _naive_bayes(estimator: GaussianNB, stack: MomentStack) -> Scores:
    """See `GaussianNB._solve`."""
    diagonal = stack.moments.diagonal()
    overall = diagonal.pooled()
    total = stack.count.sum(axis=-1)[:, None]
    smoothing = estimator.var_smoothing * overall.scatter / total
    variances = diagonal.scatter / stack.count[..., None] + smoothing[:, None]
    factors = 1 / np.sqrt(variances)
    centred = diagonal.mean - diagonal.mean.mean(axis=1, keepdims=True)
    certain = ~needs_differences(factors**2, centred).any(axis=-1) & (variances > 0).all((1, 2))
    constant = np.log(stack.priors(estimator.priors)) - 0.5 * np.log(variances).sum(axis=-1)
    return Scores(constant, None, diagonal.mean, factors, np.asarray(certain))


_SOLVERS: dict[type, Callable[[Any, MomentStack], Scores]] = {
    LinearDiscriminantAnalysis: _discriminant,
    QuadraticDiscriminantAnalysis: _quadratic,
    GaussianNB: _naive_bayes,
    LeastSquaresClassifier: _least_squares,
    FisherDiscriminant: _fisher,
}


def _deviations(covariances: Array) -> Array:
    variances = np.diagonal(covariances, axis1=-2, axis2=-1)
    return np.sqrt(np.where(variances > 0, variances, np.nan))


def _inverse_roots(matrices: Array) -> tuple[Array, Flags]:
    """Return F (..., p, p) with ``F @ F.T`` the inverse, and which are certain.

    F is the transposed inverse of the lower Cholesky factor: see `triangular_inverse`. Diagonals
    may differ from one; the largest entry takes its place.
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
    if p < LARGE_TRIANGLE:
        inverse = np.linalg.inv(roots)
    else:
        inverse = np.empty_like(roots)
        for place in np.ndindex(roots.shape[:-2]):
            # Read by columns it is the upper triangle, and so is its inverse.
            inverse[place] = lapack.dtrtri(roots[place].T)[0].T
    certain &= p * largest * (inverse**2).sum(axis=(-2, -1)) * CLEAR < 1
    return np.asarray(inverse, dtype=np.float64).swapaxes(-1, -2), certain
