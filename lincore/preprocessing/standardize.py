"""Standardisation: mean zero and variance one in the training rows for every feature."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from lincore.linalg.covariance import deviations
from lincore.moments.moments import Moments
from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows, numeric_scores
from lincore.utils.typing import Array


class Standardizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Subtract the mean of each feature and divide by its standard deviation.

    Like scikit-learn's `StandardScaler`, but can also be fitted from moments, so that a pipeline
    can be refitted without reading the rows again.

    Attributes
    ----------
    mean_ : ndarray of shape (p,)
        In the units of the features.
    var_ : ndarray of shape (p,)
        Variances (divisor n), in squared units of the features.
    scale_ : ndarray of shape (p,)
        Standard deviations (divisor n) in the units of the features; 1 for constant features.

    Examples
    --------
    >>> Standardizer().fit_transform([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    """

    @atomic
    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn means and standard deviations from rows X of shape (n, p); `y` is ignored.

        Raises
        ------
        ValueError
            If input is not finite, or weights are negative or all zero.
        """
        rows = numeric_rows(self, X)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, rows, ensure_non_negative=True)
        codes = np.zeros(len(rows), dtype=np.intp)
        return self.fit_moments(Moments.from_groups(rows, codes, 1, sample_weight, diagonal=True))

    @atomic
    def fit_moments(self, moments: Moments) -> Self:
        """Fit to moments, pooled over their groups."""
        total = moments.pooled_fully()
        self.n_features_in_ = moments.n_features
        self.mean_ = total.mean
        self.var_ = total.scatter / total.count
        self.scale_ = deviations(self.var_)
        return self

    def map_moments(self, moments: Moments) -> Moments:
        """Return the moments of the transformed rows."""
        check_is_fitted(self)
        return moments.map(1 / self.scale_, origin=self.mean_)

    def affine(self) -> tuple[Array, Array]:
        """Return origin (p,) and matrix (p, p) of ``z = (x - origin) @ matrix``."""
        check_is_fitted(self)
        return self.mean_, np.diag(1 / self.scale_)

    def transform(self, X: ArrayLike) -> Array:
        """Return rows (n, p), standardised by the training rows."""
        check_is_fitted(self)
        return self.map_rows(numeric_rows(self, X, reset=False))

    def map_rows(self, rows: NDArray[Any]) -> Array:
        """Transform validated rows without further checks."""
        return (rows - self.mean_) / self.scale_

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Return standardised rows (n, p) in the units of the features."""
        check_is_fitted(self)
        return numeric_scores(X, len(self.scale_), "Standardizer") * self.scale_ + self.mean_
