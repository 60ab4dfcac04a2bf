"""Gaussian classes: linear discriminant analysis."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from lincore.covariance import RowSpace, Shrinkage, Whitener, deviations, shrink
from lincore.gaussian import Gaussians
from lincore.linear import LinearClassifier, SoftmaxPosterior
from lincore.moments import Moments

Array = NDArray[np.float64]


class LinearDiscriminantAnalysis(SoftmaxPosterior, LinearClassifier):
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

    _moments: Moments
    _space: RowSpace | None
    _whitener: Whitener

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

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows.

        With fewer rows than features the work is done in the space that the rows span.

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
        rows, codes, weight = self._validated(X, y, sample_weight, classes=None)
        n_classes = len(self.classes_)
        if len(rows) >= rows.shape[1]:
            return self._solve(Moments.from_groups(rows, codes, n_classes, weight), None)
        diagonal = Moments.from_groups(rows, codes, n_classes, weight, diagonal=True)
        # Where Σ is singular its inverse is taken in units of the deviations within classes (see
        # Whitener), and shrinkage towards the identity in the units of the features.
        scale = deviations(diagonal.within() / diagonal.count.sum())
        if self.shrinkage is not None:
            scale = np.ones_like(scale)
        space = RowSpace.spanned_by(rows, diagonal.pooled().mean, scale)
        coordinates = space.coordinates(rows)
        return self._solve(Moments.from_groups(coordinates, codes, n_classes, weight), space)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from more rows; the result does not depend on how they are cut into batches.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like of shape (K,), optional
            All labels that will ever come; needed at the first call. A class without rows so far
            is never predicted.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        rows, codes, weight = self._validated(X, y, sample_weight, classes=classes, reset=first)
        batch = Moments.from_groups(rows, codes, len(self.classes_), weight)
        return self._solve(batch if first else self.moments_ + batch, None)

    def fit_moments(self, moments: Moments, classes: ArrayLike) -> Self:
        """Learn from moments grouped by class.

        Parameters
        ----------
        moments : Moments of shapes (K,), (K, p), (K, p, p)
        classes : array-like of shape (K,)
            The labels, in the order of the groups.
        """
        self.classes_ = np.asarray(classes)
        self.n_features_in_ = moments.n_features
        return self._solve(moments, None)

    @property
    def moments_(self) -> Moments:
        """The moments by class of all rows seen, shapes (K,), (K, p), (K, p, p)."""
        check_is_fitted(self)
        return self._moments if self._space is None else self._space.lift(self._moments)

    @property
    def covariance_(self) -> Array:
        """The pooled covariance after shrinkage, (p, p); formed when it is asked for."""
        return self._covariance(self.moments_, self.n_features_in_)

    @property
    def densities_(self) -> Gaussians:
        """The class densities, K Gaussians of one covariance."""
        check_is_fitted(self)
        return Gaussians(self.means_, (self._whitener,) * len(self.classes_))

    def _validated(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        *,
        classes: ArrayLike | None,
        reset: bool = True,
    ) -> tuple[NDArray[Any], NDArray[np.intp], Array | None]:
        """Check rows and labels; set `classes_` on reset; return X, codes and weights."""
        rows, labels = validate_data(self, X, y, dtype="numeric", reset=reset)
        check_classification_targets(labels)
        if reset:
            self.classes_ = unique_labels(labels if classes is None else classes)
        strange = np.setdiff1d(labels, self.classes_)
        if len(strange):
            raise ValueError(f"Labels {strange.tolist()} are not among {self.classes_.tolist()}.")
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, rows, ensure_non_negative=True)
        return rows, np.searchsorted(self.classes_, labels), weight

    def _solve(self, moments: Moments, space: RowSpace | None) -> Self:
        self._moments, self._space = moments, space
        self.priors_ = class_priors(moments.count, self.priors)
        covariance = self._covariance(moments, self.n_features_in_)
        whitener = Whitener.from_covariance(covariance, equilibrate=space is None)
        means = moments.mean
        if space is not None:
            whitener = whitener._replace(factor=space.forward @ whitener.factor)
            means = np.where(moments.count[:, None] > 0, space.lift_points(means), 0.0)
        self._whitener, self.means_, self.rank_ = whitener, means, whitener.rank
        self._set_scores()
        return self

    def _covariance(self, moments: Moments, n_features: int) -> Array:
        total = moments.count.sum()
        divisor = total - (len(moments) if self.divisor == "n-k" else 0)
        if self.divisor not in ("n", "n-k"):
            raise ValueError(f"divisor must be 'n' or 'n-k', got {self.divisor!r}.")
        if divisor <= 0:
            raise ValueError(
                f"With divisor='n-k' the rows must outweigh the {len(moments)} classes; their "
                f"total weight is {total:g}. Use divisor='n' or add rows."
            )
        return shrink(
            moments.within() / divisor, self.shrinkage, n_samples=total, n_features=n_features
        )

    def _set_scores(self) -> None:
        centre = self.priors_ @ self.means_
        # A class without rows has no mean: its score is minus infinity, and never NaN.
        seen = self._moments.count > 0
        white = np.where(seen[:, None], self.means_ - centre, 0.0) @ self._whitener.factor
        coef = white @ self._whitener.factor.T
        with np.errstate(divide="ignore"):
            intercept = np.log(self.priors_) - 0.5 * (white**2).sum(axis=1) - coef @ centre
        if len(coef) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept


def class_priors(count: Array, priors: ArrayLike | None) -> Array:
    """Return the priors (K,) to use: those given, or the shares of the rows.

    Raises
    ------
    ValueError
        For fewer than two classes with rows, or priors that are not K probabilities.
    """
    if np.count_nonzero(count) < 2:
        raise ValueError(
            f"A classifier needs rows of at least two classes; got {np.count_nonzero(count)} class."
        )
    if priors is None:
        return count / count.sum()
    given = np.asarray(priors, dtype=float)
    if given.shape != count.shape or not np.all(given >= 0) or not np.isclose(given.sum(), 1):
        raise ValueError(f"priors must be {len(count)} probabilities that sum to 1, got {priors}.")
    return np.where(count > 0, given, 0.0) / given[count > 0].sum()
