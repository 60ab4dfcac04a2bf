"""Independent sampling units of a `Results`, and the limits of resampling.

The units are rows for scores on one test set and in leave-one-out, and folds otherwise. Differences
use folds whenever models were fitted more than once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lincore.data.row_weights import effective_number
from lincore.metrics.results import Results
from lincore.utils.typing import Array, Codes

T = TypeVar("T")

# The attribute of a `Results`, or a study, that holds what was computed from it.
_ANSWERS = "_answers"


class SamplingUnits(NamedTuple):
    """Sampling units of intervals and tests."""

    # Whether rows (or groups of rows) are the independent units, as on one test set and in
    # leave-one-out. Otherwise folds are the units.
    by_rows: bool
    units: Codes  # (m,); the independent unit of each prediction: its row, or the row's group
    n_units: int
    # Effective number of units: smaller if weights are unequal (Kish), see `effective_number`
    n_effective: float
    n_groups: float  # effective number of groups of rows, by their size; infinite if there are none
    folds: Codes  # (m,); the fold of each prediction, numbered consecutively over the repetitions
    n_folds: int  # J
    n_repetitions: int  # of the folds
    repeats: float  # mean number of predictions per row
    ratio: float  # ratio of test to training rows, averaged over the folds; 0 for one test set

    @property
    def independent_rows(self) -> bool:
        """True if rows are independent and equally weighted, as required by Wilson and Cochran."""
        return self.by_rows and self.n_units == len(self.units) == round(self.n_effective, 6)

    @property
    def degrees_of_groups(self) -> float:
        """Degrees of freedom of a mean over groups of rows; infinite without groups."""
        return max(self.n_groups - 1, 1.0)

    @property
    def one_fit(self) -> bool:
        """True if every method was fitted once, as required by Cochran."""
        return self.n_folds <= 1

    @property
    def one_row_folds(self) -> bool:
        """True for leave-one-out."""
        return self.n_folds > 1 and self.n_folds == len(self.folds)

    @property
    def degrees_of_folds(self) -> int:
        """Degrees of freedom of a mean over folds: the folds of one repetition, minus one."""
        # Repetitions with the same rows add little information, see Bouckaert and Frank (2004).
        # Repeated splits without folds count as one repetition.
        k = self.n_folds // self.n_repetitions
        return (k if k > 1 else self.n_folds) - 1

    @property
    def spread_of_difference(self) -> float:
        """Variance of a mean difference over folds, relative to one fold: 1/J + n_test/n_train."""
        # As Nadeau and Bengio published it. Conservative for disjoint folds (1 to 2 % false
        # positives at a level of 5 %), but without the correction there are too many, also in
        # leave-one-out.
        return self.ratio + 1 / self.n_folds


def per_results(function: Callable[..., T]) -> Callable[..., T]:
    """Keep what is computed from a `Results`, or a study, in that object, also when pickled."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def cached(results: Any, *arguments: Any) -> T:
        cache: dict[Any, T] = vars(results).setdefault(_ANSWERS, {})
        key = name, *arguments
        if key not in cache:
            cache[key] = function(results, *arguments)
        return cache[key]

    return cached


@per_results
def find_sampling_units(results: Results) -> SamplingUnits:
    """Determine independent units from folds, repetitions, rows and groups.

    Groups of rows that belong together are read from ``settings.row_groups``, of shape (m,).

    Raises
    ------
    ValueError
        If a row occurs twice in one test set.
    """
    m = len(results.rows)
    cells = results.repetition * (int(results.fold.max(initial=0)) + 1) + results.fold
    _, folds = np.unique(cells, return_inverse=True)
    sizes = np.bincount(folds)
    n_distinct = len(np.unique(results.rows))
    by_rows = len(sizes) <= 1 or (sizes.max() == 1 and n_distinct == m)
    if by_rows and n_distinct < m:
        raise ValueError("Rows of one test set must be unique, but some occur repeatedly.")
    groups = results.settings.row_groups
    units = np.unique(results.rows if groups is None else groups, return_inverse=True)[1]
    n_units, weight = int(units.max(initial=-1)) + 1, row_weights(results)
    return SamplingUnits(
        by_rows=by_rows,
        units=units,
        n_units=n_units,
        n_effective=float(n_units if weight is None else _effective_units(weight, units)),
        n_groups=_effective_groups(weight, units) if n_units < n_distinct else np.inf,
        folds=folds,
        n_folds=len(sizes),
        n_repetitions=len(np.unique(results.repetition)),
        repeats=m / max(n_distinct, 1),
        ratio=0.0 if len(sizes) <= 1 else _ratio(results, folds, sizes, n_distinct),
    )


@per_results
def row_weights(results: Results) -> Array | None:
    """Return the weight of each prediction (m,), with mean 1; None if all weights are equal."""
    weight = results.settings.row_weights
    if weight is None or not len(weight) or np.ptp(weight) == 0:
        return None
    return np.asarray(weight / weight.mean(), dtype=float)


def _effective_groups(weight: Array | None, units: Codes) -> float:
    """Return the effective number of groups of unequal total weight."""
    return effective_number(np.bincount(units, weight).astype(float))


def _effective_units(weight: Array, units: Codes) -> float:
    """Return the effective number of units, each of the mean weight of its predictions."""
    numbered = np.unique(units, return_inverse=True)[1]
    return effective_number(np.bincount(numbered, weight) / np.bincount(numbered))


def independent_counts(results: Results, codes: Codes, n_codes: int) -> Array:
    """Return the number of independent units per code, (n_codes,)."""
    # Groups if rows are grouped; otherwise rows, counted once however often they were predicted.
    # With unequal weights their effective number, see `effective_number`.
    base, weight = find_sampling_units(results), row_weights(results)
    if weight is not None:
        members = [codes == code for code in range(n_codes)]
        return np.array([_effective_units(weight[rows], base.units[rows]) for rows in members])
    if results.settings.row_groups is None:
        return np.bincount(codes, minlength=n_codes) / max(base.repeats, 1)
    pairs = np.unique(np.column_stack([codes, base.units]), axis=0)
    return np.bincount(pairs[:, 0], minlength=n_codes).astype(float)


def _ratio(results: Results, folds: Codes, sizes: NDArray[np.intp], n_distinct: int) -> float:
    assert results.n_train is not None
    n_train = np.bincount(folds, results.n_train) / sizes
    # If the number is unknown, all other rows of the experiment were used for training.
    n_train = np.where(n_train > 0, n_train, np.maximum(n_distinct - sizes, 1))
    return float(np.mean(sizes / n_train))
