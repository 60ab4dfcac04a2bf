"""Mahalanobis distances of new rows from classes, and their distribution within a class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy import stats

from lincore.linalg.gaussian import Gaussians
from lincore.utils.typing import Array

# If less than this share of the scatter along a row would remain without it, the row is the only
# one that varies there.
_SPANNED = 1e-6


class ClassDistances(NamedTuple):
    """Gaussian classes, estimated from rows, to which distances of new rows are computed.

    Attributes
    ----------
    gaussians : Gaussians
        Densities of some of the classes.
    codes : ndarray of int
        Positions of these classes among all K.
    counts : ndarray of shape (K,)
        Training rows.
    degrees : ndarray of shape (K,)
        Degrees of freedom of the covariance; NaN for the other classes.
    scale : ndarray of shape (K,)
        Ratio of the unbiased covariance to that of `gaussians`.
    """

    gaussians: Gaussians
    codes: NDArray[np.intp]
    counts: Array
    degrees: Array
    scale: Array

    @classmethod
    def of(
        cls, gaussians: Gaussians, codes: NDArray[np.intp], counts: Array, *, by_rows: bool
    ) -> ClassDistances:
        """Find the degrees of freedom of the covariances, pooled or one per class."""
        n_whiteners = len({id(whitener) for whitener in gaussians.whiteners})
        one_each = n_whiteners > 1 or len(gaussians.whiteners) == 1
        n = counts[codes]
        known = n > 0
        degrees = n - 1 if one_each else np.full(len(codes), n.sum() - np.count_nonzero(n))
        total = n if one_each else np.full(len(codes), n.sum())
        ratio = total / np.maximum(degrees, 1.0) if by_rows else np.ones(len(codes))
        of_classes = [np.full(len(counts), np.nan) for _ in range(2)]
        for by_class, values in zip(of_classes, (degrees, ratio), strict=True):
            by_class[codes[known]] = values[known]
        return cls(gaussians, codes, counts, *of_classes)

    def squared(self, rows: Any) -> Array:
        """Return the squared distances (n, K) of rows (n, q); NaN from a class without rows."""
        distances = np.full((rows.shape[0], len(self.counts)), np.nan)
        dense = rows.toarray() if sp.issparse(rows) else rows
        distances[:, self.codes] = self.gaussians.squared_distances(dense)
        distances[:, self.counts == 0] = np.nan
        return distances

    def squared_left_out(self, rows: Array, own: NDArray[np.intp]) -> Array:
        """Return the squared distances of training rows from classes estimated without them.

        Uses the Sherman-Morrison formula instead of estimating again. A row pulls the mean and
        covariance of its class towards itself, most strongly if it is one of few rows that vary in
        a direction, such as the rows of a rare level.
        """
        distances = self.squared(rows)
        whiteners = dict(zip(self.codes.tolist(), self.gaussians.whiteners, strict=True))
        means = dict(zip(self.codes.tolist(), self.gaussians.means, strict=True))
        pooled = len({id(whitener) for whitener in whiteners.values()}) == 1
        for k in np.unique(own).tolist():
            members, n = np.flatnonzero(own == k), float(self.counts[k])
            if n < 2 or k not in whiteners:
                distances[members] = np.nan
                continue
            # The divisor of the scatter.
            divisor = float(self.degrees[k] * self.scale[k])
            c = n / (n - 1)
            own_white = whiteners[k].whiten(rows[members] - means[k])
            own_squares = np.vecdot(own_white, own_white)
            remaining = 1 - c * own_squares / divisor
            remaining = np.where(remaining > _SPANNED, remaining, np.nan)
            for j in self.codes.tolist() if pooled else [k]:
                if j == k:
                    squares = c**2 * own_squares / remaining
                else:
                    white = whiteners[j].whiten(rows[members] - means[j])
                    squares = distances[members, j]
                    squares = squares + c * np.vecdot(white, own_white) ** 2 / (divisor * remaining)
                distances[members, j] = squares * (divisor - 1) / divisor
        distances[:, self.counts == 0] = np.nan
        return distances

    def limits(self, level: float) -> Array:
        """Return the squared distances (K,) that rows of a class exceed with probability `level`.

        For a normal class with estimated mean and covariance this is the prediction region of
        Hotelling's T², ``(1 + 1/n) p ν / (ν - p + 1) F(p, ν - p + 1)`` for p dimensions and ν
        degrees of freedom, which for many rows tends to the chi-square quantile with p degrees. NaN
        for a class with fewer degrees of freedom than dimensions.
        """
        p = np.full(len(self.counts), np.nan)
        p[self.codes] = [whitener.rank for whitener in self.gaussians.whiteners]
        df2 = self.degrees - p + 1
        has_limit = (df2 > 0) & (p > 0)
        p, df2 = np.where(has_limit, p, 1.0), np.where(has_limit, df2, 1.0)
        quantile = stats.f.isf(level, p, df2)
        spread = p * self.degrees / df2 * (1 + 1 / np.maximum(self.counts, 1.0))
        return np.where(has_limit, quantile * spread * self.scale, np.nan)
