"""Standardised rows of a sparse matrix: centring is absorbed by the coefficients to keep zeros."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lincore.estimators.logistic.design_matrix import BLOCK_VALUES, FAR, RowView, StandardRows
from lincore.utils.typing import Array

# Coordinates up to which curvature is a matrix; blocks of rows are then made dense in turn.
NARROW = 1000


class SparseView(RowView):
    """A `RowView` of CSR rows: only `coordinates` makes the requested rows dense."""

    rows: Any

    def blocks(self, part: range | None = None, every: int = 1) -> Iterator[tuple[slice, Any]]:
        """Yield slices of a part of the rows (each `every`-th one) and the blocks read there."""
        stored = max(1, self.rows.nnz // max(1, self.rows.shape[0]))
        yield from self._cut(part, every, stored)

    def coordinate_blocks(
        self, part: range | None = None, every: int = 1
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield slices and the rows there in full, dense."""
        for where, block in self._cut(part, every, max(1, self.rows.shape[1])):
            yield where, self._finish(block.toarray())

    def read(self, where: Any) -> Any:
        """Return some rows as a block, sparse."""
        return self.rows[where]

    def coordinates(self, where: Any) -> NDArray[Any]:
        """Return some rows in full, dense."""
        return self._finish(self.rows[where].toarray())

    def product(self, block: Any, matrix: NDArray[Any], out: NDArray[Any]) -> None:
        """Compute ``block @ matrix``."""
        out[...] = block @ matrix

    def product_back(self, block: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return ``block.T @ values``."""
        return np.asarray(block.T @ values)

    def squares(self, row_weight: Array) -> Array:
        """Return ``Σ row_weightᵢ zᵢ²`` over the rows for each coordinate, (q,)."""
        # Σ w (x - m)² = Σ w x² - 2 m Σ w x + m² Σ w: origins are near, see `SparseRows`.
        raw = self.rows.multiply(self.rows).T @ row_weight
        total = float(row_weight.sum())
        mixed = self.rows.T @ row_weight
        body = raw - 2 * self.shift * mixed + self.shift**2 * total
        body = np.maximum(body, 0.0) * self.units**2
        return np.append(body, total) if self.intercept else np.asarray(body)

    def _cut(self, part: range | None, every: int, width: int) -> Iterator[tuple[slice, Any]]:
        part = range(self.rows.shape[0]) if part is None else part
        step = max(1, BLOCK_VALUES // width) * every
        for start in range(part.start, part.stop, step):
            where = slice(start, min(start + step, part.stop), every)
            yield where, self.read(where)


class SparseRows(StandardRows):
    """CSR rows in the coordinates ``(x - origin) / scale``, with a one for the intercept.

    Parameters
    ----------
    X : sparse array or matrix of shape (n, p)
    origin, scale : ndarray of shape (p,)
        As computed by `sparse_centre_and_scale`. An infinite scale excludes a feature.
    intercept : bool, default True

    Examples
    --------
    >>> X = sp.csr_array([[0.0, 3.0], [2.0, 0.0]])
    >>> rows = SparseRows(X, np.array([1.0, 1.5]), np.array([1.0, 1.5]))
    >>> rows.double.coordinates(slice(None)).tolist()
    [[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0]]
    """

    def __init__(self, X: Any, origin: Array, scale: Array, *, intercept: bool = True) -> None:
        super().__init__(sp.csr_array(X, dtype=np.float64), origin, scale, intercept=intercept)
        self.wide = self.n_coordinates > NARROW

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.X.shape[0])

    @cached_property
    def double(self) -> SparseView:
        """The view for values and gradients, in float64."""
        return self._view(self.X, np.float64)

    @cached_property
    def single(self) -> SparseView:
        """The view for curvature, in float32."""
        return self._view(self.X.astype(np.float32), np.float32)

    def _view(self, rows: Any, dtype: type) -> SparseView:
        return SparseView(rows, dtype, None, None, self.origin, self.units, None, self.intercept)


def sparse_centre_and_scale(
    X: Any, weight: Array | None, *, intercept: bool
) -> tuple[Array, Array]:
    """Return means and deviations (p,) of sparse rows, in two passes over the stored values.

    About zero without an intercept, and if the mean is so many deviations away that absorbing it in
    the coefficients would lose digits; infinite for constant features.
    """
    rows = sp.csr_array(X, dtype=np.float64)
    n, p = rows.shape
    given = np.ones(n) if weight is None else weight
    total = given.sum()
    each = np.repeat(given, np.diff(rows.indptr))
    mean = np.bincount(rows.indices, each * rows.data, p) / total
    if not intercept:
        scale = np.sqrt(np.bincount(rows.indices, each * rows.data**2, p) / total)
        return np.zeros(p), np.where(scale > 0, scale, np.inf)
    about_mean = np.bincount(rows.indices, each * (rows.data - mean[rows.indices]) ** 2, p)
    stored = np.bincount(rows.indices, each, p)
    deviation = np.sqrt((about_mean + np.maximum(total - stored, 0.0) * mean**2) / total)
    # Rounding in the sum of the weights would appear as a deviation of 1e-8.
    constant = deviation <= 1e-7 * np.abs(mean)
    far = np.abs(mean) > FAR * deviation
    origin = np.where(far & ~constant, 0.0, mean)
    scale = np.where(far, np.hypot(deviation, mean), deviation)
    return origin, np.where(constant | (scale == 0), np.inf, scale)


def sparse_rounding(X: Any, weight: Array | None, scale: Array) -> tuple[int, ...]:
    """Return the features without a scale whose values differ by more than the last digit."""
    flat = np.flatnonzero(np.isinf(scale))
    rows = sp.csr_array(X)[:, flat]
    if weight is not None:
        rows = rows[weight > 0]
    if not rows.nnz:
        return ()
    high, low = rows.max(axis=0).toarray().ravel(), rows.min(axis=0).toarray().ravel()
    lost = high - low > 2 * np.finfo(np.float64).eps * np.maximum(np.abs(high), np.abs(low))
    return tuple(flat[lost].tolist())
