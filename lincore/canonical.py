"""Class means in canonical coordinates: where LDA, Fisher and least squares begin alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from lincore.covariance import Whitener
from lincore.moments import Moments

Array = NDArray[np.float64]


class Decomposition(NamedTuple):
    """``sqrt(n_k / n) * means[k] = (left * lengths)[k] @ axes``, with m = min(K, r).

    Attributes
    ----------
    left : ndarray of shape (K, m)
    lengths : ndarray of shape (m,)
        Decreasing.
    axes : ndarray of shape (m, r)
    """

    left: Array
    lengths: Array
    axes: Array


@dataclass(frozen=True, eq=False)
class CanonicalMeans:
    """Class means about the mean of all rows, where the covariance within classes is one.

    Parameters
    ----------
    whitener : Whitener
        Of the covariance within classes.
    means : ndarray of shape (K, r)
        Zero for a class without rows. Without units.
    shares : ndarray of shape (K,)
        Of the rows.
    """

    whitener: Whitener
    means: Array
    shares: Array

    @classmethod
    def of(cls, moments: Moments, whitener: Whitener) -> CanonicalMeans:
        """Put the means of moments by class into the coordinates of a whitener."""
        total, seen = moments.pooled(), moments.count > 0
        means = whitener.whiten(np.where(seen[:, None], moments.mean - total.mean, 0.0))
        return cls(whitener, means, moments.count / total.count)

    @cached_property
    def decomposition(self) -> Decomposition:
        """Singular values and vectors of the means, weighted by their rows."""
        rows = np.sqrt(self.shares)[:, None] * self.means
        return Decomposition(*np.linalg.svd(rows, full_matrices=False))


def canonical_means(moments: Moments) -> CanonicalMeans:
    """Return the canonical means of moments by class, divisor n; once for all who ask.

    Raises
    ------
    ValueError
        When nothing varies within the classes.

    Examples
    --------
    >>> codes = [0, 0, 1, 1]
    >>> moments = Moments.from_groups([[1.0], [3.0], [7.0], [9.0]], codes, n_groups=2)
    >>> canonical_means(moments).means
    array([[-3.],
           [ 3.]])
    """
    found = _known.get(moments)
    if found is None:
        within = moments.within() / moments.count.sum()
        found = CanonicalMeans.of(moments, Whitener.from_covariance(within))
        _known[moments] = found
    return found


# In every fold several classifiers are fitted to the same moments.
_known: WeakKeyDictionary[Moments, CanonicalMeans] = WeakKeyDictionary()
