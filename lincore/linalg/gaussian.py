"""Gaussian class densities: Mahalanobis distances, log densities, marginals in a plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.linalg.covariance import Whitener
from lincore.moments.moments import BLOCK_VALUES
from lincore.utils.typing import Array

# Squared deviations from the centre up to which distances along a feature may be computed by
# products: they lose eps times as much.
MULTIPLIED_OUT = 1e4
# Rows whose distances are computed at a time: with some dozen features they stay in cache.
MEASURED_ROWS = 2048
# Values in the factors of all classes up to which one product is used for all (8 MB).
STACKED_FACTORS = 1_000_000
# Rows per feature above which concatenating the factors is worthwhile.
STACKED_ROWS = 20
# Values in the result for a block of rows, so that it stays in cache (512 kB).
STACKED_VALUES = 65_536


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
        """Return the squared Mahalanobis distance of each row from each mean."""
        X = np.asarray(X)
        distances = np.empty((len(X), len(self.means)))
        # Relative to a common centre, so that rows far from the origin lose no digits.
        known = np.isfinite(self.means).all(axis=1)
        centre = self.means[known].sum(axis=0) / max(1, np.count_nonzero(known))
        means = self.means - centre
        length = max(1, min(BLOCK_VALUES // max(1, X.shape[1]), MEASURED_ROWS))
        measure: Callable[[Array, Array], Array]
        if all(whitener.basis.ndim == 1 for whitener in self.whiteners):
            measure = self._diagonal_distances
        elif self._can_be_stacked(len(X)):
            measure = self._stacked(means)
            length = max(1, STACKED_VALUES // (len(means) * self.whiteners[0].rank))
        else:
            measure = self._full_distances
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(X), length):
                block = slice(start, start + length)
                distances[block] = measure(X[block] - centre, means)
        if not np.isfinite(distances).all():
            self._refuse_overflow(X, distances[:, known])
        return distances

    @staticmethod
    def _refuse_overflow(X: NDArray[np.generic], distances: Array) -> None:
        """Raise ValueError for finite rows of X with infinite distances."""
        overflowing = ~np.isfinite(distances).all(axis=1) & np.isfinite(X).all(axis=1)
        if overflowing.any():
            raise ValueError(
                f"Row {int(np.argmax(overflowing))} of X is so far from the classes that its "
                "squared distances overflow. Look for wrong values in it, or give the features in "
                "larger units."
            )

    def _full_distances(self, rows: Array, means: Array) -> Array:
        distances = np.empty((len(rows), len(means)))
        white, last = rows, None
        difference = np.empty(0)
        for k, (mean, whitener) in enumerate(zip(means, self.whiteners, strict=True)):
            if whitener is not last:  # a shared covariance is applied once
                white, last = whitener.whiten(rows), whitener
            if difference.shape != white.shape:
                difference = np.empty_like(white)
            np.subtract(white, whitener.whiten(mean[None]), out=difference)
            distances[:, k] = np.vecdot(difference, difference)
        return distances

    def _can_be_stacked(self, n_rows: int) -> bool:
        """Return whether one product can whiten rows for all classes."""
        factors = {id(whitener.basis): whitener.basis for whitener in self.whiteners}
        shapes = {factor.shape for factor in factors.values()}
        size = sum(factor.size for factor in factors.values())
        return (
            len(factors) == len(self.whiteners)
            and len(shapes) == 1
            and size <= STACKED_FACTORS
            and n_rows >= STACKED_ROWS * len(self.whiteners[0].basis)
            and all(whitener.root is None for whitener in self.whiteners)
        )

    def _stacked(self, means: Array) -> Callable[[Array, Array], Array]:
        """Compute `_full_distances` with one product for all classes."""
        factors = [whitener.factor for whitener in self.whiteners]
        side_by_side = np.concatenate(factors, axis=1)
        ends = np.concatenate([m @ factor for m, factor in zip(means, factors, strict=True)])

        def measure(rows: Array, means: Array) -> Array:
            white = rows @ side_by_side
            white -= ends
            white = white.reshape(len(rows), len(means), -1)
            return np.asarray(np.vecdot(white, white))

        return measure

    def _diagonal_distances(self, rows: Array, means: Array) -> Array:
        """Expand the square: two products instead of a pass for each class."""
        # This is not done along features in which a class has almost no variance (constant features
        # after smoothing): there the products are large and nearly cancel.
        precision = np.stack([whitener.factor for whitener in self.whiteners]) ** 2
        narrow = (precision * means**2 > MULTIPLIED_OUT).any(axis=0)
        if not narrow.any():
            return multiplied_out(rows, precision, means)
        squares = multiplied_out(rows[:, ~narrow], precision[:, ~narrow], means[:, ~narrow])
        rows, precision = rows[:, narrow], precision[:, narrow]
        for k, mean in enumerate(means[:, narrow]):
            squares[:, k] += (rows - mean) ** 2 @ precision[k]
        return squares

    def log_density(self, X: ArrayLike) -> Array:
        """Return the logarithm of each class density at each row, shape (n, K).

        If a covariance is singular, on its range.
        """
        normaliser = [w.rank * np.log(2 * np.pi) + w.log_det for w in self.whiteners]
        return -0.5 * (self.squared_distances(X) + np.asarray(normaliser))


def multiplied_out(rows: Array, precision: Array, means: Array) -> Array:
    """Return the sums of ``(x - m)^2 precision`` of rows (n, p) for K means (K, p)."""
    squares = rows**2 @ precision.T
    squares -= rows @ (2 * precision * means).T
    squares += np.einsum("kj,kj,kj->k", precision, means, means)
    return np.maximum(squares, 0.0, out=squares)
