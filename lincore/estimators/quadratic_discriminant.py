"""Quadratic discriminant analysis: Gaussian classes with individual covariances."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack, solve_triangular
from sklearn.utils.validation import check_is_fitted

from lincore.estimators.base.class_weights import ClassWeight
from lincore.estimators.base.linear import SoftmaxPosterior, chosen_codes
from lincore.estimators.base.moment_classifier import MomentClassifier, Priors, class_priors
from lincore.estimators.base.validation import require_number
from lincore.linalg.cholesky import EPS
from lincore.linalg.covariance import RowSpace, Shrinkage, Whitener, shrink
from lincore.linalg.gaussian import Gaussians
from lincore.linalg.quadric import Quadric
from lincore.moments.moments import Moments
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array


class QuadraticScores(SoftmaxPosterior):
    """Scores that are Gaussian log joint densities, and predictions from them."""

    classes_: NDArray[np.generic]
    priors_: Array
    means_: Array
    densities_: Gaussians

    def decision_function(self, X: ArrayLike) -> Array:
        """Return ``log p_k - (d_k² + log|Σ_k|) / 2``, the log joint density up to a constant."""
        check_is_fitted(self)
        return self.score_rows(numeric_rows(self, X, reset=False))

    def score_rows(self, rows: NDArray[np.generic]) -> Array:
        """Return the `decision_function` of validated rows without further checks."""
        scores = self._log_joint(rows)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _log_joint(self, rows: NDArray[np.generic]) -> Array:
        """Return the log joint densities (n, K), up to a constant."""
        return gaussian_scores(rows, self.densities_, self.priors_)

    def discriminants(self) -> list[Quadric]:
        """Return the score of each class as a function of the features, K quadrics."""
        check_is_fitted(self)
        return gaussian_quadrics(self.densities_, self.priors_)

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """Return the label of the largest score, shape (n,)."""
        chosen = chosen_codes(self.decision_function(X))
        return self.classes_[chosen]


def gaussian_scores(rows: NDArray[np.generic], densities: Gaussians, priors: Array) -> Array:
    """Return ``log p_k - (d_k² + log|Σ_k|) / 2`` of rows (n, p), shape (n, K)."""
    log_dets = np.array([whitener.log_det for whitener in densities.whiteners])
    with np.errstate(divide="ignore"):
        log_priors = np.log(priors)
    return np.asarray(log_priors - 0.5 * (densities.squared_distances(rows) + log_dets))


def gaussian_quadrics(densities: Gaussians, priors: Array) -> list[Quadric]:
    """Return the same as K functions of a point."""
    centre = priors @ densities.means
    with np.errstate(divide="ignore"):
        constants = np.log(priors)
    functions = []
    for mean, whitener, constant in zip(
        densities.means - centre, densities.whiteners, constants, strict=True
    ):
        slope = whitener.unwhiten(whitener.whiten(mean[None]))[0]
        inverse = whitener.unwhiten(whitener.whiten(np.eye(len(mean))))
        c = constant - 0.5 * (mean @ slope + whitener.log_det)
        functions.append(Quadric(-0.5 * inverse, slope, float(c), centre))
    return functions


class QuadraticDiscriminantAnalysis(QuadraticScores, MomentClassifier):
    """Gaussian classes with individual covariances; boundaries are quadrics.

    The score of class k is ``log p_k - (x - μ_k)ᵀ Σ_k⁻¹ (x - μ_k) / 2 - log|Σ_k| / 2``, and
    between two classes the boundary is ``xᵀAx + bᵀx + c = 0`` with ``A = (Σ_j⁻¹ - Σ_i⁻¹) / 2``.

    Parameters
    ----------
    priors : array-like of shape (K,), mapping, "equal" or "all", optional
        Class probabilities, in the order of `classes_` or by label. Default: class shares.
    regularization : float in [0, 1], default 0
        Shrink every covariance towards the pooled one (Friedman's lambda): 0 is QDA, 1 is LDA.
    shrinkage : None, float in [0, 1] or "oas"
        Afterwards, shrink every covariance towards a multiple of the identity; see
        `lincore.linalg.covariance.shrink`. (scikit-learn's `reg_param` mixes in the identity
        itself, regardless of units.)
    divisor : {"n", "n-1"}, default "n"
        Divisor of each class scatter: "n" is maximum likelihood, as in scikit-learn; "n-1" is
        unbiased.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. They change estimated priors, but not
        given `priors`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    priors_ : ndarray of shape (K,)
    means_ : ndarray of shape (K, p)
    densities_ : Gaussians
    n_features_in_ : int

    Raises
    ------
    ValueError
        In `fit`, if the covariance of a class is singular in a direction in which others vary: its
        density would be infinite. Directions in which no class varies are ignored.

    References
    ----------
    "lda-qda-derivations", "Quadratic Discriminant Analysis"; "lda-from-scratch", "Linear
    Classifiers", for ``xᵀAx + bᵀx + c``; "lecture-linear-classifiers", "Continuous Input
    Variable". Friedman (1989), "Regularized discriminant analysis", eqs. 15 and 16.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (50, 2)), rng.normal(0, 5, (50, 2))])
    >>> qda = QuadraticDiscriminantAnalysis().fit(X, ["near"] * 50 + ["far"] * 50)
    >>> qda.predict([[0, 0], [8, 8], [-8, 8]])  # no line could do that
    array(['near', 'far', 'far'], dtype='<U4')
    """

    _in_row_space: ClassVar[bool] = False

    def __init__(
        self,
        *,
        priors: Priors = None,
        regularization: float = 0.0,
        shrinkage: Shrinkage = None,
        divisor: Literal["n", "n-1"] = "n",
        class_weight: ClassWeight = None,
    ) -> None:
        self.priors = priors
        self.regularization = regularization
        self.shrinkage = shrinkage
        self.divisor = divisor
        self.class_weight = class_weight

    @property
    def covariance_(self) -> Array:
        """The covariances after regularising and shrinking, (K, p, p)."""
        return self._covariances(self._solved_moments)

    @property
    def _needs_variance(self) -> bool:
        return not self.shrinkage

    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        self.priors_ = class_priors(moments.count, self.priors, self.classes_)
        self.means_ = moments.mean
        covariances = self._covariances(moments)
        self.densities_ = Gaussians(self.means_, self._whiteners(covariances, moments.count))

    def _whiteners(self, covariances: Array, count: Array) -> tuple[Whitener, ...]:
        """Factorise the covariances (K, p, p), without the directions in which no class varies."""
        share = count / count.sum()
        # At full rank only units matter, and scaling is cheaper than rotating.
        frame = Whitener.from_covariance(share @ np.diagonal(covariances, axis1=1, axis2=2))
        singular = -1
        for _ in range(2):
            # A class without rows is never predicted, so any density will do.
            whiteners: list[Whitener] = []
            for covariance, rows in zip(covariances, count, strict=True):
                whitener = _factorise(frame, covariance) if rows else frame
                if whitener is None:
                    break
                whiteners.append(whitener)
            else:
                return tuple(whiteners)
            pooled = np.tensordot(share, covariances, axes=1)
            singular, frame = len(whiteners), Whitener.from_covariance(pooled)
        n = count[singular]
        rows_do = "only row does" if n == 1 else f"{n:g} rows do"
        raise ValueError(
            f"The covariance of class {self.classes_[singular]} is singular: its {rows_do} not "
            f"vary in all {frame.rank} directions in which the classes together vary. Use "
            "regularization > 0 (towards the pooled covariance), fewer components, or LDA."
        )

    def _covariances(self, moments: Moments) -> Array:
        """Return the covariance of each class, (K, p, p), by Friedman's two steps."""
        share = self.regularization
        require_number("regularization", share)
        if not 0 <= share <= 1:
            raise ValueError(f"regularization must lie in [0, 1], got {share!r}.")
        if self.divisor not in ("n", "n-1"):
            raise ValueError(f"divisor must be 'n' or 'n-1', got {self.divisor!r}.")
        degrees = np.maximum(moments.count - (self.divisor == "n-1"), 0.0)
        divisors = (1 - share) * degrees + share * degrees.sum()
        scatter = moments.scatter
        if share:
            scatter = (1 - share) * scatter + share * moments.within()
        covariances = scatter / np.where(divisors > 0, divisors, 1.0)[:, None, None]
        if self.shrinkage is not None:
            for k, n_samples in enumerate(moments.count):
                covariances[k] = shrink(covariances[k], self.shrinkage, n_samples=n_samples)
        return np.asarray(covariances)


def _factorise(frame: Whitener, covariance: Array) -> Whitener | None:
    """Factorise a covariance (p, p) in the coordinates of a frame; None if it is singular."""
    white = frame.congruent(covariance)
    smallest = 10 * len(white) * EPS * np.diagonal(white).max()
    # LAPACK directly: on small matrices SciPy's checks cost more than the computation.
    root, info = lapack.dpotrf(white, lower=1, clean=1)
    pivots = np.diagonal(root)
    if info or pivots.min() ** 2 <= smallest:
        return None
    log_det = frame.log_det + 2 * np.log(pivots).sum()
    if frame.basis.ndim == 1:
        factor = frame.basis[:, None] * lapack.dtrtri(root, lower=1, overwrite_c=1)[0].T
    else:
        factor = solve_triangular(root, frame.factor.T, lower=True, check_finite=False).T
    return Whitener(np.ascontiguousarray(factor), float(log_det))
