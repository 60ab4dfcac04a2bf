"""The largest eigenpairs of a symmetric matrix, computed without the interpreter lock."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cython_lapack

from lincore.utils.blas import call
from lincore.utils.typing import Array


def largest_eigenpairs(matrix: Array, k: int) -> tuple[Array, Array]:
    """Return the k largest eigenvalues of a symmetric matrix and their eigenvectors.

    What ``scipy.linalg.eigh(matrix, subset_by_index=...)`` computes. That one keeps the
    interpreter to itself meanwhile, so that the folds of a comparison would wait for each other.

    Parameters
    ----------
    matrix : ndarray of shape (p, p)
        Finite; its upper half is read.
    k : int
        From 1 to p.

    Returns
    -------
    values : ndarray of shape (k,)
        In increasing order.
    vectors : ndarray of shape (p, k)
        Orthonormal columns.

    Raises
    ------
    LinAlgError
        When LAPACK does not converge.

    References
    ----------
    LAPACK Users' Guide, "DSYEVR" (relatively robust representations).

    Examples
    --------
    >>> values, vectors = largest_eigenpairs(np.diag([3.0, 1.0, 2.0]), 2)
    >>> values, np.abs(vectors).tolist()
    (array([2., 3.]), [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    """
    p = len(matrix)
    # LAPACK goes by columns; of a symmetric matrix they are the rows.
    a = np.array(matrix, dtype=np.float64, order="C")
    values, vectors = np.empty(p), np.empty((p, k), order="F")
    # The least room that the blocked algorithm asks for is 26 p; its blocks are 32 to 64 wide.
    work, integers = np.empty(66 * p), np.empty(10 * p, dtype=np.intc)
    support = np.empty(2 * p, dtype=np.intc)
    found, info = np.zeros(1, dtype=np.intc), np.zeros(1, dtype=np.intc)
    n, first = np.array([p], dtype=np.intc), np.array([p - k + 1], dtype=np.intc)
    sizes = np.array([len(work), len(integers)], dtype=np.intc)
    nothing = np.zeros(1)
    arguments = [
        np.array(b"V"),  # values and vectors
        np.array(b"I"),  # some of them, by their numbers
        np.array(b"L"),
        n,
        a,
        n,
        nothing,
        nothing,
        first,
        n,
        nothing,
        found,
        values,
        vectors,
        n,
        support,
        work,
        sizes[:1],
        integers,
        sizes[1:],
        info,
    ]
    call(cython_lapack, "dsyevr", *arguments)
    if info[0]:
        raise LinAlgError(f"LAPACK's DSYEVR failed with code {info[0]}.")
    return values[:k], vectors
