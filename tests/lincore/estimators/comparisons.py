"""The same rows in other types, and arrays compared by their largest entry."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

CONVERSIONS = {
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: X.astype(np.uint8),
    "fortran": np.asfortranarray,
    "frame": lambda X: pd.DataFrame(X, columns=["a", "b", "c"]),
}


def close(a, b, tolerance=1e-8):
    assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max())


def rows_as(convert):
    """Return whole numbers (60, 3), the same in another type, and labels of three classes."""
    X = np.round(np.random.default_rng(0).standard_normal((60, 3)) * 20 + 100)
    return X, CONVERSIONS[convert](X), np.repeat(["x", "y", "z"], [30, 20, 10])
