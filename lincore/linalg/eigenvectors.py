"""Eigenvectors that are unique: signs and bases are fixed by rules instead of by rounding.

The sign of an eigenvector is arbitrary, and so is the basis of the eigenvectors of a repeated
eigenvalue. LAPACK's choice depends on rounding, which differs between processors.
"""

from __future__ import annotations

import numpy as np

from lincore.utils.typing import Array, Flags

#: Eigenvalues whose relative difference is less are treated as equal: far above rounding error, far
#: below differences in real data.
EQUAL = 1e-10
#: Entries within this relative distance of the largest are ties, decided by position.
AS_LARGE = 1e-6


def eigenpairs(symmetric: Array) -> tuple[Array, Array]:
    """Return eigenvalues (p,) in ascending order and eigenvectors (p, p), see `fix_basis`."""
    values, vectors = np.linalg.eigh(symmetric)
    return values, fix_basis(values, vectors)


def fix_basis(values: Array, vectors: Array) -> Array:
    """Return orthonormal vectors (p, m) with a fixed basis where sorted values (m,) are equal."""
    # The first vector of such a basis is as near as possible to a coordinate axis (the first axis
    # if there are ties); the next is chosen in the same way from the remaining subspace, and so on.
    # If any values are equal, all signs are fixed too, because LAPACK's signs are then as arbitrary
    # as its bases. Otherwise the vectors are returned unchanged.
    differs = _differ(values)
    if differs.all():
        return vectors
    bounds = [0, *(np.flatnonzero(differs) + 1).tolist(), len(values)]
    basis = fix_signs(vectors)
    for start, stop in zip(bounds[:-1], bounds[1:], strict=True):
        if stop - start > 1:
            basis[:, start:stop] = _nearest_to_axes(vectors[:, start:stop])
    return basis


def end_of_equals(values: Array, n: int) -> int:
    """Return n plus the number of sorted values after the first n that equal the n-th."""
    return n + int(np.argmax(np.append(_differ(values[n - 1 :]), True)))


def _differ(values: Array) -> Flags:
    largest = np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
    return np.asarray(np.abs(np.diff(values)) > EQUAL * largest)


def _nearest_to_axes(basis: Array) -> Array:
    """Return an orthonormal basis (p, m) of the same space, each vector close to an axis."""
    rest, nearest = basis, np.empty_like(basis)
    for i in range(basis.shape[1]):
        lengths = np.linalg.norm(rest, axis=1)
        first = int(np.argmax(lengths >= (1 - AS_LARGE) * lengths.max()))
        towards = rest[first] / lengths[first]
        nearest[:, i] = rest @ towards
        rest = rest - np.outer(nearest[:, i], towards)
    return nearest


def fix_signs(vectors: Array) -> Array:
    """Flip vectors (p, m) so that the largest entry of each is positive (the first of ties)."""
    sizes = np.abs(vectors)
    first = np.argmax(sizes >= (1 - AS_LARGE) * sizes.max(axis=0), axis=0)
    return np.asarray(vectors * np.sign(vectors[first, np.arange(vectors.shape[1])]))
