"""Means over seeds with intervals, by Student's t."""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np
from scipy.special import stdtrit

from lincore.metrics.scores import LEVEL, Interval
from lincore.utils.typing import Array

# With fewer seeds that all agree, nothing is significant at 95 %: by a sign test, 2 of 2⁵ outcomes
# are 6 %.
ENOUGH_TO_AGREE = 6
# Differences below this share of the largest value are rounding.
ROUNDING = 1e-12


def grain_of(n_test: int, share: float = 1.0) -> float:
    """Return the effect of one test row on a share of the rows of some class, or of all."""
    return 1 / max(n_test * share, 1.0) if n_test else 0.0


def less(values: Array, others: Array) -> Array:
    """Return differences; NaN if both are infinite, as log losses can be."""
    with np.errstate(invalid="ignore"):
        return np.asarray(values - others)


def over_seeds(
    values: Array,
    test_ratio: float = 0.0,
    level: float = LEVEL,
    *,
    grain: float = 0.0,
    variance: float = 0.0,
) -> Interval:
    """Return the mean over seeds with its Student t interval."""
    n = len(values)
    with np.errstate(invalid="ignore"):
        mean = float(values.mean())
    if n < 2 or not isfinite(mean):
        return Interval(mean, np.nan, np.nan)
    deviations = values - mean
    deviation = sqrt(float(deviations @ deviations) / (n - 1))
    if variance > 0:
        error = sqrt(max(variance, deviation**2 / n))
    else:
        if n < ENOUGH_TO_AGREE and deviation <= ROUNDING * float(np.abs(values).max()):
            deviation = grain / sqrt(n)
        error = deviation * sqrt(1 / n + test_ratio)
    # Without scipy.stats around it: pages read hundreds of intervals each time they are drawn.
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    return Interval(mean, mean - half, mean + half)
