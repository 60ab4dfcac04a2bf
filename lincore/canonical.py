"""Class means in canonical coordinates: where LDA, Fisher and least squares begin alike."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from lincore.covariance import Whitener
from lincore.moments import Moments

Array = NDArray[np.float64]


class CanonicalMeans(NamedTuple):
    """Class means about the mean of all rows, where the covariance within classes is one.

    Attributes
    ----------
    whitener : Whitener
        Of the covariance within classes, divisor n.
    means : ndarray of shape (K, r)
        Zero for a class without rows. Without units.
    left : ndarray of shape (K, m)
    lengths : ndarray of shape (m,)
        Decreasing.
    axes : ndarray of shape (m, r)
        Of the singular value decomposition, m = min(K, r):
        ``sqrt(n_k / n) * means[k] = (left * lengths)[k] @ axes``.
    """

    whitener: Whitener
    means: Array
    left: Array
    lengths: Array
    axes: Array

    @classmethod
    def of(cls, moments: Moments, whitener: Whitener) -> CanonicalMeans:
        """Put the means of moments by class into the coordinates of a whitener."""
        total, seen = moments.pooled(), moments.count > 0
        means = whitener.whiten(np.where(seen[:, None], moments.mean - total.mean, 0.0))
        rows = np.sqrt(moments.count / total.count)[:, None] * means
        return cls(whitener, means, *np.linalg.svd(rows, full_matrices=False))


def canonical_means(moments: Moments) -> CanonicalMeans:
    """Return the canonical means of moments by class; once for all who ask.

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
