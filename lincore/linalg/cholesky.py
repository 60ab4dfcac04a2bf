"""Cholesky factorisation: rank and inverse of a correlation matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from lincore.utils.typing import Array

# The rank is taken from the pivots only where no eigenvalue is anywhere near the limit.
CLEAR = 1e-8
EPS = float(np.finfo(np.float64).eps)
# Lost pivots are 2 p eps at most, and the eigenvalues lost at most their sum: of rounding, as are
# those up to 10 p eps of the largest, which `lincore.linalg.covariance.is_positive` takes for zero.
MOST_LOST = 10


class PivotedFactor(NamedTuple):
    """A basis L of the range of R with ``L @ L.T = R``, where the rank of R is beyond doubt.

    Attributes
    ----------
    basis : ndarray of shape (p, r)
        L, of full column rank.
    root : ndarray of shape (r, r)
        Lower Cholesky factor of ``L.T @ L``, whose eigenvalues are those of R that are not zero;
        what stands above its diagonal has no meaning.
    """

    basis: Array
    root: Array


def triangular_inverse(R: Array) -> Array | None:
    """Return the inverse of the lower Cholesky factor of a correlation matrix of full rank.

    None where that is open to doubt.
    """
    root, info = lapack.dpotrf(R, lower=1, clean=1)
    # No eigenvalue exceeds p, and no square of a pivot is below the smallest.
    if info or np.diagonal(root).min() ** 2 < CLEAR:
        return None
    inverse, _ = lapack.dtrtri(root, lower=1, overwrite_c=1)
    # The smallest is at least one over the sum of the squares of the inverse.
    return inverse if len(R) * np.vdot(inverse, inverse) * CLEAR < 1 else None


def pivoted_factor(R: Array) -> PivotedFactor | None:
    """Factorise a correlation matrix, or return None where its rank is open to doubt."""
    p = len(R)
    # LAPACK's own limit is a quarter of this: rounding alone can lift a lost pivot above that.
    factor, pivots, rank, info = lapack.dpstrf(R, tol=2 * p * EPS, lower=1)
    if info < 0 or p - rank > MOST_LOST:
        return None
    pivots = pivots - 1
    triangle = np.tril(factor)[:, :rank]
    gram = blas.dsyrk(1.0, triangle, trans=1, lower=1)
    # syrk fills the lower half alone.
    size = np.abs(gram)
    norm = float((size.sum(axis=0) + size.sum(axis=1) - np.diagonal(size)).max())
    root, info = lapack.dpotrf(gram, lower=1, clean=0, overwrite_a=1)
    if info or lapack.dpocon(root, norm, uplo="L")[0] < CLEAR:
        return None
    basis = np.empty((p, rank))
    basis[pivots] = triangle
    return PivotedFactor(basis, root)


def few_rows_times(rows: Array, matrix: Array) -> Array:
    """Return ``rows @ matrix`` for few rows (n, p) and a matrix (p, r), next to LAPACK's work.

    NumPy and SciPy bring a BLAS each, whose threads wait for work by spinning: a product by
    NumPy's just after a factor by SciPy's costs a hundred times what it should.
    """
    transposed = matrix.flags.f_contiguous
    left = matrix if transposed else matrix.T
    product = blas.dgemm(1.0, left, np.ascontiguousarray(rows).T, trans_a=int(transposed))
    return np.ascontiguousarray(product.T)
