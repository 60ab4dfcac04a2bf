"""Linear discriminant analysis: Gaussian classes that share one covariance."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from lincore.covariance import RowSpace, Shrinkage, Whitener, deviations, shrink
from lincore.gaussian import Gaussians
from lincore.gaussian_classifier import GaussianClassifier, class_priors, pooled_divisor
from lincore.linear import LinearClassifier, SoftmaxPosterior
from lincore.moments import Moments
from lincore.validation import validate_rows

Array = NDArray[np.float64]


class LinearDiscriminantAnalysis(SoftmaxPosterior, GaussianClassifier, LinearClassifier):
    """Gaussian classes that share one covariance; the boundaries between them are planes.

    The score of class k is ``w_k @ x + b_k`` with ``w_k = Σ⁻¹μ_k`` and
    ``b_k = log p_k - μ_kᵀΣ⁻¹μ_k / 2``. As in scikit-learn the coefficients are given relative to
    the mean of the classes, ``Σ⁻¹(μ_k - m)``: all differences of scores, and so all boundaries
    and posteriors, are the same, and far from the origin no digits are lost.

    Parameters
    ----------
    priors : array-like of shape (K,), optional
        Probabilities of the classes, in the order of `classes_`; default: their shares of the
        rows. They never enter the covariance (two solvers of scikit-learn let them).
    shrinkage : None, float in [0, 1] or "oas"
        Pull the covariance towards a multiple of the identity; see `lincore.covariance.shrink`.
    divisor : {"n", "n-k"}, default "n"
        What the pooled scatter is divided by: "n" is the maximum likelihood estimate, "n-k" the
        unbiased one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    priors_ : ndarray of shape (K,)
    means_ : ndarray of shape (K, p)
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    rank_ : int
        Rank of the pooled covariance. Directions in which no class varies carry no distance and
        are left out, even if the means differ there.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Where X is a DataFrame with names of type str.

    References
    ----------
    "faces-generative-vs-discriminative", "Probabilistic Generative Model";
    "lda-qda-derivations", eqs. 14, 19 and 28; "lda-from-scratch", Appendix 1;
    "prml-chapter-4-in-r", sections 4.2.1 and 4.2.2; "lecture-linear-classifiers",
    "Continuous Input Variable". The covariance of "lda-from-scratch" is divided by n twice in
    its code and its class means are subtracted in uint8: both are mended here.

    Examples
    --------
    >>> X = np.array([[4.0, 5.0], [4.4, 4.8], [3.8, 4.2], [6.0, 3.0], [6.6, 3.8], [6.4, 3.1]])
    >>> lda = LinearDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> lda.predict([[4.0, 4.0], [6.0, 4.0]])
    array(['a', 'b'], dtype='<U1')
    """

    _diagonal: ClassVar[bool] = False
    _space: RowSpace | None

    def __init__(
        self,
        *,
        priors: ArrayLike | None = None,
        shrinkage: Shrinkage = None,
        divisor: Literal["n", "n-k"] = "n",
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.divisor = divisor

    @property
    def moments_(self) -> Moments:
        """The moments by class of all rows seen, shapes (K,), (K, p), (K, p, p)."""
        check_is_fitted(self)
        return self._moments if self._space is None else self._space.lift(self._moments)

    @property
    def covariance_(self) -> Array:
        """The pooled covariance after shrinkage, (p, p); formed when it is asked for."""
        return self._covariance(self.moments_)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows; with fewer rows than features in the space that the rows span.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Finite numbers; uint8 and float32 are used as they are, without a copy in float64.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            A row of weight w counts as w copies of itself, in the priors too.

        Raises
        ------
        ValueError
            For input that is not finite, fewer than two classes, priors that do not fit, or
            classes within which nothing varies.
        """
        rows, codes, weight = validate_rows(self, X, y, sample_weight, ensure_all_finite=False)
        if len(rows) >= rows.shape[1] or self._diagonal:
            return self._solve(self._summarise(rows, codes, weight))
        n_classes = len(self.classes_)
        diagonal = Moments.from_groups(rows, codes, n_classes, weight, diagonal=True)
        # Where Σ is singular its inverse is taken in units of the deviations within classes (see
        # Whitener), and shrinkage towards the identity in the units of the features.
        scale = deviations(diagonal.within() / diagonal.count.sum())
        if self.shrinkage is not None:
            scale = np.ones_like(scale)
        space = RowSpace.spanned_by(rows, diagonal.pooled().mean, scale)
        coordinates = space.coordinates(rows)
        return self._solve(Moments.from_groups(coordinates, codes, n_classes, weight), space)

    def _solve(self, moments: Moments, space: RowSpace | None = None) -> Self:
        self._moments, self._space = moments, space
        self.priors_ = class_priors(moments.count, self.priors)
        whitener = Whitener.from_covariance(self._covariance(moments), equilibrate=space is None)
        means = moments.mean
        if space is not None:
            whitener = whitener._replace(factor=space.forward @ whitener.factor)
            means = np.where(moments.count[:, None] > 0, space.lift_points(means), 0.0)
        self.means_, self.rank_ = means, whitener.rank
        self.densities_ = Gaussians(means, (whitener,) * len(means))
        self._set_scores(whitener)
        return self

    def _covariance(self, moments: Moments) -> Array:
        return shrink(
            moments.within() / pooled_divisor(moments.count, self.divisor),
            self.shrinkage,
            n_samples=moments.count.sum(),
            n_features=self.n_features_in_,
        )

    def _set_scores(self, whitener: Whitener) -> None:
        centre = self.priors_ @ self.means_
        # A class without rows has no mean: its score is minus infinity, and never NaN.
        seen = self._moments.count > 0
        white = whitener.whiten(np.where(seen[:, None], self.means_ - centre, 0.0))
        coef = whitener.unwhiten(white)
        with np.errstate(divide="ignore"):
            intercept = np.log(self.priors_) - 0.5 * (white**2).sum(axis=1) - coef @ centre
        self._set_linear(coef, intercept)


class DiagonalLinearDiscriminantAnalysis(LinearDiscriminantAnalysis):
    """Linear discriminant analysis that takes the features for uncorrelated within each class.

    LDA with the diagonal of the pooled covariance: K means and p variances are all that is
    learned, which is steady where features are many and rows are few. Options and attributes are
    those of `LinearDiscriminantAnalysis`; `covariance_` holds the p variances.

    References
    ----------
    Dudoit, Fridlyand, Speed (2002), "Comparison of discrimination methods for the classification
    of tumors using gene expression data", where it is called DLDA.

    Examples
    --------
    >>> X = np.array([[4.0, 5.0], [4.4, 4.8], [3.8, 4.2], [6.0, 3.0], [6.6, 3.8], [6.4, 3.1]])
    >>> model = DiagonalLinearDiscriminantAnalysis().fit(X, [0, 0, 0, 1, 1, 1])
    >>> np.round(model.covariance_, 3)
    array([0.062, 0.121])
    """

    _diagonal: ClassVar[bool] = True
