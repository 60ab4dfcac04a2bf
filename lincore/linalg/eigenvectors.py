"""Eigenvectors as mathematics leaves them open, settled by rules instead of by rounding.

The sign of an eigenvector is free, and so is every rotation among those of one eigenvalue. LAPACK
returns what its kernels round to, which differs between processors.
"""

from __future__ import annotations

import numpy as np

from lincore.utils.typing import Array, Flags

#: Eigenvalues that differ by less, relative to themselves, are equal: far above what rounding makes
#: of equal ones, and far below what differs by chance.
EQUAL = 1e-10
#: Of entries that are this near to the largest one, relative to it, the first counts.
AS_LARGE = 1e-6


def eigenpairs(symmetric: Array) -> tuple[Array, Array]:
    """Return eigenvalues (p,) in ascending order and `settled` eigenvectors (p, p)."""
    values, vectors = np.linalg.eigh(symmetric)
    return values, settled(values, vectors)


def settled(values: Array, vectors: Array) -> Array:
    """Return orthonormal vectors (p, m) with a fixed basis wherever sorted values (m,) are equal.

    The first vector of such a basis is as near as can be to a coordinate axis, to the first one of
    those that are as near; the next one likewise in what is left, and so on. Where some values are
    equal all signs are fixed, too: LAPACK's then change as easily as its bases. Others stay.
    """
    differs = _differ(values)
    if differs.all():
        return vectors
    bounds = [0, *(np.flatnonzero(differs) + 1).tolist(), len(values)]
    found = turned_positive(vectors)
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        if stop - start > 1:
            found[:, start:stop] = _nearest_to_axes(vectors[:, start:stop])
    return found


def end_of_equals(values: Array, n: int) -> int:
    """Return how many of sorted values the first n and all that equal the last of them are."""
    return n + int(np.argmax(np.append(_differ(values[n - 1 :]), True)))


def _differ(values: Array) -> Flags:
    largest = np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
    return np.asarray(np.abs(np.diff(values)) > EQUAL * largest)


def _nearest_to_axes(basis: Array) -> Array:
    """Return the orthonormal basis (p, m) of the same space that begins at coordinate axes."""
    rest, found = basis, np.empty_like(basis)
    for i in range(basis.shape[1]):
        lengths = np.linalg.norm(rest, axis=1)
        first = int(np.argmax(lengths >= (1 - AS_LARGE) * lengths.max()))
        towards = rest[first] / lengths[first]
        found[:, i] = rest @ towards
        rest = rest - np.outer(found[:, i], towards)
    return found


def turned_positive(vectors: Array) -> Array:
    """Return vectors (p, m) with signs that make the first of their largest entries positive."""
    sizes = np.abs(vectors)
    first = np.argmax(sizes >= (1 - AS_LARGE) * sizes.max(axis=0), axis=0)
    return np.asarray(vectors * np.sign(vectors[first, np.arange(vectors.shape[1])]))
