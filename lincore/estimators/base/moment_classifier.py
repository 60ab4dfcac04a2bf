"""Fitting from moments by class: at once, in batches, or with more features than rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lincore.estimators.base.class_weights import ClassWeight, class_weights
from lincore.estimators.base.validation import (
    LabelledRows,
    is_first_call,
    require_classes,
    validate_rows,
)
from lincore.linalg.covariance import RowSpace, deviations
from lincore.moments.moments import Moments
from lincore.utils.atomic import atomic
from lincore.utils.formatting import count, listed
from lincore.utils.probabilities import probabilities
from lincore.utils.thread_warnings import warn
from lincore.utils.typing import Array

Priors: TypeAlias = ArrayLike | Mapping[Any, float] | Literal["equal", "all"] | None

# The smallest deviation whose square does not underflow.
SMALLEST = 1e-140
_MOST_NAMED = 5


class ConstantFeatureWarning(UserWarning):
    """A feature that separates classes is ignored because it never varies within them."""


class MomentClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that depends only on the moments by class."""

    # The result does not depend on batches or on the order of rows. With fewer rows than features
    # the moments refer to coordinates in the span of the rows, and the (p, p) scatter is only
    # formed on access to `moments_`.
    # The moments of a class are scaled by its weight (`class_weight`) before fitting, so weights
    # need no further pass, and batches may have different class shares.
    # Input is checked for finite values during summation, without a further pass.

    # Whether the diagonal of the scatter is sufficient.
    _diagonal: ClassVar[bool] = False
    # Whether the model is the same in the span of the rows.
    _in_row_space: ClassVar[bool] = True

    classes_: NDArray[Any]
    n_features_in_: int
    class_weight: ClassWeight
    _moments: Moments
    _class_weights: Array | None
    _space: RowSpace | None

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows; with fewer rows than features, in the span of the rows."""
        return self._fit_rows(validate_rows(self, X, y, sample_weight, ensure_all_finite=False))

    @atomic
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update with more rows; the result does not depend on the batches."""
        first = is_first_call(self, classes)
        labelled = validate_rows(
            self, X, y, sample_weight, classes=classes, reset=first, ensure_all_finite=False
        )
        batch = self._summarise(*labelled)
        return self._keep(batch if first else self.moments_ + batch, fewest_classes=1)

    @atomic
    def fit_moments(self, moments: Moments, classes: ArrayLike) -> Self:
        """Fit to moments grouped by class."""
        labels = np.asarray(classes)
        one_each = labels.ndim == 1 and moments.count.shape == labels.shape
        if not one_each or not (labels[:-1] < labels[1:]).all():
            raise ValueError(
                f"Moments grouped as {moments.count.shape} need as many labels, in increasing "
                f"order; got {labels.tolist()}."
            )
        if self._diagonal:
            moments = moments.diagonal()
        elif moments.is_diagonal:
            raise ValueError(
                f"{type(self).__name__} needs the full scatter, but these moments have only its "
                f"diagonal. Create them with diagonal=False."
            )
        self.classes_, self.n_features_in_ = labels, moments.n_features
        return self._keep(moments)

    def without_moments(self) -> Self:
        """Return a copy with only what prediction needs: K p² fewer numbers to send."""
        light = copy(self)
        light._moments = Moments.empty(self._moments.count.shape, 0, diagonal=True)
        return light

    @property
    def moments_(self) -> Moments:
        """The moments by class of all rows seen, shapes (K,), (K, p), (K, p, p) or (K, p)."""
        # They include sample weights but not class weights, which depend on the final counts.
        check_is_fitted(self)
        return self._moments if self._space is None else self._space.lift(self._moments)

    @property
    def _solved_moments(self) -> Moments:
        """The moments from which the model was fitted, including class weights."""
        check_is_fitted(self)
        return scaled(self._moments, self._class_weights)

    @abstractmethod
    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        """Fit to moments by class, of the rows or of their coordinates."""

    def _keep(
        self, moments: Moments, space: RowSpace | None = None, *, fewest_classes: int = 2
    ) -> Self:
        weights = class_weights(self.class_weight, self.classes_, moments.count)
        weighted = scaled(moments, weights)
        require_classes(weighted.count, fewest_classes)
        self._solve(_with_density(weighted), space)
        if space is None and self._needs_variance:
            self._warn_of_constants(weighted)
        self._moments, self._class_weights, self._space = moments, weights, space
        return self

    @property
    def _needs_variance(self) -> bool:
        """Whether a feature that is constant within every class gets coefficient 0."""
        return False

    def _warn_of_constants(self, moments: Moments) -> None:
        """Warn about ignored features that separate classes but never vary within them."""
        within, means = moments.within(), moments.mean[moments.count > 0]
        constant = (within if within.ndim == 1 else np.diagonal(within)) == 0
        ignored = np.flatnonzero(constant & (np.ptp(means, axis=0) > 0))
        if len(ignored):
            names = getattr(self, "feature_names_in_", None)
            named = [f"column {i}" if names is None else repr(str(names[i])) for i in ignored]
            warn(
                f"Coefficient 0 for {count(len(ignored), 'feature')} constant within every class "
                f"but different between classes: {listed(named, _MOST_NAMED)}. Without "
                f"within-class variance distances have no scale. Use shrinkage (a ridge) with LDA "
                f"or QDA, or use least squares or logistic regression.",
                ConstantFeatureWarning,
                stacklevel=5,
            )

    def _fit_rows(self, labelled: LabelledRows) -> Self:
        rows, codes, weight = labelled
        n_classes = len(self.classes_)
        if len(rows) >= rows.shape[1] or not self._in_row_space:
            return self._keep(self._summarise(*labelled))
        if weight is not None:
            # A row with zero weight is ignored: it must not extend the span.
            rows, codes, weight = rows[weight > 0], codes[weight > 0], weight[weight > 0]
        diagonal = summarise(rows, codes, n_classes, weight, diagonal=True)
        by_class = class_weights(self.class_weight, self.classes_, diagonal.count)
        space = self._row_space(rows, scaled(diagonal, by_class))
        coordinates = summarise(space.coordinates(rows), codes, n_classes, weight)
        return self._keep(coordinates, space)

    def _summarise(
        self, rows: NDArray[Any], codes: NDArray[np.intp], weight: Array | None
    ) -> Moments:
        return summarise(rows, codes, len(self.classes_), weight, diagonal=self._diagonal)

    def _row_space(self, rows: NDArray[Any], diagonal: Moments) -> RowSpace:
        """Return the span of the rows, with axes orthonormal in within-class deviations."""
        scale = deviations(diagonal.within() / diagonal.count.sum())
        return RowSpace.spanned_by(rows, diagonal.pooled().mean, scale)


