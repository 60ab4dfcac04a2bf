"""The one core of LDA, QDA, Gaussian naive Bayes and diagonal LDA: Gaussians from moments."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lincore.gaussian import Gaussians
from lincore.moments import Moments
from lincore.validation import begins, validate_rows

Array = NDArray[np.float64]


class GaussianClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose classes are Gaussians, solved from their moments.

    Two switches make the family: whether the covariance is diagonal, and whether the classes
    share one. What is fitted is a function of the moments by class alone, so it does not depend
    on how the rows are cut into batches. (That input is finite is seen on the way: validation
    does not look at every value for that.)

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    priors_ : ndarray of shape (K,)
    means_ : ndarray of shape (K, p)
    densities_ : Gaussians
        The class densities.
    """

    _diagonal: ClassVar[bool]

    priors: ArrayLike | None
    classes_: NDArray[Any]
    densities_: Gaussians
    _moments: Moments

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows.

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
            For input that is not finite, fewer than two classes, options that do not fit, or
            covariances that allow no distance.
        """
        rows, codes, weight = validate_rows(self, X, y, sample_weight, ensure_all_finite=False)
        return self._solve(self._summarise(rows, codes, weight))

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
        first = begins(self, classes)
        labelled = validate_rows(
            self, X, y, sample_weight, classes=classes, reset=first, ensure_all_finite=False
        )
        batch = self._summarise(*labelled)
        return self._solve(batch if first else self.moments_ + batch)

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
        return self._solve(moments.diagonal() if self._diagonal else moments)

    @property
    def moments_(self) -> Moments:
        """The moments by class of all rows seen."""
        check_is_fitted(self)
        return self._moments

    @abstractmethod
    def _solve(self, moments: Moments) -> Self:
        """Set what is learned from the moments by class."""

    def _summarise(
        self, rows: NDArray[Any], codes: NDArray[np.intp], weight: Array | None
    ) -> Moments:
        return Moments.from_groups(rows, codes, len(self.classes_), weight, diagonal=self._diagonal)


def class_priors(count: Array, priors: ArrayLike | None) -> Array:
    """Return the priors (K,) to use: those given, or the shares of the rows.

    A class without rows gets none, and the others share what it would have had.

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
    if not given[count > 0].sum():
        raise ValueError("priors are zero for every class that has rows.")
    return np.where(count > 0, given, 0.0) / given[count > 0].sum()


def pooled_divisor(count: Array, divisor: Literal["n", "n-k"]) -> float:
    """Return what a pooled scatter is divided by: the rows' total weight, less the classes.

    Raises
    ------
    ValueError
        For any other word, and for rows that do not outweigh the classes.
    """
    if divisor not in ("n", "n-k"):
        raise ValueError(f"divisor must be 'n' or 'n-k', got {divisor!r}.")
    n_classes = np.count_nonzero(count)
    degrees = float(count.sum() - (n_classes if divisor == "n-k" else 0))
    if degrees <= 0:
        raise ValueError(
            f"With divisor='n-k' the rows must outweigh the {n_classes} classes; their total "
            f"weight is {count.sum():g}. Use divisor='n' or add rows."
        )
    return degrees
