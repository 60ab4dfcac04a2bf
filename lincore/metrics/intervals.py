"""95 % confidence intervals of scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtri

from lincore.metrics.confusion_scores import divide
from lincore.metrics.sampling_units import SamplingUnits
from lincore.utils.typing import Array, Codes

LEVEL = 0.95
#: With fewer rows of a class a score in which all classes count equally has no interval. With four
#: or more rows the coverage of most would still be right, but not that of the AUC, and they would
#: be 0.4 wide (docs/coverage.md).
FEWEST_ROWS = 8
#: With fewer rows of a class one test set is uninformative about the losses of its rows, and so is
#: an interval that reaches beyond this multiple of the loss (docs/coverage.md).
FEWEST_ROWS_OF_LOSS, WIDEST_LOSS = 3, 10.0
Z = float(ndtri((1 + LEVEL) / 2))
#: Rows that are added if all classes count equally, half of them correct: about Z². For the AUC
#: half as many, because ranks vary less than hits.
ADDED_ROWS = 4


class Interval(NamedTuple):
    """An estimate with its confidence interval, in the unit of the estimate.

    Parameters
    ----------
    value, low, high : float
        NaN if unknown.
    """

    value: float
    low: float
    high: float

    def within(self, lowest: float, highest: float) -> Interval:
        """Return the interval clipped to the possible values."""
        low, high = np.clip([self.low, self.high], lowest, highest)
        return Interval(self.value, float(low), float(high))


UNKNOWN = Interval(np.nan, np.nan, np.nan)


def wilson(successes: ArrayLike, n: ArrayLike, reach: float = Z) -> tuple[Array, Array, Array]:
    """Return shares with Wilson intervals, for arrays of counts; NaN if n is 0."""
    # Only for independent rows. The counts may be fractional, as effective numbers of rows. `reach`
    # is the quantile of the standardised deviation.
    n = np.asarray(n, dtype=float)
    share = divide(np.asarray(successes, dtype=float), n)
    trials = np.where(n > 0, n, np.nan)
    shrunk = 1 + reach**2 / trials
    centre = (share + reach**2 / (2 * trials)) / shrunk
    half = reach / shrunk * np.sqrt(share * (1 - share) / trials + reach**2 / (4 * trials**2))
    low = np.where(share == 0, 0.0, centre - half)
    return share, low, np.where(share == 1, 1.0, centre + half)


class Spread(NamedTuple):
    """Variance of an estimate."""

    variance: float  # in squares of its unit
    # Degrees of freedom: the effective number of rows behind the variance, minus one; infinite for
    # the normal quantile
    degrees: float = np.inf


def wilson_rows(half: float, share: float) -> float:
    """Return the number of rows with which the interval of a share has a half-width."""
    # The formula of `wilson`, solved for one over the number of rows.
    square, variance = half**2, share * (1 - share)
    a, b = Z**4 * (square - 0.25), Z**2 * (2 * square - variance)
    return float(2 * a / (-b - np.sqrt(b**2 - 4 * a * square)))


def row_spread(influence: Array, base: SamplingUnits) -> Spread:
    """Return the variance of a pooled score due to the tested rows."""
    # Rows (or groups) are the units, however often each was predicted. For the accuracy of one test
    # set this is the variance of Wilson's interval.
    if base.n_units < 2:
        return Spread(np.nan)
    by_unit = np.bincount(base.units, influence, base.n_units) / len(influence)
    variance, degrees = float((by_unit**2).sum()), effective_degrees(by_unit)
    most = base.degrees_of_groups
    if not np.isfinite(most):
        return Spread(variance, degrees)
    # The kurtosis of a few sums is mostly chance: it removes at most half of the degrees of
    # freedom.
    return Spread(variance * (most + 1) / most, min(max(degrees, most / 2), most))


def stratified_spread(influence: Array, base: SamplingUnits, truth: Codes, counts: Array) -> Spread:
    """Return `row_spread`, or less for a stratified test set."""
    # In stratified test sets class shares vary only as much as those of all rows (and rows within
    # each class, if there are a few).
    m, rows = len(influence), row_spread(influence, base)
    tested = np.bincount(truth, minlength=len(counts)).astype(float)
    is_stratified = (np.abs(tested - counts * m / counts.sum()) < 1).all()
    has_few_rows = tested[counts > 0].min(initial=m) < FEWEST_ROWS  # too few to vary within a class
    if not is_stratified or has_few_rows or m >= counts.sum() or base.n_units < m:
        return rows
    sums = np.bincount(truth, influence, len(counts)).astype(float)
    means = np.nan_to_num(divide(sums, tested))
    within = (influence - means[truth]) / m
    shares = float((tested / m * means**2).sum()) / counts.sum()
    return Spread(float((within**2).sum()) + shares, rows.degrees)


class Enlarged(NamedTuple):
    """An estimate with rows added to every class, half of them correct."""

    value: float
    influence: Array  # (m,); influence of the actual rows
    variance: float  # contribution of the added rows


def enlarged(
    value: float,
    influence: Array,
    truth: Codes,
    counts: Array,
    right: Array,
    wrong: Array,
    rows: float = ADDED_ROWS,
) -> Enlarged:
    """Return an estimate in which all classes count equally, with a few added rows."""
    # If all of a few rows of a class are correct, or all misclassified, their variance appears to
    # be zero. Therefore four rows, half of them correct, are divided equally among the classes: the
    # interval of Price and Bonett for a linear function of proportions, here by the influence of a
    # correct or misclassified row.
    half = rows / len(counts) / 2
    tested = np.bincount(truth, minlength=len(counts)).astype(float)
    own_means = np.bincount(truth, influence, len(counts)) / tested
    own_share = counts / (counts + 2 * half)
    means = own_share * own_means + (1 - own_share) * (right + wrong) / 2
    shares = tested / len(truth)
    squares = half * ((right - means) ** 2 + (wrong - means) ** 2)
    return Enlarged(
        value + float(shares @ (means - own_means)),
        means[truth] + own_share[truth] * (influence - means[truth]),
        float(((shares / (counts + 2 * half)) ** 2) @ squares),
    )


def area_pull(counts: Array) -> Array:
    """Return the maximum effect of the rank of a row of each class on the AUC, (K,)."""
    # A row is a positive in the AUC of its own class, and one of the others in all other AUCs.
    shares = counts / counts.sum()
    return np.asarray((1 / shares + (1 / (1 - shares)).sum() - 1 / (1 - shares)) / len(counts))


def from_spread(value: float, spread: Spread, lowest: float, highest: float) -> Interval:
    """Return the interval of an estimate with a given variance and bounds."""
    # With two finite bounds it is Wilson's interval for the effective number of rows, whose
    # proportion would have the same variance; with one bound (losses) it is computed on the log
    # scale; otherwise on the value itself. Quantiles are Student's, with the degrees of freedom of
    # the spread.
    variance, degrees = spread
    if not np.isfinite(value) or variance == 0:
        return Interval(value, value, value)
    if np.isnan(variance):
        return Interval(value, np.nan, np.nan)
    reach, deviation = float(stats.t.ppf((1 + LEVEL) / 2, degrees)), float(np.sqrt(variance))
    width = highest - lowest
    if np.isfinite(width) and lowest < value < highest:
        share = (value - lowest) / width
        n_rows = share * (1 - share) * width**2 / variance
        _, low, high = wilson(share * n_rows, n_rows, reach)
        return Interval(value, lowest + width * float(low), lowest + width * float(high))
    if np.isfinite(lowest) and value > lowest:
        factor = float(np.exp(min(reach * deviation / (value - lowest), 700.0)))
        return Interval(
            value, lowest + (value - lowest) / factor, lowest + (value - lowest) * factor
        )
    return Interval(value, value - reach * deviation, value + reach * deviation)


def from_enlarged(value: float, centre: float, spread: Spread) -> Interval:
    """Return the interval around an enlarged estimate, extended to the original estimate."""
    half = float(stats.t.ppf((1 + LEVEL) / 2, spread.degrees) * np.sqrt(spread.variance))
    return Interval(value, min(centre - half, value), max(centre + half, value))


def effective_degrees(by_unit: Array) -> float:
    """Return the effective degrees of freedom of a variance, given influence values."""
    squares = (by_unit / magnitude(by_unit)) ** 2
    fourth = float((squares**2).sum())
    return max(float(squares.sum()) ** 2 / fourth - 1, 1.0) if fourth > 0 else np.inf


def magnitude(values: Array) -> float:
    """Return the largest absolute value, for scaling before powers; 1 if all are 0."""
    return float(np.abs(values).max(initial=0)) or 1.0
