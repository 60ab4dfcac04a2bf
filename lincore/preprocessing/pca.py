"""Principal components of the training rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from lincore.linalg.covariance import RowSpace, is_positive
from lincore.linalg.eigenvectors import end_of_equals, fix_basis, fix_signs
from lincore.linalg.products import blocked_product
from lincore.moments.moments import Moments
from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows, numeric_scores
from lincore.utils.thread_warnings import warn
from lincore.utils.typing import Array

# Up to this many features, SciPy finds a few axes within a tenth of a second, but holds the GIL;
# NumPy finds all in two to four times as long and releases it.
MANY_FEATURES = 1200


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The orthogonal directions in which the rows vary most.

    Parameters
    ----------
    n_components : None, int or float, default None
        Components to keep: all, that many, or (a float in (0, 1]) as many as are needed for this
        share of the variance. Directions without variance are never kept.
    whiten : bool, default False
        Divide each score by its standard deviation, the *square root* of the eigenvalue. (The
        text "faces-generative-vs-discriminative" divides by the eigenvalue itself, which leaves
        the variances unequal.)

    Attributes
    ----------
    mean_ : ndarray of shape (p,)
    components_ : ndarray of shape (n_components_, p)
        Orthonormal rows; the entry with the largest absolute value is positive (ties: the first).
        Among axes of equal variance, those nearest to the features are chosen.
    explained_variance_ : ndarray of shape (n_components_,)
        In squared units of the features, with divisor n - 1.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
    singular_values_ : ndarray of shape (n_components_,)
        Singular values of the centred rows, in the units of the features.
    all_variances_ : ndarray of shape (rank,)
        Variances of all components, kept or not, for a scree plot.
    n_components_ : int
    n_features_in_ : int

    References
    ----------
    "faces-generative-vs-discriminative", "Dimension Reduction using PCA": mean, axes and
    variances are estimated from the training rows and reused for the test rows.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.1]])
    >>> pca = PCA(0.99).fit(X)
    >>> pca.n_components_, np.round(pca.components_, 2).tolist()
    (1, [[0.7, 0.72]])
    """

    # The scatter, or its eigenvalues once all of them are known.
    _scatter: Array
    _divisor: float

    def __init__(self, n_components: float | None = None, *, whiten: bool = False) -> None:
        self.n_components = n_components
        self.whiten = whiten

    @property
    def all_variances_(self) -> Array:
        """The variances of all components, computed on first access."""
        check_is_fitted(self)
        if self._scatter.ndim == 2:
            self._scatter = np.asarray(np.linalg.eigvalsh(self._scatter), dtype=np.float64)
        return self._scatter[is_positive(self._scatter)][::-1] / self._divisor

    @atomic
    def fit(self, X: ArrayLike, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows; with fewer rows than features, in the space spanned by the rows.

        Parameters
        ----------
        X : array-like of shape (n, p)
        y : ignored
        sample_weight : array-like of shape (n,), optional
            A row of weight w counts as w copies of itself.

        Raises
        ------
        ValueError
            If input is not finite, all rows are equal, or too many components are requested.

        Warns
        -----
        UserWarning
            If the rows vary in fewer directions than the requested components.
        """
        self.fit_rows(X, sample_weight)
        k = self.n_components
        if isinstance(k, (int, np.integer)) and k > self.n_components_:
            warn(
                f"The rows vary in {self.n_components_} directions only, so only these components "
                f"are kept instead of n_components={k}. Request fewer to avoid this warning.",
                UserWarning,
                stacklevel=3,
            )
        return self

    @atomic
    def fit_rows(self, X: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Fit without a warning if the rows of a fold vary in fewer directions."""
        rows = numeric_rows(self, X, ensure_min_samples=2)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, rows, ensure_non_negative=True)
        self._check_n_components(min(rows.shape))
        codes = np.zeros(len(rows), dtype=np.intp)
        if len(rows) >= rows.shape[1]:
            return self.fit_moments(Moments.from_groups(rows, codes, 1, sample_weight))
        diagonal = Moments.from_groups(rows, codes, 1, sample_weight, diagonal=True)
        space = RowSpace.spanned_by(rows, diagonal.mean[0], np.ones(rows.shape[1]))
        moments = Moments.from_groups(space.coordinates(rows), codes, 1, sample_weight)
        return self._solve(moments[0], diagonal.mean[0], space)

    @atomic
    def fit_moments(self, moments: Moments) -> Self:
        """Fit to moments, pooled over their groups."""
        total = moments.pooled_fully()
        self.n_features_in_ = moments.n_features
        self._check_n_components(moments.n_features)
        return self._solve(total, total.mean, None)

    def map_moments(self, moments: Moments) -> Moments:
        """Return the moments of the scores."""
        check_is_fitted(self)
        return moments.map(self._projection(), origin=self.mean_)

    def affine(self) -> tuple[Array, Array]:
        """Return origin (p,) and matrix (p, n_components_) of ``z = (x - origin) @ matrix``."""
        check_is_fitted(self)
        return self.mean_, self._projection()

    def transform(self, X: ArrayLike) -> Array:
        """Return the scores (n, n_components_) of rows (n, p)."""
        check_is_fitted(self)
        return self.map_rows(numeric_rows(self, X, reset=False))

    def map_rows(self, rows: NDArray[Any]) -> Array:
        """Transform validated rows without further checks."""
        projection = self._projection()
        if rows.dtype == np.float64:
            return np.asarray((rows - self.mean_) @ projection)
        # Small integers and float32 lose no digits: centre after the product.
        return blocked_product(rows, projection) - self.mean_ @ projection

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Reconstruct rows (n, p) from scores (n, n_components_).

        Raises
        ------
        ValueError
            If the number of columns differs, or scores are not finite.
        """
        check_is_fitted(self)
        scores = numeric_scores(X, len(self.components_), "PCA")
        if self.whiten:
            scores = scores * np.sqrt(self.explained_variance_)
        return scores @ self.components_ + self.mean_

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def _projection(self) -> Array:
        if not self.whiten:
            return self.components_.T
        return self.components_.T / np.sqrt(self.explained_variance_)

    def _check_n_components(self, largest: int) -> None:
        k = self.n_components
        if k is None:
            return
        number = isinstance(k, (int, np.integer)) and not isinstance(k, bool) and 1 <= k <= largest
        share = isinstance(k, (float, np.floating)) and 0 < k <= 1
        if not number and not share:
            raise ValueError(
                f"n_components must be None, an integer from 1 to {largest} (the smaller of rows "
                f"and features) or a share of the variance in (0, 1], got {k!r}."
            )

    def _solve(self, total: Moments, mean: Array, space: RowSpace | None) -> Self:
        if total.count <= 1:
            raise ValueError(f"PCA needs rows of a total weight above 1, got {total.count:g}.")
        k, p = self.n_components, len(total.scatter)
        if isinstance(k, (int, np.integer)) and 4 * k <= p <= MANY_FEATURES:
            values, vectors = scipy.linalg.eigh(total.scatter, subset_by_index=[p - k, p - 1])
            self._scatter = total.scatter
        else:
            values, vectors = np.linalg.eigh(total.scatter)
            self._scatter = values
        positive = is_positive(values, p)
        if not positive.any():
            raise ValueError("All rows are equal, so they vary in no direction.")
        self.mean_, self._divisor = mean, float(total.count - 1)
        variances = values[positive][::-1] / self._divisor
        whole = float(np.trace(total.scatter)) / self._divisor
        self.n_components_ = self._number(variances / variances.sum())
        n = end_of_equals(variances, self.n_components_)
        axes = vectors[:, positive][:, ::-1][:, :n]
        axes = axes if space is None else space.axes @ axes
        axes = fix_basis(variances[:n], axes)[:, : self.n_components_]
        self.components_ = np.ascontiguousarray(fix_signs(axes).T)
        self.explained_variance_ = variances[: self.n_components_]
        self.singular_values_ = np.sqrt(self.explained_variance_ * self._divisor)
        self.explained_variance_ratio_ = self.explained_variance_ / whole
        return self

    def _number(self, ratio: Array) -> int:
        if self.n_components is None:
            return len(ratio)
        if isinstance(self.n_components, (int, np.integer)):
            return int(min(self.n_components, len(ratio)))
        # The tolerance allows a share of 1.0 to be reached despite rounding.
        enough = np.cumsum(ratio) >= self.n_components - 1e-12
        return int(np.argmax(enough)) + 1
