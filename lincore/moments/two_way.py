"""Moments by part and moments by class of the same whole numbers, from one pass over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.moments.accumulate import map_blocks
from lincore.moments.integer_products import WRITTEN_ROWS, add_product, mirrored
from lincore.moments.moments import Moments
from lincore.utils.threads import PARTS, Mapper, part_mapper
from lincore.utils.typing import Array, Rows

# Rows multiplied at a time: of grey levels about a thousand can be, without a rounding error.
BLOCK_ROWS = 1024
# Rows converted at a time, so that they stay in the processor's cache meanwhile.
TILE_ROWS = 128


class Block(NamedTuple):
    """Some rows of one part and one class."""

    part: int
    group: int
    rows: Rows


def margins(
    X: NDArray[Any], part: Rows, codes: Rows, n_parts: int, n_classes: int
) -> tuple[Moments, Moments]:
    """Summarise rows twice at the price of once: every product is added to two sums.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Small whole numbers: of a type that `are_small` allows.
    part, codes : ndarray of shape (n,)

    Returns
    -------
    by_part : Moments of shapes (n_parts,), (n_parts, p), (n_parts, p, p)
    by_class : Moments of shapes (n_classes,), (n_classes, p), (n_classes, p, p)

    Notes
    -----
    Sums and products of whole numbers are whole, and exact below 2^53; so is
    ``n * sum(x x') - sum(x) sum(x)'`` where raw sums of fractions would lose their digits.

    Examples
    --------
    >>> X = np.arange(8, dtype=np.uint8).reshape(4, 2)
    >>> by_part, by_class = margins(X, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 2, 2)
    >>> by_part.mean.tolist(), by_class.mean.tolist()
    ([[1.0, 2.0], [5.0, 6.0]], [[2.0, 3.0], [4.0, 5.0]])
    """
    p = X.shape[1]
    # Near the middle squares are small, and more rows are multiplied at a time.
    some = X[:: max(1, len(X) // BLOCK_ROWS)]
    anchor = np.rint(some.mean(axis=0)).astype(np.float32)

    def sum_up(blocks: Sequence[Block], buffer: NDArray[Any]) -> tuple[Sums, Sums]:
        by_part, by_group = Sums(), Sums()
        room = np.zeros((p + 1, p + 1), dtype=np.float32)
        for block in blocks:
            centred = _centred(X, block.rows, anchor, buffer)
            add_product(centred, [by_part.of(block.part, p), by_group.of(block.group, p)], room)
        return by_part, by_group

    runs = _shared_out(_blocks(part, codes, n_classes))
    shape = (BLOCK_ROWS, p + 1)
    found = list(map_blocks(sum_up, runs, shape, n_values=X.size, dtype=np.float32))
    by_part, by_group = zip(*found, strict=True)
    with part_mapper(X.size) as mapper:
        return _moments(by_part, n_parts, anchor, mapper), _moments(
            by_group, n_classes, anchor, mapper
        )


class Sums(dict[int, Array]):
    """Products (p + 1, p + 1) by group, the last column the sums: upper halves."""

    def of(self, group: int, p: int) -> Array:
        """Return the sum of a group, zero to begin with."""
        if group not in self:
            self[group] = np.zeros((p + 1, p + 1))
        return self[group]


def _blocks(part: Rows, codes: Rows, n_classes: int) -> list[Block]:
    cells = part * n_classes + codes
    order = np.argsort(cells, kind="stable")
    present, starts = np.unique(cells[order], return_index=True)
    stops = np.append(starts[1:], len(order))
    return [
        Block(*divmod(int(cell), n_classes), order[i : min(i + BLOCK_ROWS, stop)])
        for cell, start, stop in zip(present, starts, stops, strict=True)
        for i in range(start, stop, BLOCK_ROWS)
    ]


def _shared_out(blocks: list[Block]) -> list[list[Block]]:
    """Cut the blocks into as many runs as there are threads, of about as many rows."""
    n_before = np.cumsum([0, *(len(block.rows) for block in blocks)])
    cuts = np.searchsorted(n_before, n_before[-1] * np.arange(PARTS + 1) / PARTS)
    runs = [blocks[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]
    return [run for run in runs if run]


def _centred(
    X: NDArray[Any], rows: Rows, anchor: NDArray[np.float32], buffer: NDArray[Any]
) -> NDArray[np.float32]:
    """Return rows less the anchor, and a column of ones with which sums come with products."""
    for start in range(0, len(rows), TILE_ROWS):
        chosen = rows[start : start + TILE_ROWS]
        tile = buffer[start : start + len(chosen), :-1]
        np.subtract(X.take(chosen, axis=0), anchor, out=tile)
    buffer[: len(rows), -1] = 1.0
    return buffer[: len(rows)]


def _moments(
    sums: Sequence[Sums], n_groups: int, anchor: NDArray[np.float32], mapper: Mapper
) -> Moments:
    """Return the moments of groups, the sums of which several threads have made."""
    moments = Moments.empty((n_groups,), len(anchor))

    def finish(group: int) -> None:
        found = [some[group] for some in sums if group in some]
        if found:
            first, *others = found
            for other in others:
                first += other
            moments.count[group] = first[-1, -1]
            moments.mean[group] = anchor + first[:-1, -1] / first[-1, -1]
            _write_scatter(first, moments.scatter[group])

    list(mapper(finish, range(n_groups)))
    return moments


def _write_scatter(products: Array, out: Array) -> None:
    """Write the scatter (p, p) about the mean of rows of which the products are known."""
    count, total = products[-1, -1], products[:-1, -1]
    for start in range(0, len(out), WRITTEN_ROWS):
        some, rest = slice(start, start + WRITTEN_ROWS), slice(start, None)
        np.multiply(products[:-1, :-1][some, rest], count, out=out[some, rest])
        out[some, rest] -= total[some, None] * total[rest]
        out[some, rest] /= count
    mirrored(out)
