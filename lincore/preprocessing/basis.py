"""Basis functions: nonlinear features that turn curved boundaries into linear ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist, pdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array

# Rows used for the median distance: 500,000 pairs.
MEDIAN_ROWS = 1000


def polynomial(degree: int = 2, *, interaction_only: bool = False) -> PolynomialFeatures:
    """Return scikit-learn's `PolynomialFeatures`, without the constant that classifiers add.

    Standardise first: with an offset of 1e6 the square of a feature is, up to the last digits, a
    linear function of it.

    Parameters
    ----------
    degree : int, default 2
        Largest degree of the products.
    interaction_only : bool, default False
        Exclude powers of single features.

    References
    ----------
    "lecture-linear-classifiers", "Least Square Classifier".

    Examples
    --------
    >>> polynomial().fit_transform([[2.0, 3.0]])
    array([[2., 3., 4., 6., 9.]])
    """
    return PolynomialFeatures(degree, interaction_only=interaction_only, include_bias=False)


def kernel(
    kernel: str = "rbf",
    *,
    n_components: int = 100,
    gamma: float | None = None,
    random_state: Any = None,
) -> Nystroem:
    """Return scikit-learn's `Nystroem`: features whose inner products are values of a kernel.

    With as many components as training rows the inner products are exact on these rows; with fewer
    they are interpolated from a random subset. (The number of exact features grows with the rows,
    and random Fourier features need many more components for the same accuracy.)

    Parameters
    ----------
    kernel : str, default "rbf"
        As in `sklearn.metrics.pairwise.pairwise_kernels`.
    n_components : int, default 100
        Number of training rows kept; if there are fewer, scikit-learn warns and keeps all.
    gamma : float, optional
        In inverse squared units of the features. Default: 1 / p, so standardise first.
    random_state : int, RandomState or None

    References
    ----------
    "lecture-linear-classifiers", "Least Square Classifier"; Williams, Seeger (2000), "Using the
    Nyström method to speed up kernel machines".

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> Z = kernel(n_components=3, gamma=1.0, random_state=0).fit_transform(X)
    >>> np.allclose(Z @ Z.T, np.exp(-((X - X.T) ** 2)))
    True
    """
    return Nystroem(kernel, gamma=gamma, n_components=n_components, random_state=random_state)


class TrigonometricFeatures(TransformerMixin, BaseEstimator):
    """Sine and cosine of 1, 2, ..., m cycles of each feature over its period.

    A linear classifier on these features is additive in the original ones; for interactions put
    ``polynomial(interaction_only=True)`` in between.

    Parameters
    ----------
    n_harmonics : int, default 2
        m, the largest multiple.
    period : float or array-like of shape (p,), optional
        In the units of the features, such as 24 for hours of the day. Default: twice the range of
        the training rows; with the range itself as period, its two ends would have equal features.

    Attributes
    ----------
    origin_ : ndarray of shape (p,)
        Middle of the training range (angle zero), in the units of the features.
    period_ : ndarray of shape (p,)
        Infinite for a constant feature: its angle is always zero.
    n_features_in_ : int

    References
    ----------
    "lecture-linear-classifiers", "Least Square Classifier": "poly., trigonometric, RBF, kernel".

    Examples
    --------
    >>> model = TrigonometricFeatures(1).fit([[0.0], [6.0]])
    >>> np.round(model.transform([[0.0], [3.0], [6.0]]), 3)
    array([[-1., 0.],
           [ 0., 1.],
           [ 1., 0.]])
    >>> model.get_feature_names_out(["hour"]).tolist()
    ['hour_sin1', 'hour_cos1']
    """

    def __init__(self, n_harmonics: int = 2, *, period: ArrayLike | None = None) -> None:
        self.n_harmonics = n_harmonics
        self.period = period

    @atomic
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn the ranges of the features from rows X of shape (n, p); `y` is ignored.

        Raises
        ------
        ValueError
            If input is not finite or options are out of range.
        """
        rows = numeric_rows(self, X)
        if not isinstance(self.n_harmonics, (int, np.integer)) or self.n_harmonics < 1:
            raise ValueError(f"n_harmonics must be a whole number >= 1, got {self.n_harmonics!r}.")
        low, high = rows.min(axis=0).astype(float), rows.max(axis=0).astype(float)
        width = high - low
        self.origin_ = low + width / 2
        self.period_ = np.where(width > 0, 2 * width, np.inf)
        if self.period is not None:
            self.period_ = np.broadcast_to(np.asarray(self.period, float), width.shape).copy()
            if not (self.period_ > 0).all():
                raise ValueError(f"period must be positive, got {self.period!r}.")
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return sines and cosines, shape (n, 2 m p), ordered by feature."""
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False)
        cycles = (rows - self.origin_) / self.period_
        angles = 2 * np.pi * cycles[:, :, None] * np.arange(1, self.n_harmonics + 1)
        return np.stack([np.sin(angles), np.cos(angles)], axis=3).reshape(len(rows), -1)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return names such as "hour_sin1", shape (2 m p,)."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        multiples = range(1, self.n_harmonics + 1)
        return np.array(
            [f"{name}_{f}{m}" for name in names for m in multiples for f in ("sin", "cos")],
            dtype=object,
        )


class RadialBasis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Gaussian basis functions ``exp(-‖x - c‖² / (2 w²))`` around centres c of the training rows.

    Distances are in the units of the features: standardise first, or the feature with the largest
    values dominates.

    Parameters
    ----------
    n_centers : int, default 20
        If there are fewer distinct training rows, all of them are centres.
    centers : {"k-means", "random"} or array-like of shape (m, p), default "k-means"
        Cluster means of the training rows; a random subset of them; or the given centres.
    width : "median" or float, default "median"
        w, in the units of the features; or the median distance between distinct training rows,
        using at most `MEDIAN_ROWS`.
    random_state : int, RandomState or None

    Attributes
    ----------
    centers_ : ndarray of shape (m, p)
    width_ : float
    n_features_in_ : int

    References
    ----------
    "lecture-linear-classifiers", "Least Square Classifier": data may be separable in the feature
    space though not in the original one; Moody, Darken (1989), "Fast learning in networks of
    locally-tuned processing units".

    Examples
    --------
    >>> RadialBasis(centers=[[0.0], [3.0]], width=1.0).fit_transform([[0.0], [3.0]]).round(3)
    array([[1.   , 0.011],
           [0.011, 1.   ]])
    """

    def __init__(
        self,
        n_centers: int = 20,
        *,
        centers: str | ArrayLike = "k-means",
        width: str | float = "median",
        random_state: Any = None,
    ) -> None:
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.random_state = random_state

    @atomic
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn centres and width from rows X of shape (n, p); `y` is ignored.

        Raises
        ------
        ValueError
            If input is not finite, options are invalid, or all rows are equal and the width is to
            be learned.
        """
        rows = numeric_rows(self, X, ensure_min_samples=2).astype(np.float64)
        random = check_random_state(self.random_state)
        self.centers_ = self._find_centers(rows, random)
        self.width_ = self._find_width(rows, random)
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return the values of the basis functions at rows (n, p): (n, m), between 0 and 1."""
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False)
        # cdist subtracts before squaring: no digits are lost far from the origin.
        return np.exp(-0.5 * (cdist(rows.astype(np.float64), self.centers_) / self.width_) ** 2)

    @property
    def _n_features_out(self) -> int:
        return len(self.centers_)

    def _find_centers(self, rows: Array, random: np.random.RandomState) -> Array:
        if not isinstance(self.centers, str):
            given = np.array(self.centers, dtype=float)
            if given.ndim != 2 or given.shape[1] != rows.shape[1] or not np.isfinite(given).all():
                raise ValueError(f"centers must be finite, of shape (m, {rows.shape[1]}).")
            return given
        if self.centers not in ("k-means", "random"):
            raise ValueError(f"centers must be 'k-means', 'random' or points: {self.centers!r}.")
        if not isinstance(self.n_centers, (int, np.integer)) or self.n_centers < 1:
            raise ValueError(f"n_centers must be a whole number >= 1, got {self.n_centers!r}.")
        distinct = np.unique(rows, axis=0)
        if len(distinct) <= self.n_centers:
            return distinct
        if self.centers == "random":
            return distinct[random.choice(len(distinct), self.n_centers, replace=False)]
        origin = rows.mean(axis=0)
        clusters = KMeans(self.n_centers, n_init=1, random_state=random).fit(rows - origin)
        return np.asarray(clusters.cluster_centers_ + origin)

    def _find_width(self, rows: Array, random: np.random.RandomState) -> float:
        if self.width == "median":
            sample = rows
            if len(rows) > MEDIAN_ROWS:
                sample = rows[random.choice(len(rows), MEDIAN_ROWS, replace=False)]
            distances = pdist(sample)
            if not distances.any():
                raise ValueError("All rows are equal: the median distance is zero. Give a width.")
            return float(np.median(distances[distances > 0]))
        if isinstance(self.width, str) or not 0 < self.width < np.inf:
            raise ValueError(f"width must be 'median' or a positive number, got {self.width!r}.")
        return float(self.width)
