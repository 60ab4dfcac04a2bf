"""The difference of a score between two methods, with its interval and matching p-value.

Rows are added to discordant cells, as by Bonett and Price for a difference of two proportions: that
two methods never differ on a few rows, or always in one direction, proves nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from lincore.data.row_weights import effective_number
from lincore.metrics.confusion_scores import MEASURES, enlarged_cells
from lincore.metrics.estimates import SCORES, Estimate, confusion_matrix, estimate, weighted
from lincore.metrics.intervals import (
    UNKNOWN,
    Enlarged,
    Interval,
    Spread,
    area_pull,
    effective_degrees,
    enlarged,
    from_enlarged,
)
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.metrics.scores import has_untested_zeros, softened_influence, training_part
from lincore.utils.typing import Array, Codes

#: Discordant cells of a class, each of which gets a row: only the first correct, or the second.
DISCORDANT_CELLS = 2
#: Rows added for an AUC, divided equally among the classes: a row that one method ranks above and
#: the other below all others has ten times the influence of an ordinary one (docs/coverage.md).
ADDED_TO_AREA = 0.4
#: A difference this small is rounding.
ROUNDING = 1e-12

ROWS, FOLDS = "Bonett-Price", "corrected resampled t"
GROUPS, MEANS, AREAS = "cluster-robust t", "paired t", "DeLong"
SIGNS = "permutation within rows, too few for an interval"
ZEROS = "none: too few rows show what posteriors of 0 cost"


class PairedDifference(NamedTuple):
    """A difference between two methods."""

    interval: Interval  # first minus second, with its 95 % interval
    p: float  # two-sided, below 0.05 exactly if the interval excludes 0
    test: str  # name of the test


@per_results
def paired_difference(results: Results, first: str, second: str, name: str) -> PairedDifference:
    """Compare two methods by a score on the same rows."""
    # - One test set: the variance is that of the rows, by influence values, with a row added to
    # each discordant cell of each class for scores of predictions (for the accuracy, to those of
    # all rows). The central estimate is shrunk by as many rows as one class would get, divided
    # equally among the classes: shrinking by all of them would miss differences with many small
    # classes. With one class this is the interval of Bonett and Price.
    # - Rows in groups: group sums replace rows, with Student's quantile.
    # - Folds: the corrected resampled t, with at least the variance of the rows and of the training
    # rows: a jackknife over the models of the folds, as for `lincore.metrics.score`. Otherwise a
    # row that spoils one method in all folds except its own would not be noticed.
    estimates = estimate(results, first, name), estimate(results, second, name)
    value = estimates[0].value - estimates[1].value
    if np.isnan(value):
        return PairedDifference(UNKNOWN, np.nan, "none: a method has no such score")
    influence = estimates[0].influence - estimates[1].influence
    untested = any(has_untested_zeros(results, method, name) for method in (first, second))
    if untested and np.abs(influence).max() > ROUNDING:
        return PairedDifference(Interval(value, np.nan, np.nan), np.nan, ZEROS)
    base = find_sampling_units(results)
    padded = Enlarged(value, influence, 0.0)
    if name in MEASURES:
        padded = _enlarged_by_cells(results, (first, second), name, value, influence)
    elif name == "AUC":
        padded = _enlarged_by_ranks(results, value, influence)
    grouped = results.settings.row_groups is not None
    is_single_group = grouped and base.n_units < 2
    spread = Spread(0.0) if is_single_group else _row_spread(results, padded, name)
    test = GROUPS if grouped else ROWS if name in MEASURES else AREAS if name == "AUC" else MEANS
    centre = padded.value
    if not base.one_fit and not is_single_group:
        known = spread.variance + _training_variance(results, (first, second), name)
        variance = max(_fold_variance(results, influence), known)
        spread, centre, test = Spread(variance, base.degrees_of_folds), value, FOLDS
    if spread.variance <= (ROUNDING * max(abs(value), 1.0)) ** 2:
        return _without_spread(value, influence, base.n_units)
    widest = SCORES[name].highest - SCORES[name].lowest
    interval = from_enlarged(value, centre, spread).within(-widest, widest)
    # An interval that was extended to the estimate may include 0.
    statistic = abs(centre) / np.sqrt(spread.variance) if value * centre > 0 else 0.0
    return PairedDifference(interval, float(2 * stats.t.sf(statistic, spread.degrees)), test)


def _without_spread(value: float, influence: Array, n_units: int) -> PairedDifference:
    """Return the result for a constant difference on all rows, or for a single group."""
    # The variance is unknown, but of all exchanges of the methods within rows (groups) only one in
    # 2ⁿ⁻¹ gives a difference as large.
    is_zero = abs(value) < ROUNDING
    if is_zero and np.abs(influence).max() < ROUNDING:
        return PairedDifference(Interval(value, value, value), 1.0, "none: identical on every row")
    p = 1.0 if is_zero else 2.0 ** (1 - n_units)
    return PairedDifference(Interval(value, np.nan, np.nan), p, SIGNS)


def _row_spread(results: Results, padded: Enlarged, name: str) -> Spread:
    """Return the variance over rows, each counted once, or over groups."""
    base = find_sampling_units(results)
    by_unit = np.bincount(base.units, padded.influence, base.n_units) / len(padded.influence)
    variance = float((by_unit**2).sum())
    degrees = np.inf if name in MEASURES else effective_degrees(by_unit)
    if results.settings.row_groups is None:
        return Spread(variance + padded.variance, np.inf if name == "AUC" else degrees)
    # Groups of unequal size: their effective number (Kish).
    sizes = np.bincount(base.units, row_weights(results), base.n_units).astype(float)
    n_groups = effective_number(sizes)
    # The kurtosis of a few sums is mostly chance: it removes at most half of the degrees of
    # freedom.
    degrees = min(max(degrees, (n_groups - 1) / 2), n_groups - 1)
    return Spread(variance * n_groups / (n_groups - 1) + padded.variance, degrees)


def _fold_variance(results: Results, influence: Array) -> float:
    """Return Nadeau and Bengio's variance of a mean over folds."""
    # A fold's deviation is the mean influence of its rows: for the accuracy exactly that of its own
    # accuracy, and defined even if the fold lacks a class. Folds of unequal size enter as in a
    # ratio estimator: by their sums over the mean size.
    base = find_sampling_units(results)
    sums = np.bincount(base.folds, influence, base.n_folds)
    deviations = sums / (len(influence) / base.n_folds)
    return float(deviations @ deviations) * base.spread_of_difference / (base.n_folds - 1)


