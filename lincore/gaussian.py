"""Gaussian class densities: distances, log densities, and what is left of them in a plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.covariance import Whitener

Array = NDArray[np.float64]


class Gaussians(NamedTuple):
    """K Gaussian densities over the same p features.

    Attributes
    ----------
    means : ndarray of shape (K, p)
    whiteners : tuple of K Whitener
        One for each class; a shared covariance is the same object K times.
    """

    means: Array
    whiteners: tuple[Whitener, ...]

    @classmethod
    def from_covariances(cls, means: ArrayLike, covariances: ArrayLike) -> Gaussians:
        """Build densities from means (K, p) and covariances (K, p, p)."""
        covariances = np.asarray(covariances, dtype=float)
        whiteners = tuple(Whitener.from_covariance(cov) for cov in covariances)
        return cls(np.asarray(means, dtype=float), whiteners)

    def squared_distances(self, X: ArrayLike) -> Array:
        """Return the squared Mahalanobis distance of each row from each mean.

        Parameters
        ----------
        X : array-like of shape (n, p)

        Returns
        -------
        ndarray of shape (n, K)
            Without units. Along directions in which a class does not vary nothing is counted.
        """
        X = np.asarray(X, dtype=float)
        pairs = zip(self.means, self.whiteners, strict=True)
        return np.column_stack([(((X - mean) @ w.factor) ** 2).sum(axis=1) for mean, w in pairs])

    def log_density(self, X: ArrayLike) -> Array:
        """Return the logarithm of each class density at each row, shape (n, K).

        In log of inverse units of the features; on its own subspace where a covariance is
        singular.

        References
        ----------
        "lda-qda-derivations", eq. 9.

        Examples
        --------
        >>> one = Gaussians.from_covariances([[0.0, 0.0]], [np.eye(2)])
        >>> np.exp(one.log_density([[0.0, 0.0]])) * 2 * np.pi
        array([[1.]])
        """
        normaliser = [w.rank * np.log(2 * np.pi) + w.log_det for w in self.whiteners]
        return -0.5 * (self.squared_distances(X) + np.asarray(normaliser))
