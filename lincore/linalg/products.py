"""Products of rows of any type with a float64 matrix, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lincore.utils.typing import Array

# Values converted to float64 at a time (3 MB), so that they are in cache when multiplied.
CONVERTED_VALUES = 400_000


def blocked_product(X: Any, matrix: Array) -> Array:
    """Return ``X @ matrix`` in float64, converting dense rows of another type block by block."""
    with np.errstate(over="ignore", invalid="ignore"):
        out = _product(X, matrix)
    if not np.isfinite(out).all():
        lost = np.flatnonzero(~np.isfinite(out).all(axis=1))
        values = (X[lost] if not sp.issparse(X) else sp.csr_array(X)[lost].data).astype(np.float64)
        if np.isfinite(values).all():
            raise ValueError(
                f"Row {lost[0]} of X is so large that its scores overflow. Look for wrong values "
                "in it, or give the features in larger units."
            )
    return out


def _product(X: Any, matrix: Array) -> Array:
    if X.dtype == np.float64 or sp.issparse(X):
        return np.asarray(X @ matrix)
    out = np.empty((len(X), matrix.shape[1]))
    length = max(1, CONVERTED_VALUES // max(1, X.shape[1]))
    buffer = np.empty((min(length, len(X)), X.shape[1]))
    for start in range(0, len(X), length):
        rows = X[start : start + length]
        converted = buffer[: len(rows)]
        converted[:] = rows
        np.matmul(converted, matrix, out=out[start : start + length])
    return out
