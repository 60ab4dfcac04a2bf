"""Merging of two groups of rows: counts and means first, then the scatters piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lincore.utils.typing import Array

# Rows of a scatter merged at a time (200 kB with 784 features): they stay in the processor's cache
# during several sums.
MERGED_ROWS = 32


class MergeGroup(Protocol):
    """Count (...) and mean (..., p) of groups of rows."""

    @property
    def count(self) -> Array:
        """Number, or total weight, of the rows."""
        ...

    @property
    def mean(self) -> Array:
        """Zero for no rows."""
        ...


@dataclass(frozen=True, eq=False)
class MergedMeans:
    """Two groups of rows taken together."""

    count: Array  # (...)
    mean: Array  # (..., p)
    # (..., p); difference of the means, times the square root of its weight: its outer product,
    # exactly symmetric, is added to the sum of both scatters. Meaningless for a single group.
    step: Array


def merge_means(left: MergeGroup, right: MergeGroup) -> MergedMeans:
    """Merge counts and means of two groups of rows; an empty group is neutral."""
    count = left.count + right.count
    share = right.count / np.where(count > 0, count, 1.0)
    delta = right.mean - left.mean
    step = np.sqrt(left.count * share)[..., None] * delta
    return MergedMeans(count, left.mean + share[..., None] * delta, step)


def tiles(p: int, is_diagonal: bool) -> list[Any]:
    """Cut scatters (..., p, p), or (..., p), into rows: indices of their last axes."""
    rows = [slice(start, start + MERGED_ROWS) for start in range(0, p, MERGED_ROWS)]
    return [(..., chunk) if is_diagonal else (..., chunk, slice(None)) for chunk in rows]


def merge_rows(
    left: Array, right: Array, step: Array, rows: Any, out: Array | None = None
) -> Array:
    """Merge some rows of two scatters, `rows` as `tiles` and `step` as `merge_means` returns it."""
    is_diagonal = len(rows) == 2
    along = step[rows] if is_diagonal else step[..., rows[1], None]
    out = np.multiply(along, along if is_diagonal else step[..., None, :], out=out)
    out += left
    out += right
    return out


def pool(count: Array, mean: Array, within: Array) -> tuple[Array, Array, Array]:
    """Merge groups along the last axis of the grouping."""
    total = count.sum(axis=-1)
    share = count / np.where(total > 0, total, 1.0)[..., None]
    # Relative to a group that has rows, so that a common offset cancels before summation.
    first = np.argmax(count > 0, axis=-1)[..., None, None]
    anchor = mean[..., :1, :]
    if first.any():
        anchor = np.take_along_axis(mean, first, axis=-2)
    centre = anchor[..., 0, :] + (share[..., None] * (mean - anchor)).sum(axis=-2)
    # An empty group has weight zero, whatever its mean.
    delta = mean - centre[..., None, :]
    rooted = np.sqrt(count)[..., None] * delta  # keeps the product symmetric to the last bit
    if within.ndim == mean.ndim - 1:
        return total, centre, within + (rooted**2).sum(axis=-2)
    return total, centre, within + np.swapaxes(rooted, -1, -2) @ rooted
