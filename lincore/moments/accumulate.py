"""Count, mean and scatter of one block of rows, centred in cache and multiplied at full speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lincore.moments._integer_products import are_small, exact_product
from lincore.utils.threads import PARTS, part_mapper
from lincore.utils.typing import Array

# Rows converted and centred at a time, so that they stay in the processor's cache meanwhile.
TILE_ROWS = 128
# Rows of a scatter written at a time, for the same reason.
WRITTEN_ROWS = 32
# Features from which on a product takes longer than what is done around it.
WIDE = 200

Block = TypeVar("Block")
Result = TypeVar("Result")


def buffer_type(
    X: NDArray[Any], weight: Array | None, n_groups: int, *, diagonal: bool
) -> type[np.floating]:
    """Return what centred rows are held in: float32 if products are exact in it, and it pays."""
    n, p = X.shape
    pays = p >= WIDE and 2 * n >= n_groups * p
    exact = are_small(X.dtype) and weight is None and not diagonal
    return np.float32 if exact and pays else np.float64


def block_moments(
    X: NDArray[Any],
    rows: NDArray[np.intp],
    weight: Array | None,
    buffer: NDArray[Any],
    out: Array,
) -> tuple[Array, Array, Array]:
    """Summarise some rows as one group.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Of any real type.
    rows : ndarray of shape (m,)
        Which rows; at least one, each of positive weight.
    weight : ndarray of shape (n,) or None
    buffer : ndarray of shape (at least m, p + 1), of `buffer_type`
        Overwritten.
    out : ndarray of shape (p, p), or (p,) for the diagonal alone
        Zeros, which the scatter is written over.

    Returns
    -------
    count : ndarray of shape ()
    mean : ndarray of shape (p,)
    scatter : ndarray
        The array `out`.
    """
    # What is not finite shows in the sums below, so it need not warn on its way there.
    with np.errstate(invalid="ignore", over="ignore"):
        columns, anchor = _centre(X, rows, weight, buffer)
        total, product = _products(buffer[: len(rows)], len(columns), rows, weight, out.ndim)
    # A column that is infinite throughout is constant: only its anchor shows it.
    if not (np.isfinite(total).all() and np.isfinite(anchor).all()):
        raise ValueError(where_not_finite(X, rows))
    count = float(len(rows)) if weight is None else float(weight[rows].sum())
    rest = total / count
    mean = anchor
    mean[columns] += rest
    correction = np.sqrt(count) * rest
    if out.ndim == 1:
        out[columns] = np.maximum(product - correction**2, 0.0)
        return np.asarray(count), mean, out
    whole = _are_all(columns, len(out))
    # Some rows at a time, so that all is done to them in the processor's cache.
    for start in range(0, len(columns), WRITTEN_ROWS):
        rows_of = slice(start, start + WRITTEN_ROWS)
        lacking = correction[rows_of, None] * correction
        np.subtract(product[rows_of], lacking, out=lacking)
        if whole:
            out[rows_of] = lacking
        else:
            out[columns[rows_of, None], columns] = lacking
    return np.asarray(count), mean, out


def _products(
    centred: NDArray[Any], q: int, rows: NDArray[np.intp], weight: Array | None, n_axes: int
) -> tuple[Array, NDArray[Any]]:
    """Return sums (q,) and products (q, q), or squares (q,), of the first q columns of a block.

    One more column holds the roots of the weights, so that the sums come with the products.
    """
    centred[:, q] = 1.0 if weight is None else np.sqrt(weight[rows])
    if n_axes == 1:
        block = centred[:, :q]
        return centred[:, q] @ block, np.einsum("ij,ij->j", block, block)
    block = centred[:, : q + 1]
    # NumPy sees a product with its own transpose and calls syrk: half of the work.
    product = exact_product(block) if block.dtype == np.float32 else block.T @ block
    return product[q, :q].astype(np.float64), product[:q, :q]


def _centre(
    X: NDArray[Any],
    rows: NDArray[np.intp],
    weight: Array | None,
    buffer: NDArray[Any],
) -> tuple[NDArray[np.intp], Array]:
    """Write rows of X, less a point near their mean, into the first columns of `buffer`.

    Columns that are constant in these rows (margins of images, categories that a class lacks)
    are left out: the product costs the square of those that vary.

    Returns
    -------
    columns : ndarray of shape (q,)
        Which column of X each of the q columns written is.
    anchor : ndarray of shape (p,)
        What was subtracted; the mean itself where a column is constant.
    """
    p = X.shape[1]
    room = np.empty((TILE_ROWS, p), dtype=buffer.dtype)
    anchor = _anchor(X, rows, weight, room)
    origin = anchor.astype(room.dtype)
    # Weights move the anchor off the constants, so there every column counts as varying.
    columns = np.arange(0 if weight is None else p)
    constant = np.arange(len(columns), p)
    for start in range(0, len(rows), TILE_ROWS):
        chosen = rows[start : start + TILE_ROWS]
        # Of rows without weights the anchor has brought the first tile already.
        tile = room[: len(chosen)] if weight is None and not start else _tile(X, chosen, room)
        tile -= origin
        if len(constant):
            # What is not zero to the last bit shows in the disjunction of the bits of a column.
            bits = tile.view(np.int64 if tile.itemsize == 8 else np.int32)
            varies = (np.bitwise_or.reduce(bits, axis=0) != 0)[constant]
            found = constant[varies]
            if len(found):
                # The rows before were equal to the anchor here.
                buffer[:start, len(columns) : len(columns) + len(found)] = 0
                columns, constant = np.concatenate([columns, found]), constant[~varies]
        piece = buffer[start : start + len(chosen), : len(columns)]
        piece[:] = tile if _are_all(columns, p) else tile.take(columns, axis=1)
        if weight is not None:
            piece *= np.sqrt(weight[chosen])[:, None]
    return columns, anchor


def _tile(X: NDArray[Any], rows: NDArray[np.intp], room: NDArray[Any]) -> NDArray[Any]:
    """Return some rows of X in the first rows of `room`."""
    tile = room[: len(rows)]
    if X.dtype == tile.dtype:
        return X.take(rows, axis=0, out=tile, mode="clip")
    tile[:] = X.take(rows, axis=0)
    return tile


def _anchor(
    X: NDArray[Any], rows: NDArray[np.intp], weight: Array | None, room: NDArray[Any]
) -> Array:
    """Return a point so near the rows' mean that centring there and correcting loses nothing.

    The mean of m of n rows differs from the mean of all by a square of at most scatter / m
    (Cauchy and Schwarz), so the correction, n times that square, is at most n / m scatters:
    the first tile will do. Weights can make any tile light, so there it is the mean of all.
    """
    # Steps from the first row, so that the scatter of a constant column is zero to the last bit.
    origin = X[rows[0]].astype(np.float64)
    if weight is None:
        first = _tile(X, rows[:TILE_ROWS], room)
        found = np.asarray(origin + (first - origin).sum(axis=0) / len(first))
        # Whole numbers stay whole, and half a unit off is near enough.
        return np.rint(found) if room.dtype == np.float32 else found
    share = weight[rows] / weight[rows].sum()
    tiles = (slice(i, i + TILE_ROWS) for i in range(0, len(rows), TILE_ROWS))
    return np.asarray(origin + sum(share[t] @ (_tile(X, rows[t], room) - origin) for t in tiles))


def map_blocks(
    work: Callable[[Block, NDArray[Any]], Result],
    blocks: Sequence[Block],
    shape: tuple[int, int],
    *,
    n_values: int,
    dtype: type[np.floating] = np.float64,
) -> Iterator[Result]:
    """Apply ``work(block, buffer)`` to every block, in order, on all cores if that pays.

    Centring is Python's work on one core and multiplying is BLAS's on all: with a block for each
    thread, and BLAS kept to one, no core waits.

    Parameters
    ----------
    work : callable
    blocks : sequence
    shape : tuple of int
        Of the buffers, one for each thread.
    n_values : int
        Numbers in all blocks.
    dtype : type
        Of the buffers.
    """
    buffers: SimpleQueue[NDArray[Any]] = SimpleQueue()
    for _ in range(PARTS):
        buffers.put(np.empty(shape, dtype))

    def with_buffer(block: Block) -> Result:
        buffer = buffers.get()
        try:
            return work(block, buffer)
        finally:
            buffers.put(buffer)

    with part_mapper(n_values if len(blocks) > 1 else 0) as mapper:
        yield from mapper(with_buffer, blocks)


def where_not_finite(X: NDArray[Any], rows: NDArray[np.intp]) -> str:
    """Say where the first NaN or infinity stands in some rows of X (n, p)."""
    for row in np.sort(rows):
        columns = np.flatnonzero(~np.isfinite(X[row]))
        if len(columns):
            value = X[row, columns[0]]
            return f"X contains NaN or infinity: {value} in row {row}, column {columns[0]}."
    return "The values of X are too large: their sum is infinite."


def _are_all(columns: NDArray[np.intp], p: int) -> bool:
    """Tell whether these are all p columns in their own order."""
    return len(columns) == p and bool((columns == np.arange(p)).all())
