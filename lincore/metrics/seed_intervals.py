"""Means over seeds with their intervals, by Student's t."""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np
from scipy.special import stdtrit

from lincore.metrics.scores import LEVEL, Interval
from lincore.utils.typing import Array

# Of fewer seeds that all agree nothing follows at 95 %: by a sign test, 2 of 2⁵ outcomes are 6 %.
ENOUGH_TO_AGREE = 6
# Differences smaller than this share of the largest value are rounding.
ROUNDING = 1e-12


def grain_of(n_test: int, share: float = 1.0) -> float:
    """Return by how much one test row changes a share of the rows of some class, or of all.

    Parameters
    ----------
    n_test : int
        Test rows; zero where that is not known, and so is the grain.
    share : float, default 1
        Of the class among them.

    Examples
    --------
    >>> grain_of(20), grain_of(20, 0.25)
    (0.05, 0.2)
    """
    return 1 / max(n_test * share, 1.0) if n_test else 0.0


def less(values: Array, others: Array) -> Array:
    """Return values less others; NaN where both are infinite, as log losses can be.

    Examples
    --------
    >>> less(np.array([3.0, np.inf]), np.array([1.0, np.inf]))
    array([ 2., nan])
    """
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
    """Return the mean over seeds with its interval by Student's t.

    Parameters
    ----------
    values : ndarray of shape (S,)
        One number, or paired difference, for each seed.
    test_ratio : float
        Test rows for each training row where every seed draws a split of its own. The splits
        overlap, so the variance of the mean is ``s² (1 / S + test_ratio)`` and does not vanish
        with many seeds. Zero where one test part serves all seeds: the interval is then over
        the choice of the training rows alone.
    level : float, default 0.95
        How often the interval should hold the truth.
    grain : float, default 0
        By how much one test row changes a value, see `grain_of`. Losses are counted in whole rows,
        so that a few seeds often agree: their deviation of zero is no certainty. Of fewer than six
        that do, it is taken as if one of them had differed by one row. (Values without a grain
        agree only where they must.)
    variance : float, default 0
        Of the mean, where it is known from the rows, see `lincore.metrics.row_variance`; zero
        or NaN where it is to be estimated from the seeds as above. It is never taken to be less
        than that of a mean over independent seeds: few of them leave the choice of rows to chance.

    Returns
    -------
    Interval
        Without ends (NaN) for a single seed, and where a value is infinite or not known.

    References
    ----------
    Nadeau, Bengio (2003), "Inference for the generalization error", section 4.

    Examples
    --------
    >>> over_seeds(np.array([1.0, 2.0, 3.0]))
    Interval(value=2.0, low=-0.48..., high=4.48...)
    """
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
