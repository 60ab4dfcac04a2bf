"""Linear discriminant analysis: Gaussian classes that share one covariance."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lincore.estimators.base.class_weights import ClassWeight
from lincore.estimators.base.linear import LinearClassifier, SoftmaxPosterior
from lincore.estimators.base.moment_classifier import MomentClassifier, Priors, class_priors
from lincore.estimators.base.validation import LabelledRows
from lincore.linalg.canonical import CanonicalMeans, canonical_means, check_n_components, project
from lincore.linalg.covariance import RowSpace, Shrinkage, Whitener, shrink
from lincore.linalg.gaussian import Gaussians
from lincore.linalg.stepwise import SelectionStep, stepwise_selection
from lincore.moments.moments import Moments
from lincore.utils.formatting import count, listed
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.thread_warnings import warn
from lincore.utils.typing import Array, Flags

# Of the random subsets from which the minimum covariance determinant is searched.
_SEED = 0
# Interquartile ranges from the median, beyond which an outlier is not farther.
_FARTHEST = 1e6


def _takes_moments(model: Any) -> bool:
    return bool(model.covariance != "mcd")


def _robust_moments(labelled: LabelledRows, moments: Moments, classes: NDArray[Any]) -> Moments:
    """Return moments with mean and scatter by the minimum covariance determinant of each class."""
    from sklearn.covariance import MinCovDet

    rows, codes, weight = labelled
    p, lacking = rows.shape[1], []
    means, scatter = moments.mean.copy(), moments.scatter.copy()
    for code in range(len(classes)):
        own = codes == code if weight is None else (codes == code) & (weight > 0)
        covariance = np.zeros((p, p))
        if own.sum() > 2 * p:
            lower, centre, upper = np.percentile(rows[own].astype(float), [25, 50, 75], axis=0)
            # In units of most rows, and nearer: beside far outliers they vary by rounding alone.
            unit = np.where(upper > lower, upper - lower, 1.0)
            standard = np.clip((rows[own] - centre) / unit, -_FARTHEST, _FARTHEST)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of singular subsets, see below
                estimate = MinCovDet(random_state=_SEED).fit(standard)
            covariance = estimate.covariance_
        if np.linalg.matrix_rank(covariance) < p:
            lacking.append(str(classes[code]))
            continue
        means[code] = centre + unit * estimate.location_
        full = moments.count[code] * unit[:, None] * covariance * unit
        scatter[code] = np.diagonal(full) if moments.is_diagonal else full
    if lacking:
        warn(
            f"No minimum covariance determinant for {count(len(lacking), 'class', 'classes')}: "
            f"{listed(lacking, 5)}. With {count(p, 'feature')} it needs more than {2 * p:,} rows "
            "of a class, fewer than half of them in one plane (rows of indicator columns often lie "
            "in one). The sample mean and covariance are used.",
            UserWarning,
            stacklevel=5,
        )
    return Moments(moments.count, means, scatter)


class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    SoftmaxPosterior,
    MomentClassifier,
    LinearClassifier,
):
    """Gaussian classes that share one covariance; boundaries are hyperplanes.

    The score of class k is ``w_k @ x + b_k`` with ``w_k = Σ⁻¹μ_k`` and
    ``b_k = log p_k - μ_kᵀΣ⁻¹μ_k / 2``. As in scikit-learn the coefficients are given relative to
    the mean of the classes, ``Σ⁻¹(μ_k - m)``: differences of scores, and thus all boundaries and
    posteriors, are unchanged, and no digits are lost far from the origin.

    `transform` returns canonical coordinates: projections onto the directions that best separate
    the class means, in within-class standard deviations according to `covariance_`.

    Parameters
    ----------
    priors : array-like of shape (K,), mapping, "equal" or "all", optional
        Class probabilities, in the order of `classes_` or by label. Default: class shares. They
        never affect the covariance (in two of scikit-learn's solvers they do).
    shrinkage : None, float in [0, 1] or "oas"
        Shrink the covariance towards a multiple of the identity; see
        `lincore.linalg.covariance.shrink`.
    divisor : {"n", "n-k"}, default "n"
        Divisor of the pooled scatter: "n" is the maximum likelihood estimate, "n-k" the unbiased
        one.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. They change estimated priors, but not
        given `priors`.
    n_components : int, optional
        Number of canonical coordinates returned by `transform`, at most K - 1 and p. Default: all.
        Predictions always use all.
    covariance : {"sample", "mcd"}, default "sample"
        "mcd": means and covariances by class are those of the minimum covariance determinant, which
        outliers do not move, and the covariances are pooled. It needs the rows, so `partial_fit`
        and `fit_moments` are not available; their weights affect only how classes are pooled. A
        class with at most 2p rows, or with more than half of them in a plane, keeps its sample
        mean and covariance, and a warning names it.
    selection : None, "stepwise" or sequence of int, optional
        Features that decide: all; those of stepwise selection by Wilks' lambda, see
        `lincore.linalg.stepwise_selection`; or those at given positions. The others get
        coefficient 0, and there are no `densities_`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    priors_ : ndarray of shape (K,)
    means_ : ndarray of shape (K, p)
    covariance_ : ndarray of shape (p, p)
    xbar_ : ndarray of shape (p,)
        ``priors_ @ means_``, the origin of the canonical coordinates.
    scalings_ : ndarray of shape (p, d)
        The canonical directions, in inverse units of the features. The last class with a mean off
        the centre is on the positive side. Up to sign they equal those of scikit-learn 1.9; with
        ``divisor="n-k"`` those of earlier versions and of R's MASS.
    explained_variance_ratio_ : ndarray of shape (d,)
        Shares of the variance between the classes.
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    rank_ : int
        Rank of the pooled covariance. Directions in which no class varies are ignored, even if the
        means differ there.
    selected_ : ndarray of shape (p,)
        True for features that decide; only with `selection`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Only if X is a DataFrame with string column names.

    References
    ----------
    "faces-generative-vs-discriminative", "Probabilistic Generative Model";
    "lda-qda-derivations", eqs. 14, 19 and 28; "lda-from-scratch", Appendix 1;
    "prml-chapter-4-in-r", sections 4.2.1 and 4.2.2; "lecture-linear-classifiers",
    "Continuous Input Variable"; Rousseeuw, Van Driessen (1999), "A fast algorithm for the minimum
    covariance determinant estimator", and Hubert, Van Driessen (2004), "Fast and robust
    discriminant analysis", for "mcd"; Rencher (2002), "Methods of Multivariate Analysis", sections
    6.11.2 and 8.9, for "stepwise". The code of "lda-from-scratch" divides the covariance by n
    twice and subtracts class means in uint8; both are corrected here.

    Examples
    --------
    >>> X = np.array([[4.0, 5.0], [4.4, 4.8], [3.8, 4.2], [6.0, 3.0], [6.6, 3.8], [6.4, 3.1]])
    >>> lda = LinearDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> lda.predict([[4.0, 4.0], [6.0, 4.0]])
    array(['a', 'b'], dtype='<U1')
    >>> lda.transform(lda.means_).round(2)
    array([[-8.57],
           [ 8.57]])
    """

    def __init__(
        self,
        *,
        priors: Priors = None,
        shrinkage: Shrinkage = None,
        divisor: Literal["n", "n-k"] = "n",
        class_weight: ClassWeight = None,
        n_components: int | None = None,
        covariance: Literal["sample", "mcd"] = "sample",
        selection: Literal["stepwise"] | Sequence[int] | None = None,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.divisor = divisor
        self.class_weight = class_weight
        self.n_components = n_components
        self.covariance = covariance
        self.selection = selection

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state from a file; those of older versions lack some options."""
        super().__setstate__({"covariance": "sample", "selection": None, **state})

    @available_if(_takes_moments)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update with more rows; see `MomentClassifier.partial_fit`."""
        return super().partial_fit(X, y, classes, sample_weight)

    @available_if(_takes_moments)
    def fit_moments(self, moments: Moments, classes: ArrayLike) -> Self:
        """Fit to moments grouped by class; see `MomentClassifier.fit_moments`."""
        return super().fit_moments(moments, classes)

    def without_moments(self) -> Self:
        """Return a copy that contains only what prediction needs."""
        light = super().without_moments()
        for name in ("densities_", "_selected_whitener"):
            light.__dict__.pop(name, None)
        return light

    @property
    def covariance_(self) -> Array:
        """The pooled covariance after shrinkage, (p, p); computed on first access."""
        moments = self._solved_moments
        return self._covariance(moments if self._space is None else self._space.lift(moments))

    @property
    def xbar_(self) -> Array:
        """The mean (p,) of the class means, weighted by the priors."""
        check_is_fitted(self)
        return np.asarray(self.priors_ @ self.means_)

    @property
    def scalings_(self) -> Array:
        """The canonical directions (p, d), computed on first access.

        Raises
        ------
        ValueError
            If the class means are equal.
        """
        canonical = self._canonical()
        return canonical.whitener.unwhiten(canonical.axes(self.n_components)).T

    @property
    def selection_steps_(self) -> list[SelectionStep]:
        """The steps of stepwise selection, computed on access; see `stepwise_selection`."""
        return stepwise_selection(self._solved_moments)

    @property
    def explained_variance_ratio_(self) -> Array:
        """The shares (d,) of the between-class variance along the canonical directions."""
        canonical = self._canonical()
        squares = canonical.decomposition.lengths**2
        return (squares / squares.sum())[: len(canonical.axes(self.n_components))]

    def transform(self, X: ArrayLike) -> Array:
        """Return canonical coordinates (n, d) of rows (n, p), in within-class deviations.

        Raises
        ------
        ValueError
            If the class means are equal.
        """
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False)
        return project(rows, self.xbar_, self.scalings_)

    @property
    def _n_features_out(self) -> int:
        return self.scalings_.shape[1]

    def _canonical(self) -> CanonicalMeans:
        """Return the means about `xbar_`, weighted by the priors."""
        check_is_fitted(self)
        has_all = self.selection is None
        whitener = self.densities_.whiteners[0] if has_all else self._selected_whitener
        has_rows = self._moments.count[:, None] > 0
        white = whitener.whiten(np.where(has_rows, self.means_ - self.xbar_, 0.0))
        return CanonicalMeans(whitener, white, self.priors_)

    def _fit_rows(self, labelled: LabelledRows) -> Self:
        if self.covariance not in ("sample", "mcd"):
            raise ValueError(f"covariance must be 'sample' or 'mcd', got {self.covariance!r}.")
        if self.covariance == "mcd":
            return self._keep(_robust_moments(labelled, self._summarise(*labelled), self.classes_))
        if self.selection is not None:  # of features, not of coordinates in the span of the rows
            return self._keep(self._summarise(*labelled))
        return super()._fit_rows(labelled)

    def _row_space(self, rows: NDArray[Any], diagonal: Moments) -> RowSpace:
        """Return the space of the rows, in the units used for inverting the covariance."""
        # For singular Σ these are within-class standard deviations (see `Whitener`); shrinkage
        # towards the identity refers to the units of the features.
        if self.shrinkage is None:
            return super()._row_space(rows, diagonal)
        mean = diagonal.pooled().mean
        return RowSpace.spanned_by(rows, mean, np.ones_like(mean))

    @property
    def _needs_variance(self) -> bool:
        return not self.shrinkage

    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        check_n_components(self.n_components, len(self.classes_), self.n_features_in_)
        self.priors_ = class_priors(moments.count, self.priors, self.classes_)
        if self.selection is not None:
            self.selected_ = self._select(moments)
            canonical = self._selected_means(moments)
        elif space is None and self.shrinkage is None and self.divisor == "n":
            canonical = canonical_means(moments)
        else:
            covariance = self._covariance(moments)
            whitener = Whitener.from_covariance(covariance, equilibrate=space is None)
            canonical = CanonicalMeans.of(moments, whitener)
        means, whitener = moments.mean, canonical.whitener
        has_rows = moments.count[:, None] > 0
        if space is not None:
            whitener = whitener.after(space.forward)
            means = np.where(has_rows, space.lift_points(means), 0.0)
        centre = self.priors_ @ means
        # A class without rows has no mean: its score is minus infinity, never NaN.
        white = np.where(has_rows, canonical.means - self.priors_ @ canonical.means, 0.0)
        self.means_, self.rank_ = means, whitener.rank
        if self.selection is None:
            self.densities_ = Gaussians(means, (whitener,) * len(means))
        else:  # the distribution of the other features is left open
            self.__dict__.pop("densities_", None)
            self._selected_whitener = whitener
        coef = whitener.unwhiten(white)
        with np.errstate(divide="ignore"):
            intercept = np.log(self.priors_) - 0.5 * (white**2).sum(axis=1) - coef @ centre
        self._set_linear(coef, intercept)

    def _select(self, moments: Moments) -> Flags:
        """Return which features decide."""
        if self._diagonal:
            raise ValueError("Diagonal LDA has no selection: leave it out, or choose LDA.")
        if self.selection == "stepwise":
            chosen = np.zeros(moments.n_features, dtype=bool)
            for step in stepwise_selection(moments):
                chosen[step.feature] = step.enters
            if not chosen.any():
                warn(
                    "Stepwise selection chose no feature, so that all rows are predicted by the "
                    "priors.",
                    UserWarning,
                    stacklevel=7,
                )
            return chosen
        positions = np.asarray(self.selection)
        if positions.ndim != 1 or (len(positions) and positions.dtype.kind != "i"):
            raise ValueError(
                f"selection must be None, 'stepwise' or positions of features, got "
                f"{self.selection!r}."
            )
        if not np.isin(positions, range(moments.n_features)).all():
            raise ValueError(
                f"selection must name features from 0 to {moments.n_features - 1}, got "
                f"{positions.tolist()}."
            )
        return np.isin(np.arange(moments.n_features), positions)

    def _selected_means(self, moments: Moments) -> CanonicalMeans:
        """Return the canonical means of the selected features; none if there is none."""
        chosen = self.selected_
        axes = np.eye(moments.n_features)[:, chosen]
        whitener = Whitener(axes, 0.0)
        if chosen.any():
            covariance = self._covariance(moments)[np.ix_(chosen, chosen)]
            whitener = Whitener.from_covariance(covariance).after(axes)
        return CanonicalMeans.of(moments, whitener)

    def _covariance(self, moments: Moments) -> Array:
        return shrink(
            moments.within() / pooled_divisor(moments.count, self.divisor),
            self.shrinkage,
            n_samples=moments.count.sum(),
            n_features=self.n_features_in_,
        )


class DiagonalLinearDiscriminantAnalysis(LinearDiscriminantAnalysis):
    """Linear discriminant analysis that assumes uncorrelated features within each class.

    LDA with the diagonal of the pooled covariance: it learns only K means and p variances, which is
    stable with many features and few rows. Options and attributes are those of
    `LinearDiscriminantAnalysis`; `covariance_` contains the p variances.

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
    _in_row_space: ClassVar[bool] = False


def pooled_divisor(count: Array, divisor: Literal["n", "n-k"]) -> float:
    """Return the divisor of a pooled scatter: the total weight, less the classes for "n-k"."""
    if divisor not in ("n", "n-k"):
        raise ValueError(f"divisor must be 'n' or 'n-k', got {divisor!r}.")
    n_classes = np.count_nonzero(count)
    degrees = float(count.sum() - (n_classes if divisor == "n-k" else 0))
    if degrees <= 0:
        raise ValueError(
            f"Unbiased covariances need a total weight of more than {n_classes}, the number of "
            f"classes; it is {count.sum():g}. Use the maximum likelihood estimate or add rows."
        )
    return degrees
