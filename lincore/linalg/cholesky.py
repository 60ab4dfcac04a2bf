"""Cholesky factorisation: rank and inverse of a correlation matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from lincore.utils.typing import Array

# The rank is taken from the pivots only if no eigenvalue is near the limit.
CLEAR = 1e-8
EPS = float(np.finfo(np.float64).eps)
# Dropped pivots are at most 2 p eps, and the dropped eigenvalues at most their sum: rounding error,
# like those up to 10 p eps of the largest, which `lincore.linalg.covariance.is_positive` treats as
# zero.
MOST_LOST = 10


class PivotedFactor(NamedTuple):
    """A basis L of the range of R with ``L @ L.T = R``; the rank of R is certain."""

    basis: Array  # (p, r); L, of full column rank
    # (r, r); Lower Cholesky factor of ``L.T @ L``, whose eigenvalues are the nonzero ones of R;
    # entries above its diagonal are undefined
    root: Array


def triangular_inverse(R: Array) -> Array | None:
    """Return the inverse of the lower Cholesky factor of a correlation matrix of full rank."""
    # None if the rank is uncertain.
    root, info = lapack.dpotrf(R, lower=1, clean=1)
    # No eigenvalue exceeds p, and no square of a pivot is below the smallest.
    if info or np.diagonal(root).min() ** 2 < CLEAR:
        return None
    inverse, _ = lapack.dtrtri(root, lower=1, overwrite_c=1)
    # The smallest is at least the reciprocal of the sum of squares of the inverse.
    return inverse if len(R) * np.vdot(inverse, inverse) * CLEAR < 1 else None


def pivoted_factor(R: Array) -> PivotedFactor | None:
    """Factorise a correlation matrix, or return None if its rank is uncertain."""
    p = len(R)
    # LAPACK's default is a quarter of this, which rounding alone can exceed.
    factor, pivots, rank, info = lapack.dpstrf(R, tol=2 * p * EPS, lower=1)
    if info < 0 or p - rank > MOST_LOST:
        return None
    pivots = pivots - 1
    triangle = np.tril(factor)[:, :rank]
    gram = blas.dsyrk(1.0, triangle, trans=1, lower=1)
    # syrk fills only the lower half.
    size = np.abs(gram)
    norm = float((size.sum(axis=0) + size.sum(axis=1) - np.diagonal(size)).max())
    root, info = lapack.dpotrf(gram, lower=1, clean=0, overwrite_a=1)
    if info or lapack.dpocon(root, norm, uplo="L")[0] < CLEAR:
        return None
    basis = np.empty((p, rank))
    basis[pivots] = triangle
    return PivotedFactor(basis, root)


def few_rows_times(rows: Array, matrix: Array) -> Array:
    """Return ``rows @ matrix`` for few rows (n, p) and a matrix (p, r), by SciPy's BLAS."""
    # NumPy and SciPy each come with a BLAS whose threads spin while waiting for work: a product by
    # NumPy just after a factorisation by SciPy costs a hundred times what it should.
    transposed = matrix.flags.f_contiguous
    left = matrix if transposed else matrix.T
    product = blas.dgemm(1.0, left, np.ascontiguousarray(rows).T, trans_a=int(transposed))
    return np.ascontiguousarray(product.T)
