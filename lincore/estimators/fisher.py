"""Fisher's discriminant: the directions of largest between-class to within-class scatter."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lincore.estimators.base.class_weights import ClassWeight, weighted_rows
from lincore.estimators.base.linear import LinearClassifier, WithoutProbabilities
from lincore.estimators.base.moment_classifier import (
    MomentClassifier,
    Priors,
    class_priors,
    total_mean,
)
from lincore.estimators.base.validation import LabelledRows
from lincore.linalg.canonical import CanonicalMeans, canonical_means, check_n_components, project
from lincore.linalg.covariance import RowSpace, Whitener
from lincore.linalg.fisher_criterion import Definition, fisher_criterion
from lincore.linalg.thresholds import minimum_error_shifts
from lincore.moments.moments import Moments
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array

Threshold = Literal["midpoint", "gaussian", "minimum-error"]


def _needs_no_rows(model: FisherDiscriminant) -> bool:
    if model.threshold == "minimum-error":
        raise AttributeError(
            "threshold='minimum-error' counts errors on the rows, which are not available from "
            "moments or earlier batches. Use fit, or another threshold."
        )
    return True


class FisherDiscriminant(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    WithoutProbabilities,
    MomentClassifier,
    LinearClassifier,
):
    """Directions w that maximise J(w), the ratio of between-class to within-class scatter.

    They solve ``S_B w = J S_W w``; two classes have one, ``w ∝ S_W⁻¹ (m_2 - m_1)``. Fisher's
    criterion does not define a decision rule: it gives no threshold on the projection. `threshold`
    adds one.

    Parameters
    ----------
    threshold : {"midpoint", "gaussian", "minimum-error"}, default "midpoint"
        "midpoint": the nearest projected mean; for two classes, the point halfway between both.
        "gaussian": projections are Gaussian with a shared variance; with all directions this is
        LDA. (Unequal variances would need two thresholds.) "minimum-error": the fewest
        misclassified training rows, for two classes over all thresholds. For more classes, the
        offset of each class in turn is optimised, starting from "gaussian", until no offset can be
        improved (a local minimum). It needs the rows, so `partial_fit` and `fit_moments` are
        unavailable.
    priors : array-like of shape (K,), mapping, "equal" or "all", optional
        Class probabilities for "gaussian". Default: class shares. They never affect the directions.
    n_components : int, optional
        Number of directions to keep, at most K - 1 and p. Default: all.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. For two classes the midpoint depends
        on the weights only through the direction.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    directions_ : ndarray of shape (d, p)
        In inverse units of the features, by decreasing J. Along each the within-class variance is 1
        (scatter divided by n), and different ones are uncorrelated within classes. The last class
        with a mean off the centre is on the positive side.
    criterion_ : ndarray of shape (d,)
        J of each direction, as defined in the lecture; dimensionless.
    mean_ : ndarray of shape (p,)
        Mean of all rows, the origin of the projections.
    projected_means_ : ndarray of shape (K, d)
        Zero for a class without rows.
    priors_ : ndarray of shape (K,)
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Only if X is a DataFrame with string column names.

    Notes
    -----
    Directions in which no class varies (infinite J) are ignored.

    References
    ----------
    "lecture-linear-classifiers", "Fisher Discriminant Analysis"; "prml-chapter-4-in-r", section
    4.1.4, whose code sums over elements and centres both classes at the first mean, unlike here.
    Bishop (2006), eqs. 4.26 to 4.30 and, for many classes, section 4.1.6.

    Examples
    --------
    >>> X = np.array([[4.0, 5.0], [4.4, 4.8], [3.8, 4.2], [6.0, 3.0], [6.6, 3.8], [6.4, 3.1]])
    >>> fisher = FisherDiscriminant().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> fisher.transform(X).ravel().round(2)
    array([-10.08,  -7.2 ,  -8.44,   7.77,   8.32,   9.62])
    >>> fisher.criterion([fisher.directions_[0], [1.0, 0.0]]).round(1)  # no w has a larger J
    array([73.5, 20.6])
    """

    def __init__(
        self,
        threshold: Threshold = "midpoint",
        *,
        priors: Priors = None,
        n_components: int | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.threshold = threshold
        self.priors = priors
        self.n_components = n_components
        self.class_weight = class_weight

    @available_if(_needs_no_rows)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update with more rows; see `MomentClassifier.partial_fit`."""
        return super().partial_fit(X, y, classes, sample_weight)

    @available_if(_needs_no_rows)
    def fit_moments(self, moments: Moments, classes: ArrayLike) -> Self:
        """Fit to moments grouped by class; see `MomentClassifier.fit_moments`."""
        return super().fit_moments(moments, classes)

    def transform(self, X: ArrayLike) -> Array:
        """Return the projections (n, d) of rows (n, p), in within-class standard deviations."""
        check_is_fitted(self)
        return self._project(numeric_rows(self, X, reset=False))

    def criterion(self, w: ArrayLike, definition: Definition = "lecture") -> Array:
        """Return J of any directions (..., p); see `lincore.linalg.fisher_criterion`."""
        check_is_fitted(self)
        directions = np.asarray(w, dtype=float)
        if self._space is not None:
            directions = directions @ (self._space.axes * self._space.scale[:, None])
        return fisher_criterion(self._solved_moments, directions, definition)

    @property
    def _n_features_out(self) -> int:
        return len(self.directions_)

    def _fit_rows(self, labelled: LabelledRows) -> Self:
        super()._fit_rows(labelled)
        if self.threshold == "minimum-error":
            rows, codes, weight = weighted_rows(self, labelled)
            scores = self._project(rows) @ self.projected_means_.T + self._offsets
            shifts = minimum_error_shifts(scores, codes, weight)
            self._set_scores(self._offsets + shifts)
        return self

    @property
    def _needs_variance(self) -> bool:
        return True

    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        self._check_options()
        self.priors_ = class_priors(moments.count, self.priors, self.classes_)
        total, has_rows = moments.pooled(), moments.count > 0
        if space is None:
            canonical = canonical_means(moments)
        else:
            within = moments.within() / total.count
            canonical = CanonicalMeans.of(
                moments, Whitener.from_covariance(within, equilibrate=False)
            )
        whitener, white = canonical.whitener, canonical.means
        # After whitening S_W is the identity, and eigh(S_B, S_W) becomes an SVD of K rows.
        # A class that is the only one so far has nothing to be separated from.
        is_only_class = np.count_nonzero(has_rows) < 2
        axes = white[:0] if is_only_class else canonical.axes(self.n_components)
        directions = whitener.unwhiten(axes)
        self.directions_ = directions if space is None else directions @ space.forward.T
        self.criterion_ = canonical.decomposition.lengths[: len(axes)] ** 2
        self.mean_, self.projected_means_ = total_mean(total, space), white @ axes.T
        offsets = -0.5 * (self.projected_means_**2).sum(axis=1)
        with np.errstate(divide="ignore"):
            self._set_scores(
                offsets + np.log(has_rows if self.threshold == "midpoint" else self.priors_)
            )

    def _set_scores(self, offsets: Array) -> None:
        """Store ``offsets[k] + projected_means_[k] @ projection`` as functions of the features."""
        self._offsets = offsets
        coef = self.projected_means_ @ self.directions_
        self._set_linear(coef, offsets - coef @ self.mean_)

    def _project(self, rows: NDArray[Any]) -> Array:
        return project(rows, self.mean_, self.directions_.T)

    def _check_options(self) -> None:
        if self.threshold not in ("midpoint", "gaussian", "minimum-error"):
            raise ValueError(
                "threshold must be 'midpoint', 'gaussian' or 'minimum-error', "
                f"got {self.threshold!r}."
            )
        check_n_components(self.n_components, len(self.classes_), self.n_features_in_)
