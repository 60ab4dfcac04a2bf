"""Count, mean and scatter of one block of rows, centred in cache and multiplied at full speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lincore.utils.threads import n_threads, part_mapper
from lincore.utils.typing import Array

# Rows converted and centred at a time, so that they stay in the processor's cache.
TILE_ROWS = 128

Block = TypeVar("Block")
Result = TypeVar("Result")


def block_moments(
    X: NDArray[Any],
    rows: NDArray[np.intp],
    weight: Array | None,
    buffer: Array,
    out: Array,
) -> tuple[Array, Array, Array]:
    """Summarise some rows as one group."""
    centred = buffer[: len(rows)]
    # Values that are not finite show in the sums below, so warnings are not needed here.
    with np.errstate(invalid="ignore", over="ignore"):
        anchor = _anchor(X, rows, weight)
        for start in range(0, len(rows), TILE_ROWS):
            chosen = rows[start : start + TILE_ROWS]
            tile = centred[start : start + len(chosen), :-1]
            np.subtract(X.take(chosen, axis=0), anchor, out=tile)
            if weight is not None:
                tile *= np.sqrt(weight[chosen])[:, None]
        # One more column holds the square roots of the weights, so that the product includes the
        # sums.
        centred[:, -1] = 1.0 if weight is None else np.sqrt(weight[rows])
        if out.ndim == 1:
            product = np.einsum("ij,ij->j", centred[:, :-1], centred[:, :-1])
            total = centred[:, -1] @ centred[:, :-1]
        else:
            # NumPy sees a product with its own transpose and calls syrk: half of the work.
            whole = centred.T @ centred
            product, total = whole[:-1, :-1], whole[-1, :-1]
    # A column that is entirely infinite is constant: only its anchor shows it.
    if not (np.isfinite(total).all() and np.isfinite(anchor).all()):
        raise ValueError(_not_finite_message(X, rows))
    count = float(len(rows)) if weight is None else float(weight[rows].sum())
    rest = total / count
    correction = np.sqrt(count) * rest
    if out.ndim == 1:
        out[:] = np.maximum(product - correction**2, 0.0)
    else:
        np.subtract(product, correction[:, None] * correction, out=out)
    return np.asarray(count), anchor + rest, out


def _anchor(X: NDArray[Any], rows: NDArray[np.intp], weight: Array | None) -> Array:
    """Return a point near enough to the rows' mean to centre there and correct without loss."""
    # The squared difference between the mean of m of n rows and the mean of all is at most scatter
    # / m (Cauchy-Schwarz). The correction, n times that square, is thus at most n / m scatters, and
    # the first tile will do. With weights any tile may be light, so the mean of all rows is used.
    # Relative to the first row, so that the scatter of a constant column is exactly zero.
    origin = X[rows[0]].astype(np.float64)
    if weight is None:
        first = rows[:TILE_ROWS]
        return np.asarray(origin + (X.take(first, axis=0) - origin).sum(axis=0) / len(first))
    share = weight[rows] / weight[rows].sum()
    tiles = (slice(i, i + TILE_ROWS) for i in range(0, len(rows), TILE_ROWS))
    return np.asarray(origin + sum(share[t] @ (X.take(rows[t], axis=0) - origin) for t in tiles))


def map_blocks(
    work: Callable[[Block, Array], Result],
    blocks: Sequence[Block],
    shape: tuple[int, int],
    *,
    n_values: int,
) -> Iterator[Result]:
    """Apply ``work(block, buffer)`` to every block, in order, on all cores if that pays."""
    # Centring runs in Python on one core, products run in BLAS on all. With one block per thread,
    # and BLAS limited to one thread, no core waits.
    buffers: SimpleQueue[Array] = SimpleQueue()
    for _ in range(n_threads()):
        buffers.put(np.empty(shape))

    def with_buffer(block: Block) -> Result:
        buffer = buffers.get()
        try:
            return work(block, buffer)
        finally:
            buffers.put(buffer)

    with part_mapper(n_values if len(blocks) > 1 else 0) as mapper:
        yield from mapper(with_buffer, blocks)


def _not_finite_message(X: NDArray[Any], rows: NDArray[np.intp]) -> str:
    """Describe where the first NaN or infinity is in some rows of X (n, p)."""
    for row in np.sort(rows):
        columns = np.flatnonzero(~np.isfinite(X[row]))
        if len(columns):
            value = X[row, columns[0]]
            return f"X contains NaN or infinity: {value} in row {row}, column {columns[0]}."
    return "The values of X are too large: their sum is infinite."