def _training_variance(results: Results, pair: tuple[str, str], name: str) -> float:
    """Return the contribution of the training rows to the variance of the difference."""
    common = results.common
    if common is None:
        return 0.0
    if name in MEASURES:
        no_rows = np.zeros(len(results.classes))
        tables = [confusion_matrix(results, method).astype(float) for method in pair]
        cells = [np.nan_to_num(enlarged_cells(name, table, no_rows).by_cell) for table in tables]
        tested, on_common = (
            np.subtract(*(softened_influence(r, m, c) for m, c in zip(pair, cells, strict=True)))
            for r in (results, common)
        )
        return training_part(results, tested, Estimate(np.nan, on_common))
    tested, on_common = (
        np.subtract(*(estimate(r, method, name).influence for method in pair))
        for r in (results, common)
    )
    by_row = estimate(common, pair[0], name).by_row
    return training_part(results, tested, Estimate(np.nan, on_common, by_row))


def _enlarged_by_cells(
    results: Results, pair: tuple[str, str], name: str, value: float, influence: Array
) -> Enlarged:
    """Return the difference with a row added to each discordant cell of each class."""
    one_class = name == "accuracy"
    codes = np.zeros_like(results.truth) if one_class else results.truth
    counts = _effective_rows(results, codes, influence)
    present = np.flatnonzero(counts)
    share = np.zeros(len(results.classes))
    share[slice(None) if one_class else present] = DISCORDANT_CELLS / counts[present]
    first, second = (
        enlarged_cells(name, confusion_matrix(results, m).astype(float), share) for m in pair
    )
    predicted = [results.predicted[results.position(method)] for method in pair]
    by_row = (
        first.by_cell[results.truth, predicted[0]] - second.by_cell[results.truth, predicted[1]]
    )
    only_first, only_second = first.right - second.wrong, first.wrong - second.right

    def add_rows(rows: float) -> Enlarged:
        return enlarged(
            value, weighted(by_row, row_weights(results)), np.searchsorted(present, codes),
            counts[present], only_first[present], only_second[present], rows,
        )  # fmt: skip

    return add_rows(DISCORDANT_CELLS * len(present))._replace(
        value=add_rows(DISCORDANT_CELLS).value
    )


def _enlarged_by_ranks(results: Results, value: float, influence: Array) -> Enlarged:
    """Return the difference of areas with added rows, ranked first by one method only."""
    counts = _effective_rows(results, results.truth, influence)
    present = np.flatnonzero(counts)
    pull = area_pull(counts[present])
    return enlarged(
        value, influence, np.searchsorted(present, results.truth), counts[present],
        pull * (1 - value), -pull * (1 + value), ADDED_TO_AREA,
    )  # fmt: skip


def _effective_rows(results: Results, codes: Codes, influence: Array) -> Array:
    """Return the effective number of independent rows of each code, (n_codes,)."""
    # Correlated rows of a group count less, by the design effect, but never less than the number of
    # groups. If no row differs, it is the number of groups.
    base, weight = find_sampling_units(results), row_weights(results)
    numbers, index, row = np.unique(results.rows, return_index=True, return_inverse=True)
    n_codes = int(codes.max()) + 1
    row_codes = codes[index]
    counts: NDArray[np.float64] = np.bincount(row_codes, minlength=n_codes).astype(float)
    if weight is not None:
        counts = np.array([effective_number(weight[index[row_codes == c]]) for c in range(n_codes)])
    if results.settings.row_groups is None:
        return counts
    pairs = np.unique(np.column_stack([codes, base.units]), axis=0)
    n_groups = np.bincount(pairs[:, 0], minlength=n_codes).astype(float)
    by_row = np.bincount(row, influence, len(numbers))
    by_group = np.bincount(base.units, influence, base.n_units)
    if not by_row.any():
        return n_groups
    design_effect = max(float(by_group @ by_group) / float(by_row @ by_row), 1.0)
    return np.maximum(counts / design_effect, n_groups)
