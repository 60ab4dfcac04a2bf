"""Fitting from moments by class: in one go, batch by batch, or where features outnumber rows."""

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
    begins,
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

# The least deviation that can be squared.
SMALLEST = 1e-140
_MOST_NAMED = 5


class ConstantFeatureWarning(UserWarning):
    """A feature is constant within every class, so that it is ignored although it tells classes."""


class MomentClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is a function of the moments by class.

    What is learned does not depend on how the rows are cut into batches, nor on their order.
    With fewer rows than features the moments are those of coordinates in the space that the
    rows span, and the (p, p) scatter is only formed when `moments_` is asked for.

    Moments of a class are scaled by its weight (`class_weight`) before they are solved, so that
    weights cost no pass either, and batches may come in which the classes have other shares.

    That input is finite is seen while it is summed: no pass over the rows is spent on it.
    """

    # Whether the diagonal of the scatter is enough.
    _diagonal: ClassVar[bool] = False
    # Whether the model is the same in the space that the rows span.
    _in_row_space: ClassVar[bool] = True

    classes_: NDArray[Any]
    n_features_in_: int
    class_weight: ClassWeight
    _moments: Moments
    _class_weights: Array | None
    _space: RowSpace | None

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows; with fewer rows than features in the space that the rows span."""
        return self._fit_rows(validate_rows(self, X, y, sample_weight, ensure_all_finite=False))

    @atomic
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from more rows; the result does not depend on how they are cut into batches."""
        first = begins(self, classes)
        labelled = validate_rows(
            self, X, y, sample_weight, classes=classes, reset=first, ensure_all_finite=False
        )
        batch = self._summarise(*labelled)
        return self._keep(batch if first else self.moments_ + batch, fewest_classes=1)

    @atomic
    def fit_moments(self, moments: Moments, classes: ArrayLike) -> Self:
        """Learn from moments grouped by class."""
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
                f"{type(self).__name__} needs the full scatter, and these moments keep only its "
                "diagonal. Make them with diagonal=False."
            )
        self.classes_, self.n_features_in_ = labels, moments.n_features
        return self._keep(moments)

    def without_moments(self) -> Self:
        """Return a copy that predicts, and holds nothing else: K p² numbers less to send."""
        light = copy(self)
        light._moments = Moments.empty(self._moments.count.shape, 0, diagonal=True)
        return light

    @property
    def moments_(self) -> Moments:
        """The moments by class of all rows seen, shapes (K,), (K, p), (K, p, p) or (K, p).

        Sample weights are in them, class weights are not: these follow from the final counts.
        """
        check_is_fitted(self)
        return self._moments if self._space is None else self._space.lift(self._moments)

    @property
    def _solved_moments(self) -> Moments:
        """The moments that the model was solved from, class weights included."""
        check_is_fitted(self)
        return scaled(self._moments, self._class_weights)

    @abstractmethod
    def _solve(self, moments: Moments, space: RowSpace | None) -> None:
        """Set what is learned from moments by class, of the rows or of their coordinates."""

    def _keep(
        self, moments: Moments, space: RowSpace | None = None, *, fewest_classes: int = 2
    ) -> Self:
        weights = class_weights(self.class_weight, self.classes_, moments.count)
        weighted = scaled(moments, weights)
        require_classes(weighted.count, fewest_classes)
        self._solve(_with_a_density(weighted), space)
        if space is None and self._needs_variance:
            self._warn_of_constants(weighted)
        self._moments, self._class_weights, self._space = moments, weights, space
        return self

    @property
    def _needs_variance(self) -> bool:
        """Whether a feature that is constant within every class gets coefficient 0."""
        return False

    def _warn_of_constants(self, moments: Moments) -> None:
        """Warn of features that tell classes apart and are ignored, since they never vary."""
        within, means = moments.within(), moments.mean[moments.count > 0]
        constant = (within if within.ndim == 1 else np.diagonal(within)) == 0
        ignored = np.flatnonzero(constant & (np.ptp(means, axis=0) > 0))
        if len(ignored):
            names = getattr(self, "feature_names_in_", None)
            named = [f"column {i}" if names is None else repr(str(names[i])) for i in ignored]
            warn(
                f"Coefficient 0 for {count(len(ignored), 'feature')} constant within every class "
                f"but different between classes: {listed(named, _MOST_NAMED)}. Without variance "
                "within classes distances have no scale. Use shrinkage (a ridge) with LDA or QDA, "
                "or least squares or logistic regression.",
                ConstantFeatureWarning,
                stacklevel=5,
            )

    def _fit_rows(self, labelled: LabelledRows) -> Self:
        rows, codes, weight = labelled
        n_classes = len(self.classes_)
        if len(rows) >= rows.shape[1] or not self._in_row_space:
            return self._keep(self._summarise(*labelled))
        if weight is not None:
            # A row of no weight is absent: it must not stretch the space.
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
        """Return the space of the rows, its axes orthonormal in deviations within classes."""
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
    # No entry of a scatter is larger than those on its diagonal. Means that large make the
    # scatter between classes overflow where that within does not.
    squares = moments.diagonal().scatter
    if not np.isfinite(squares).all() or np.abs(moments.mean).max(initial=0.0) > 1e150:
        raise ValueError(
            "The squares of the features overflow: some are larger than 1e150. Give them in "
            "larger units."
        )
    refuse_vanishing(rows, squares.sum(axis=0), moments.count.sum())
    return moments


def refuse_vanishing(rows: NDArray[Any], squares: Array, count: float) -> None:
    """Raise ValueError for a feature that varies, but by less than can be squared."""
    for j in np.flatnonzero(squares < SMALLEST**2 * count):
        values = rows[:, j].astype(np.float64)
        if 0 < np.ptp(values) < SMALLEST:
            raise ValueError(
                f"Feature {j} varies by less than {SMALLEST:g}, whose square vanishes. Give it in "
                "smaller units."
            )


def scaled(moments: Moments, weights: Array | None) -> Moments:
    """Return moments by class with the weights (K,) of the classes in them, if there are any."""
    return moments if weights is None else moments.scale(weights)


def total_mean(total: Moments, space: RowSpace | None) -> Array:
    """Return the mean (p,) of all rows, of moments `total`, in the units of the features."""
    return total.mean if space is None else space.lift_points(total.mean)


def _with_a_density(moments: Moments) -> Moments:
    """Let a class that is alone so far vary, if it does not: any density gives it all posteriors.

    What it has of a scatter is kept as it is, in `MomentClassifier.moments_`.
    """
    if np.count_nonzero(moments.count) > 1 or moments.diagonal().scatter.any():
        return moments
    unit = np.ones(moments.n_features) if moments.is_diagonal else np.eye(moments.n_features)
    scatter = np.zeros_like(moments.scatter)
    scatter[moments.count > 0] = unit
    return Moments(moments.count, moments.mean, scatter)


def class_priors(count: Array, priors: Priors, classes: ArrayLike | None = None) -> Array:
    """Return the priors (K,) to use: those given, "equal" ones, or the shares of the rows.

    A class without rows gets none, and the others share what it would have had.
    """
    if priors is None or (isinstance(priors, str) and priors == "all"):
        return count / count.sum()
    if isinstance(priors, str) and priors == "equal":
        return np.where(count > 0, 1.0, 0.0) / np.count_nonzero(count)
    labels = np.arange(len(count)) if classes is None else classes
    given = probabilities(priors, labels, "priors", "None, 'equal' or 'all'")
    if not given[count > 0].sum():
        raise ValueError("priors are zero for every class that has rows.")
    return np.where(count > 0, given, 0.0) / given[count > 0].sum()
