"""Implicitly standardised rows: read block by block, with corrections of the coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lincore.utils.typing import Array

# Values of one block: 400 KB to 2 MB, so that it is read from memory once and used twice.
BLOCK_VALUES = 250_000
# Offsets of more deviations than this are subtracted from the rows: absorbed in the intercept they
# would lose as many digits as they have.
FAR = 1e3
# Coordinates of sparse rows up to which curvature is a matrix; blocks are then made dense in turn.
NARROW = 1000


class RowView(NamedTuple):
    """One way to read the rows: operations on a block, and corrections of the coefficients."""

    rows: Any  # (n, p), dense or sparse
    dtype: type  # of the blocks
    # Applied to every block in this order, each (p,); None for sparse rows, which keep their zeros.
    subtract: NDArray[Any] | None
    multiply: NDArray[Any] | None
    # What remains of the standardisation, (p,): applied to the coefficients.
    shift: Array
    units: Array
    axes: Array | None  # (p, r), from standardised features to coordinates
    intercept: bool  # whether coefficients end with a row for the intercept

    def blocks(self, chunk: range | None = None, every: int = 1) -> Iterator[tuple[slice, Any]]:
        """Yield slices of a chunk of the rows (each `every`-th one) and the blocks read there."""
        n, p = self.rows.shape[-2:]
        stored = self.rows.nnz // max(1, n) if sp.issparse(self.rows) else p
        for where in self._slices(chunk, every, stored):
            yield where, self.read(where)

    def coordinate_blocks(
        self, chunk: range | None = None, every: int = 1
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield slices and the rows there in full, see `coordinates`."""
        for where in self._slices(chunk, every, self.rows.shape[-1]):
            yield where, self.coordinates(where)

    def _slices(self, chunk: range | None, every: int, width: int) -> Iterator[slice]:
        chunk = range(self.rows.shape[-2]) if chunk is None else chunk
        step = max(1, BLOCK_VALUES // max(1, width)) * every
        for start in range(chunk.start, chunk.stop, step):
            yield slice(start, min(start + step, chunk.stop), every)

    def read(self, where: Any) -> Any:
        """Return some rows as a block."""
        block = self.rows[..., where, :]
        if self.subtract is not None:
            # In float64 first: an offset in float32 would lose digits.
            block = np.subtract(block, self.subtract[..., None, :])
        if self.multiply is not None:
            block = block * self.multiply[..., None, :]
        return block if block.dtype == self.dtype else block.astype(self.dtype)

    def coordinates(self, where: Any) -> NDArray[Any]:
        """Return some full rows: dense, standardised, projected onto the axes, a one at the end."""
        block = self.read(where)
        block = block.toarray() if sp.issparse(block) else block
        block = block - self.shift.astype(self.dtype)[..., None, :]
        block = block * self.units.astype(self.dtype)[..., None, :]
        if self.axes is not None:
            block = block @ self.axes.astype(self.dtype)
        if not self.intercept:
            return np.asarray(block)
        return np.concatenate([block, np.ones((*block.shape[:-1], 1), self.dtype)], axis=-1)

    def squares(self, row_weight: Array) -> Array:
        """Return ``Σ row_weightᵢ zᵢ²`` over the rows for each coordinate, (q,)."""
        if not sp.issparse(self.rows):
            parts = (row_weight[where] @ block**2 for where, block in self.coordinate_blocks())
            return np.asarray(sum(parts), dtype=np.float64)
        # Σ w (x - m)² = Σ w x² - 2 m Σ w x + m² Σ w: m is at most FAR deviations.
        raw, mixed = self.rows.multiply(self.rows).T @ row_weight, self.rows.T @ row_weight
        total = float(row_weight.sum())
        body = np.maximum(raw - 2 * self.shift * mixed + self.shift**2 * total, 0.0)
        body *= self.units**2
        return np.append(body, total) if self.intercept else np.asarray(body)

    def unfold(self, coef: Array) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the matrix (p, K) and the constants (K,) that map blocks to scores."""
        body, constant = (coef[..., :-1, :], coef[..., -1, :]) if self.intercept else (coef, 0.0)
        W = self.units[..., None] * (body if self.axes is None else self.axes @ body)
        shifted = (self.shift[..., None, :] @ W)[..., 0, :]
        return W.astype(self.dtype), np.asarray(constant - shifted, dtype=self.dtype)

    def fold(self, products: NDArray[Any], sums: NDArray[Any]) -> Array:
        """Convert ``blockᵀ R`` (p, K) and the sums (K,) of R to a gradient in the coefficients."""
        sums = sums.astype(np.float64)
        body = self.units[..., None] * (products - self.shift[..., None] * sums[..., None, :])
        body = body if self.axes is None else self.axes.swapaxes(-1, -2) @ body
        if not self.intercept:
            return np.asarray(body)
        return np.concatenate([body, sums[..., None, :]], axis=-2)


class StandardRows:
    """Rows in the coordinates ``((x - origin) / scale) @ axes``, with a one for the intercept."""

    # Origin and scale (p,) are in the units of the features; an infinite scale excludes a feature.
    # Rows of uint8 or float32 are converted block by block whenever they are read, and sparse rows
    # stay sparse (without axes). Dense arrays may have leading axes for B problems with equal
    # numbers of rows, see `stacked`.

    def __init__(
        self,
        X: Any,
        origin: Array,
        scale: Array,
        axes: Array | None = None,
        *,
        intercept: bool = True,
    ) -> None:
        self.X = sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else X
        self.origin = origin
        self.scale = scale
        self.units = 1 / scale
        self.axes = axes
        self.intercept = intercept
        p = X.shape[-1] if axes is None else axes.shape[-1]
        self.n_coordinates = p + int(intercept)
        # Whether a matrix of n_coordinates squared would be too large.
        self.wide = sp.issparse(X) and self.n_coordinates > NARROW

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.X.shape[-2])

    @classmethod
    def stacked(cls, problems: Sequence[StandardRows]) -> StandardRows:
        """Stack the rows of B problems of the same form, padded with rows of zeros."""
        first = problems[0].X
        X = np.zeros((len(problems), max(map(len, problems)), first.shape[1]), first.dtype)
        for b, rows in enumerate(problems):
            X[b, : len(rows)] = rows.X
        axes = [rows.axes for rows in problems if rows.axes is not None]
        origin = np.stack([rows.origin for rows in problems])
        scale = np.stack([rows.scale for rows in problems])
        stacked = np.stack(axes) if axes else None
        return cls(X, origin, scale, stacked, intercept=problems[0].intercept)

    def select(self, chosen: Any) -> StandardRows:
        """Return the rows of some of B problems."""
        axes = None if self.axes is None else self.axes[chosen]
        origin, scale = self.origin[chosen], self.scale[chosen]
        return StandardRows(self.X[chosen], origin, scale, axes, intercept=self.intercept)

    @property
    def form(self) -> tuple[Any, ...]:
        """Properties that must agree for rows to be stacked."""
        return self.X.shape[1], self.n_coordinates, self.X.dtype, self.axes is None

    def standardise(self, X: NDArray[Any]) -> StandardRows:
        """Return other rows (m, p) with the same standardisation."""
        return StandardRows(X, self.origin, self.scale, self.axes, intercept=self.intercept)

    @cached_property
    def double(self) -> RowView:
        """The view for values and gradients, in float64."""
        near = np.abs(self.origin) * self.units <= FAR
        if near.all() and (sp.issparse(self.X) or self.X.dtype == np.float64):
            return self._view(self.X, np.float64)
        if sp.issparse(self.X):
            # Every value of a distant feature is stored, see `sparse_centre_and_scale`.
            origin, rows = np.where(near, 0.0, self.origin), self.X.copy()
            rows.data -= origin[rows.indices]
            return self._view(rows, np.float64)._replace(shift=self.origin - origin)
        return self._view(self.X, np.float64, subtract=self.origin)

    @cached_property
    def single(self) -> RowView:
        """The view for curvature, in float32: half the memory to read, twice the speed."""
        # A direction may be wrong in the seventh digit; values and gradients determine where the
        # descent ends. Rows in float64 are copied once, at half their size.
        if sp.issparse(self.X):
            rows = self.double.rows.astype(np.float32)
            return self.double._replace(rows=rows, dtype=np.float32)
        view = self._view(self.X, np.float32, subtract=self.origin, multiply=self.units)
        if self.X.dtype != np.float64:
            return view
        copy = np.empty(self.X.shape, dtype=np.float32)
        for where, block in view.blocks():
            copy[where] = block
        return view._replace(rows=copy, subtract=None, multiply=None)

    def _view(
        self, rows: Any, dtype: type, subtract: Array | None = None, multiply: Array | None = None
    ) -> RowView:
        """Return a view in which the coefficients absorb what is not done to the rows."""
        shift = self.origin if subtract is None else np.zeros_like(self.origin)
        units = self.units if multiply is None else np.ones_like(self.units)
        return RowView(rows, dtype, subtract, multiply, shift, units, self.axes, self.intercept)

    def to_user(self, coef: Array) -> tuple[Array, Array]:
        """Return coefficients (p, K) and intercepts (K,) for the original features."""
        body, constant = (
            (coef[:-1], coef[-1]) if self.intercept else (coef, np.zeros(coef.shape[1]))
        )
        W = self.units[:, None] * (body if self.axes is None else self.axes @ body)
        return W, constant - self.origin @ W
