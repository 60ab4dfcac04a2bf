"""Rejection of features whose squares overflow floating point."""

from __future__ import annotations

import numpy as np

from lincore.data.dataset import Dataset
from lincore.errors import DataError

# The sum of squares must stay below 1.8e308, and the variance and its inverse within range.
LARGEST_NORM = 1e153
SMALLEST_RANGE = 1e-152


def require_squares(data: Dataset) -> None:
    """Reject features whose range is too large or too small for their squares."""
    # Constant features are accepted. Estimators that sum rows themselves reject such features too;
    # when sums are merged they would be treated as constant.
    # Squares of other numeric types do not overflow.
    if data.kind.is_sparse or data.X.dtype != np.float64 or not data.n_rows:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        # Missing values are NaN, which these functions ignore.
        spread = np.fmax.reduce(data.X, axis=0) - np.fmin.reduce(data.X, axis=0)
        large = spread * np.sqrt(data.n_rows) > LARGEST_NORM
    small = (spread > 0) & (spread < SMALLEST_RANGE)
    for wrong, apart, units in ((large, "", "larger"), (small, "at most ", "smaller")):
        if wrong.any():
            first = int(np.argmax(wrong))
            raise DataError(
                f"{data.feature_names[first]} has values {apart}{spread[first]:g} apart: their "
                f"squares are outside the floating-point range.",
                where=data.name,
                remedy=f"Look for wrong values in it, or give it in {units} units.",
            )
