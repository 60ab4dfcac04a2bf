"""Class means in canonical coordinates, shared by LDA, Fisher and least squares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from lincore.linalg.covariance import Whitener, is_positive
from lincore.linalg.eigenvectors import fix_basis
from lincore.moments.moments import BLOCK_VALUES, Moments
from lincore.utils.typing import Array


class CanonicalDecomposition(NamedTuple):
    """``sqrt(n_k / n) * means[k] = (left * lengths)[k] @ axes``, with m = min(K, r)."""

    left: Array  # (K, m)
    lengths: Array  # (m,); decreasing
    axes: Array  # (m, r)


@dataclass(frozen=True, eq=False)
class CanonicalMeans:
    """Centred class means in coordinates in which the within-class covariance is the identity."""

    whitener: Whitener  # whitener of the within-class covariance
    means: Array  # (K, r); zero for a class without rows. Dimensionless.
    shares: Array  # (K,); shares of the classes in the rows

    @classmethod
    def of(cls, moments: Moments, whitener: Whitener) -> CanonicalMeans:
        """Transform the class means of moments into the coordinates of a whitener."""
        total, has_rows = moments.pooled(), moments.count > 0
        means = whitener.whiten(np.where(has_rows[:, None], moments.mean - total.mean, 0.0))
        return cls(whitener, means, moments.count / total.count)

    @cached_property
    def decomposition(self) -> CanonicalDecomposition:
        """Singular values and vectors of the means, weighted by their rows."""
        rows = np.sqrt(self.shares)[:, None] * self.means
        left, lengths, axes = np.linalg.svd(rows, full_matrices=False)
        # Fix the basis by the classes: the coordinates of the whitener are arbitrary.
        fixed = fix_basis(lengths, left)
        return CanonicalDecomposition(
            fixed, lengths, axes if fixed is left else fixed.T @ left @ axes
        )

    def axes(self, n_components: int | None = None) -> Array:
        """Return the axes (d, r) along which the means differ, by decreasing distance."""
        # The last class with a mean off the centre is on the positive side.
        has_rows = self.shares > 0
        _, lengths, axes = self.decomposition
        nonzero = np.flatnonzero(is_positive(lengths**2))[: np.count_nonzero(has_rows) - 1]
        if not len(nonzero):
            raise ValueError("The class means are equal: no direction separates them.")
        return _signed(axes[nonzero[:n_components]], self.means[has_rows])


def check_n_components(n_components: int | None, n_classes: int, p: int) -> None:
    """Raise ValueError for a number of axes that is impossible for K classes and p features."""
    most = min(n_classes - 1, p)
    number = isinstance(n_components, (int, np.integer)) and not isinstance(n_components, bool)
    if n_components is not None and not (number and 1 <= n_components <= most):
        raise ValueError(
            f"n_components must be None or an integer from 1 to {most} (at most {p} for the "
            f"features, and {n_classes - 1}, one less than the classes), got {n_components!r}."
        )


def project(rows: NDArray[Any], origin: Array, directions: Array) -> Array:
    """Return ``(rows - origin) @ directions``, (n, d), block by block."""
    out = np.empty((len(rows), directions.shape[1]))
    length = max(1, BLOCK_VALUES // rows.shape[1])
    for start in range(0, len(rows), length):
        block = slice(start, start + length)
        out[block] = (rows[block] - origin) @ directions
    return out


def canonical_means(moments: Moments) -> CanonicalMeans:
    """Return the canonical means of moments by class, divisor n (cached)."""
    canonical = _known.get(moments)
    if canonical is None:
        within = moments.within() / moments.count.sum()
        canonical = CanonicalMeans.of(moments, Whitener.from_covariance(within))
        _known[moments] = canonical
    return canonical


def _signed(axes: Array, means: Array) -> Array:
    """Flip axes (d, r) so that the last of the means (K, r) off the centre is positive."""
    projected = means @ axes.T
    off_centre = np.abs(projected) > 1e-6 * np.abs(projected).max(axis=0)
    last = len(means) - 1 - off_centre[::-1].argmax(axis=0)
    signs = np.sign(projected[last, np.arange(len(axes))])
    return np.asarray(axes * signs[:, None])


# Cached because several classifiers are fitted to the same moments of a fold.
_known: WeakKeyDictionary[Moments, CanonicalMeans] = WeakKeyDictionary()
