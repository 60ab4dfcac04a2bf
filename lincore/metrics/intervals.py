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
#: With fewer rows of a class a score in which all classes count alike has no interval.
#: From four rows on most would still cover, if 0.4 wide; that of the AUC not (docs/coverage.md).
FEWEST_ROWS = 8
#: With fewer rows of a class one test set says nothing of the losses of its rows, and an interval
#: whose end is so many times the loss says nothing at all (docs/coverage.md).
FEWEST_ROWS_OF_LOSS, WIDEST_LOSS = 3, 10.0
Z = float(ndtri((1 + LEVEL) / 2))
#: Rows that are added where all classes count alike, half of them right: about Z². For the AUC
#: half as many, for ranks vary less than hits.
ADDED_ROWS = 4


class Interval(NamedTuple):
    """An estimate with the ends of its confidence interval, all in the unit of the estimate.

    Parameters
    ----------
    value, low, high : float
        NaN where nothing is known of them.
    """

    value: float
    low: float
    high: float

    def within(self, lowest: float, highest: float) -> Interval:
        """Return the interval cut to the possible values."""
        low, high = np.clip([self.low, self.high], lowest, highest)
        return Interval(self.value, float(low), float(high))


UNKNOWN = Interval(np.nan, np.nan, np.nan)


def wilson(successes: ArrayLike, n: ArrayLike, reach: float = Z) -> tuple[Array, Array, Array]:
    """Return shares with the ends of Wilson's intervals, for arrays of counts; NaN where n is 0.

    Only for rows that are independent. The counts may be fractions: effective numbers of rows.
    `reach` is the quantile of the deviation in its standard errors.
    """
    n = np.asarray(n, dtype=float)
    share = divide(np.asarray(successes, dtype=float), n)
    trials = np.where(n > 0, n, np.nan)
    shrunk = 1 + reach**2 / trials
    centre = (share + reach**2 / (2 * trials)) / shrunk
    half = reach / shrunk * np.sqrt(share * (1 - share) / trials + reach**2 / (4 * trials**2))
    low = np.where(share == 0, 0.0, centre - half)
    return share, low, np.where(share == 1, 1.0, centre + half)


class Spread(NamedTuple):
    """Variance of an estimate.

    Attributes
    ----------
    variance : float
        In squares of its unit.
    degrees : float
        Of freedom: how many rows of equal influence the variance leans on, less one; infinite
        where the normal quantile will do.
    """

    variance: float
    degrees: float = np.inf


def row_spread(influence: Array, found: SamplingUnits) -> Spread:
    """Return how much a score of all predictions together varies with the tested rows.

    Rows (groups, where they belong together) are what varies, however often each was predicted. Of
    the accuracy of one test set this is the variance that Wilson's interval has.
    """
    if found.n_units < 2:
        return Spread(np.nan)
    by_unit = np.bincount(found.units, influence, found.n_units) / len(influence)
    return Spread(float((by_unit**2).sum()), effective_degrees(by_unit))


def stratified_spread(
    influence: Array, found: SamplingUnits, truth: Codes, counts: Array
) -> Spread:
    """Return `row_spread`, or less where the test set holds the classes in the shares of all rows.

    In stratified test sets these shares vary only as much as those of all rows (and rows of each
    class by themselves, if there are a few).
    """
    m, rows = len(influence), row_spread(influence, found)
    tested = np.bincount(truth, minlength=len(counts)).astype(float)
    is_stratified = (np.abs(tested - counts * m / counts.sum()) < 1).all()
    few = tested[counts > 0].min(initial=m) < FEWEST_ROWS  # too few to vary within a class
    if not is_stratified or few or m >= counts.sum() or found.n_units < m:
        return rows
    sums = np.bincount(truth, influence, len(counts)).astype(float)
    means = np.nan_to_num(divide(sums, tested))
    inside = (influence - means[truth]) / m
    shares = float((tested / m * means**2).sum()) / counts.sum()
    return Spread(float((inside**2).sum()) + shares, rows.degrees)


class Enlarged(NamedTuple):
    """An estimate with rows added to every class, half of them predicted right.

    Attributes
    ----------
    value : float
    influence : ndarray of shape (m,)
        Of the rows that are there.
    variance : float
        What the added rows bring.
    """

    value: float
    influence: Array
    variance: float


def enlarged(
    value: float,
    influence: Array,
    truth: Codes,
    counts: Array,
    right: Array,
    wrong: Array,
    rows: float = ADDED_ROWS,
) -> Enlarged:
    """Return an estimate to which all classes count alike with a few rows added.

    A few rows of a class may all be predicted right, or all wrong, and then seem to vary not at
    all. So four rows are added in equal shares to the classes, half of them right: the interval
    of a linear function of shares by Price and Bonett, here by the influence of a row that is
    right or wrong.
    """
    half = rows / len(counts) / 2
    tested = np.bincount(truth, minlength=len(counts)).astype(float)
    before = np.bincount(truth, influence, len(counts)) / tested
    kept = counts / (counts + 2 * half)
    means = kept * before + (1 - kept) * (right + wrong) / 2
    shares = tested / len(truth)
    apart = half * ((right - means) ** 2 + (wrong - means) ** 2)
    return Enlarged(
        value + float(shares @ (means - before)),
        means[truth] + kept[truth] * (influence - means[truth]),
        float(((shares / (counts + 2 * half)) ** 2) @ apart),
    )


def area_pull(counts: Array) -> Array:
    """Return by how much a row of each class moves the AUC by all that it can be ranked, (K,).

    Of the area of its class a row is one of few, of the others' one of the rest.
    """
    shares = counts / counts.sum()
    return np.asarray((1 / shares + (1 / (1 - shares)).sum() - 1 / (1 - shares)) / len(counts))


def from_spread(value: float, spread: Spread, lowest: float, highest: float) -> Interval:
    """Return the interval of an estimate that varies so much and lies between two ends.

    Between two finite ends it is Wilson's interval for the effective number of rows, that whose
    share would vary as much; above one end (losses) it is that of the logarithm, exponentiated;
    else of the value itself. Quantiles are Student's, with the degrees of freedom of the spread.
    """
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
    """Return the interval about the value of an enlarged estimate that holds the estimate too."""
    half = float(stats.t.ppf((1 + LEVEL) / 2, spread.degrees) * np.sqrt(spread.variance))
    return Interval(value, min(centre - half, value), max(centre + half, value))


def effective_degrees(by_unit: Array) -> float:
    """Return how many units of equal influence would say as much about a variance, less one."""
    squares = (by_unit / magnitude(by_unit)) ** 2
    fourth = float((squares**2).sum())
    return max(float(squares.sum()) ** 2 / fourth - 1, 1.0) if fourth > 0 else np.inf


def magnitude(values: Array) -> float:
    """Return the largest absolute value, by which to divide before powers; 1 where all are 0."""
    return float(np.abs(values).max(initial=0)) or 1.0
