"""Implicitly standardised rows: read block by block, with corrections of the coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.utils.typing import Array

# Values of one block: 400 KB to 2 MB, so that it is read from memory once and used twice.
BLOCK_VALUES = 250_000
# Offsets of more deviations than this are subtracted from the rows: absorbed in the intercept they
# would lose as many digits as they have.
FAR = 1e3


class RowView(NamedTuple):
    """One way to read the rows: operations on a block, and corrections of the coefficients.

    Attributes
    ----------
    rows : ndarray of shape (n, p)
    dtype : type
        Type of the blocks.
    subtract, multiply : ndarray of shape (p,) or None
        Applied to every block, in this order.
    shift, units : ndarray of shape (p,)
        Remaining shift and scale, applied to the coefficients.
    axes : ndarray of shape (p, r) or None
        Maps standardised features to coordinates; None if they are the same.
    intercept : bool
        Whether coefficients end with a row for the intercept.
    """

    rows: NDArray[Any]
    dtype: type
    subtract: NDArray[Any] | None
    multiply: NDArray[Any] | None
    shift: Array
    units: Array
    axes: Array | None
    intercept: bool

    def blocks(
        self, part: range | None = None, every: int = 1
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield slices of a part of the rows (each `every`-th one) and the blocks read there."""
        part = range(self.rows.shape[-2]) if part is None else part
        step = max(1, BLOCK_VALUES // max(1, self.rows.shape[-1])) * every
        for start in range(part.start, part.stop, step):
            where = slice(start, min(start + step, part.stop), every)
            yield where, self.read(where)

    def read(self, where: Any) -> NDArray[Any]:
        """Return some rows as a block."""
        block = self.rows[..., where, :]
        if self.subtract is not None:
            # In float64 first: an offset in float32 would lose digits.
            block = np.subtract(block, self.subtract[..., None, :])
        if self.multiply is not None:
            block = block * self.multiply[..., None, :]
        return block if block.dtype == self.dtype else block.astype(self.dtype)

    def product(self, block: NDArray[Any], matrix: NDArray[Any], out: NDArray[Any]) -> None:
        """Compute ``block @ matrix`` for a block."""
        np.matmul(block, matrix, out=out)

    def product_back(self, block: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
        """Return ``block.T @ values`` for a block."""
        return block.swapaxes(-1, -2) @ values

    def squares(self, row_weight: Array) -> Array:
        """Return ``Σ row_weightᵢ zᵢ²`` over the rows for each coordinate, (q,)."""
        parts = (row_weight[at] @ block**2 for at, block in self.coordinate_blocks())
        return np.asarray(sum(parts), dtype=np.float64)

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

    def coordinates(self, where: Any) -> NDArray[Any]:
        """Return some full rows: standardised, projected onto the axes, a one at the end."""
        return self._finish(self.read(where))

    def coordinate_blocks(
        self, part: range | None = None, every: int = 1
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield slices and the rows there in full."""
        for where, block in self.blocks(part, every):
            yield where, self._finish(block)

    def _finish(self, block: NDArray[Any]) -> NDArray[Any]:
        block = block - self.shift.astype(self.dtype)[..., None, :]
        block = block * self.units.astype(self.dtype)[..., None, :]
        if self.axes is not None:
            block = block @ self.axes.astype(self.dtype)
        if not self.intercept:
            return block
        return np.concatenate([block, np.ones((*block.shape[:-1], 1), self.dtype)], axis=-1)


class StandardRows:
    """Rows in the coordinates ``((x - origin) / scale) @ axes``, with a one for the intercept.

    Rows of uint8 or float32 are converted block by block whenever they are read. Every array may
    have leading axes for B problems with equal numbers of rows, see `stacked`.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Of any real type.
    origin, scale : ndarray of shape (p,)
        In the units of the features. An infinite scale excludes a feature.
    axes : ndarray of shape (p, r), optional
    intercept : bool, default True

    Examples
    --------
    >>> X, origin, scale = np.array([[1, 5], [3, 5]]), np.array([2.0, 5.0]), np.array([1.0, np.inf])
    >>> rows = StandardRows(X, origin, scale)
    >>> rows.double.coordinates(slice(None)).tolist()
    [[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]
    """

    def __init__(
        self,
        X: NDArray[Any],
        origin: Array,
        scale: Array,
        axes: Array | None = None,
        *,
        intercept: bool = True,
    ) -> None:
        self.X = X
        self.origin = origin
        self.scale = scale
        self.units = 1 / scale
        self.axes = axes
        self.intercept = intercept
        p = X.shape[-1] if axes is None else axes.shape[-1]
        self.n_coordinates = p + int(intercept)
        # Whether a matrix of n_coordinates squared would be too large.
        self.wide = False

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.X.shape[-2])

    @classmethod
    def stacked(cls, parts: Sequence[StandardRows]) -> StandardRows:
        """Stack the rows of B problems of the same form, padded with rows of zeros."""
        X = np.zeros((len(parts), max(map(len, parts)), parts[0].X.shape[1]), parts[0].X.dtype)
        for place, part in enumerate(parts):
            X[place, : len(part)] = part.X
        axes = [part.axes for part in parts if part.axes is not None]
        origin = np.stack([part.origin for part in parts])
        scale = np.stack([part.scale for part in parts])
        stacked = np.stack(axes) if axes else None
        return cls(X, origin, scale, stacked, intercept=parts[0].intercept)

    def some(self, chosen: Any) -> StandardRows:
        """Return the rows of some of B problems."""
        axes = None if self.axes is None else self.axes[chosen]
        origin, scale = self.origin[chosen], self.scale[chosen]
        return StandardRows(self.X[chosen], origin, scale, axes, intercept=self.intercept)

    @property
    def form(self) -> tuple[Any, ...]:
        """Properties that must agree for rows to be stacked."""
        return self.X.shape[1], self.n_coordinates, self.X.dtype, self.axes is None

    def of(self, X: NDArray[Any]) -> StandardRows:
        """Return other rows (m, p) with the same standardisation."""
        other = copy(self)
        other.X = X
        for view in ("double", "single"):
            other.__dict__.pop(view, None)
        return other

    @cached_property
    def double(self) -> RowView:
        """The view for values and gradients, in float64."""
        near = self.X.dtype == np.float64 and np.all(np.abs(self.origin) * self.units <= FAR)
        zero = np.zeros_like(self.origin)
        subtract, shift = (None, self.origin) if near else (self.origin, zero)
        kind = (self.axes, self.intercept)
        return RowView(self.X, np.float64, subtract, None, shift, self.units, *kind)

    @cached_property
    def single(self) -> RowView:
        """The view for curvature, in float32: half the memory to read, twice the speed.

        A direction may be wrong in the seventh digit; values and gradients determine where the
        descent ends. Rows in float64 are copied once, at half their size.
        """
        zero, one = np.zeros_like(self.origin), np.ones_like(self.origin)
        kind = (np.float32, self.origin, self.units, zero, one, self.axes, self.intercept)
        view = RowView(self.X, *kind)
        if self.X.dtype != np.float64:
            return view
        copy = np.empty(self.X.shape, dtype=np.float32)
        for where, block in view.blocks():
            copy[where] = block
        return view._replace(rows=copy, subtract=None, multiply=None)

    def to_user(self, coef: Array) -> tuple[Array, Array]:
        """Return coefficients (p, K) and intercepts (K,) for the original features."""
        body, constant = (
            (coef[:-1], coef[-1]) if self.intercept else (coef, np.zeros(coef.shape[1]))
        )
        W = self.units[:, None] * (body if self.axes is None else self.axes @ body)
        return W, constant - self.origin @ W