def summarise(
    rows: NDArray[Any],
    codes: NDArray[np.intp],
    n_classes: int,
    weight: Array | None,
    *,
    diagonal: bool = False,
) -> Moments:
    """Return the moments by class; see `Moments.from_groups`."""
    with np.errstate(over="ignore", invalid="ignore"):
        moments = Moments.from_groups(rows, codes, n_classes, weight, diagonal=diagonal)
    # No entry of a scatter exceeds its diagonal. With such large means the between-class scatter
    # may overflow even if the within-class scatter does not.
    squares = moments.diagonal().scatter
    if not np.isfinite(squares).all() or np.abs(moments.mean).max(initial=0.0) > 1e150:
        raise ValueError(
            "The squares of the features overflow: some values exceed 1e150. Give them in "
            "larger units."
        )
    refuse_vanishing(rows, squares.sum(axis=0), moments.count.sum())
    return moments


def refuse_vanishing(rows: NDArray[Any], squares: Array, count: float) -> None:
    """Raise ValueError for a feature whose variation is too small to be squared."""
    for j in np.flatnonzero(squares < SMALLEST**2 * count):
        values = rows[:, j].astype(np.float64)
        if 0 < np.ptp(values) < SMALLEST:
            raise ValueError(
                f"Feature {j} varies by less than {SMALLEST:g}, whose square underflows. Give it "
                f"in "
                "smaller units."
            )


def scaled(moments: Moments, weights: Array | None) -> Moments:
    """Return moments by class, scaled by the class weights (K,) if given."""
    return moments if weights is None else moments.scale(weights)


def total_mean(total: Moments, space: RowSpace | None) -> Array:
    """Return the mean (p,) of all rows with moments `total`, in the units of the features."""
    return total.mean if space is None else space.lift_points(total.mean)


def _with_density(moments: Moments) -> Moments:
    """Give the only class so far some variance if it has none: its posterior is 1 in any case."""
    # Its scatter in `MomentClassifier.moments_` is unchanged.
    if np.count_nonzero(moments.count) > 1 or moments.diagonal().scatter.any():
        return moments
    unit = np.ones(moments.n_features) if moments.is_diagonal else np.eye(moments.n_features)
    scatter = np.zeros_like(moments.scatter)
    scatter[moments.count > 0] = unit
    return Moments(moments.count, moments.mean, scatter)


def class_priors(count: Array, priors: Priors, classes: ArrayLike) -> Array:
    """Return the priors (K,) to use: given, equal, or class shares."""
    # A class without rows gets prior zero, and the others are rescaled.
    if priors is None or (isinstance(priors, str) and priors == "all"):
        return count / count.sum()
    if isinstance(priors, str) and priors == "equal":
        return np.where(count > 0, 1.0, 0.0) / np.count_nonzero(count)
    given = probabilities(priors, classes, "priors", "None, 'equal' or 'all'")
    if not given[count > 0].sum():
        raise ValueError("priors are zero for every class with rows.")
    return np.where(count > 0, given, 0.0) / given[count > 0].sum()
