"""Refusal of features whose squares overflow floating point."""

from __future__ import annotations

import numpy as np

from lincore.data.dataset import Dataset
from lincore.errors import DataError

# The sum of the squares stays below 1.8e308; the variance, and one over it, within the range of
# numbers.
LARGEST_NORM = 1e153
SMALLEST_RANGE = 1e-152


def require_squares(data: Dataset) -> None:
    """Refuse features that vary too much, or too little, for their squares to be numbers.

    One that does not vary at all is let pass. Estimators that sum rows themselves refuse them
    too; where sums are merged they would go by as features that do not vary.
    """
    # No square of the other types of number overflows.
    if data.kind.is_sparse or data.X.dtype != np.float64 or not data.n_rows:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        # Missing values are NaN, which these pass over.
        spread = np.fmax.reduce(data.X, axis=0) - np.fmin.reduce(data.X, axis=0)
        large = spread * np.sqrt(data.n_rows) > LARGEST_NORM
    small = (spread > 0) & (spread < SMALLEST_RANGE)
    for wrong, apart, units in ((large, "", "larger"), (small, "at most ", "smaller")):
        if wrong.any():
            first = int(np.argmax(wrong))
            raise DataError(
                f"{data.feature_names[first]} has values {apart}{spread[first]:g} apart: their "
                "squares are no numbers any more.",
                where=data.name,
                remedy=f"Look for wrong values in it, or give it in {units} units.",
            )
