"""Expected scores and decisions under the class priors and error costs of deployment."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.imbalance.study import BalanceStudy
from lincore.imbalance.trials import source_of
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.estimates import has_posteriors
from lincore.metrics.intervals import (
    FEWEST_ROWS_OF_LOSS,
    UNKNOWN,
    WIDEST_LOSS,
    Interval,
    Spread,
    enlarged,
    from_enlarged,
    from_spread,
    row_spread,
)
from lincore.metrics.priors import adjust_priors, decide
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, independent_counts, row_weights
from lincore.utils.typing import Array, Codes


def condition_priors(study: BalanceStudy, condition: str) -> Array:
    """Return the priors implied by the posteriors of each method in a condition, shape (M, K).

    Equal for methods that do not learn priors from the rows.

    Parameters
    ----------
    condition : str
        Name of a condition of the study, such as "full" or "reduced".

    Returns
    -------
    ndarray of shape (M, K)
        One row per method.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=1)
    >>> np.round(condition_priors(study, "reduced"), 2)
    array([[0.64, 0.32, 0.03]])
    """
    learned = study.shares(source_of(condition)[1])
    equal = np.full(len(study.classes), 1 / len(study.classes))
    shifts = study.example.shifts
    return np.stack([equal if shifts[m, condition] is None else learned for m in study.methods])


def error_in_deployment(results: Results, method: str, priors: ArrayLike) -> Interval:
    """Return the expected error under given class priors, see `cost_in_deployment`.

    Parameters
    ----------
    results : Results
        Results on one test set.
    priors : array-like of shape (K,)
        Classes without test rows are left out, and the other priors are rescaled.

    Returns
    -------
    Interval
        Mean of the class errors weighted by the priors.

    Examples
    --------
    >>> r = Results(("lda",), np.array(["a", "b"]), np.arange(4), np.array([0, 0, 1, 1]),
    ...             np.array([[0, 0, 1, 0]]), np.full((1, 4, 2), np.log(0.5)), np.zeros(1))
    >>> error_in_deployment(r, "lda", [0.9, 0.1]).value  # half of the rare class
    0.05
    """
    return cost_in_deployment(results, method, priors, 1 - np.eye(len(results.classes)))


def log_loss_in_deployment(results: Results, method: str, priors: ArrayLike) -> Interval:
    """Return the expected log loss, in nats, under given class priors.

    The interval is that of `lincore.metrics.score`, for given class shares.

    Parameters
    ----------
    method : str
        One of ``results.methods``.
    priors : array-like of shape (K,)
        Priors in deployment: nonnegative, with sum 1.
    """
    if not has_posteriors(results, method):
        return UNKNOWN
    own = results.log_proba[results.position(method)]
    found = _Stratified.of(results, log_losses(own, results.truth), priors)
    if not (found.counts[found.priors != 0] >= FEWEST_ROWS_OF_LOSS).all():
        return Interval(found.value, np.nan, np.nan)
    # Deviations from the mean of a few rows are too small.
    larger = np.sqrt(found.counts / np.maximum(found.counts - 1, 1.0))
    influence = found.influence * larger[found.codes]
    inner = from_spread(found.value, row_spread(influence, find_sampling_units(results)), 0, np.inf)
    is_wide = inner.high > WIDEST_LOSS * found.value
    return Interval(found.value, np.nan, np.nan) if is_wide else inner


def cost_in_deployment(
    results: Results, method: str, priors: ArrayLike, costs: ArrayLike
) -> Interval:
    """Return the expected cost per row under given class priors.

    The 95 % interval is that of `lincore.metrics.expected_cost`, for given class shares: rows are
    added to each class, half of them correct.

    Parameters
    ----------
    priors : array-like of shape (K,)
    costs : array-like of shape (K, K)
        Cost of predicting a row of one class (first axis) as another (second axis), in any unit.
    """
    table, n_classes = np.asarray(costs, dtype=float), len(results.classes)
    paid = table[results.truth, results.predicted[results.position(method)]]
    found = _Stratified.of(results, paid, priors)
    if np.isnan(found.value):
        return UNKNOWN
    errors = table[~np.eye(n_classes, dtype=bool)].reshape(n_classes, n_classes - 1).mean(axis=1)
    right, wrong = (found.effect(each) for each in (table.diagonal(), errors))
    padded = enlarged(found.value, found.influence, found.codes, found.counts, right, wrong)
    means = np.bincount(found.codes, padded.influence) / np.bincount(found.codes)
    base = find_sampling_units(results)
    variance = row_spread(padded.influence - means[found.codes], base).variance + padded.variance
    inner = from_enlarged(found.value, padded.value, Spread(variance, base.degrees_of_groups))
    return inner.within(float(table.min()), float(table.max()))


def minimum_cost_decisions(results: Results, costs: ArrayLike) -> Results:
    """Return results in which every row is predicted with minimum expected cost.

    Methods without posteriors keep their predictions.

    Parameters
    ----------
    costs : array-like of shape (K, K)
        Cost, in any unit, of predicting the column's class for a row of the row's class.
    """
    predicted = results.predicted.copy()
    for i, method in enumerate(results.methods):
        if has_posteriors(results, method):
            predicted[i] = decide(results.log_proba[i], costs)
    return replace(results, predicted=predicted)


def log_prior_shift(old: ArrayLike, new: ArrayLike) -> Array:
    """Return the shift of log posteriors that changes their priors from `old` to `new`.

    Parameters
    ----------
    old, new : array-like of shape (K,)
        Priors with sum 1.

    Returns
    -------
    ndarray of shape (K,)
        ``log(new / old)``, -inf if either is 0; normalise the sums afterwards.

    Examples
    --------
    >>> np.round(log_prior_shift([0.9, 0.1], [0.5, 0.5]), 2)
    array([-0.59,  1.61])
    """
    before, after = np.asarray(old, dtype=float), np.asarray(new, dtype=float)
    is_possible = (before > 0) & (after > 0)
    log_after, log_before = (np.log(np.where(is_possible, p, 1.0)) for p in (after, before))
    return np.where(is_possible, log_after - log_before, -np.inf)


def priors_with_share(priors: ArrayLike, code: int, share: float) -> Array:
    """Return priors with a given share of one class and the others in proportion.

    Parameters
    ----------
    priors : array-like of shape (K,)
        Priors with sum 1.
    code : int
        Code of the class whose share is given.
    share : float
        Between 0 and 1.

    Returns
    -------
    ndarray of shape (K,)
        New priors with sum 1; the ratios of the other classes are unchanged.

    Examples
    --------
    >>> priors_with_share([0.5, 0.3, 0.2], 2, 0.6)
    array([0.25, 0.15, 0.6 ])
    """
    old = np.asarray(priors, dtype=float)
    rest = np.where(np.arange(len(old)) == code, 0.0, old)
    if not rest.any():
        rest = np.where(np.arange(len(old)) == code, 0.0, 1.0)
    new = rest * ((1 - share) / rest.sum())
    new[code] = share
    return np.asarray(new)


def error_by_share(
    results: Results, old: ArrayLike, code: int, shares: ArrayLike, *, corrected: bool
) -> Array:
    """Return the error of each method at every share of a class in deployment, (M, S, 3).

    The last axis holds value, low and high.

    Parameters
    ----------
    old : array-like of shape (M, K)
        Priors implied by the posteriors.
    code : int
        Code of the class whose share varies.
    shares : array-like of shape (S,)
    corrected : bool
        Whether the model uses the share as its prior or keeps its learned priors.

    Returns
    -------
    ndarray of shape (M, S, 3)
        Expected share of misclassified rows, between 0 and 1, with its interval.
    """
    learned = np.atleast_2d(np.asarray(old, dtype=float))
    columns = []
    for share in np.asarray(shares, dtype=float):
        new = priors_with_share(learned[0], code, float(share))
        adjusted = adjust_priors(results, learned, new) if corrected else results
        columns.append([error_in_deployment(adjusted, name, new) for name in results.methods])
    return np.swapaxes(np.array(columns), 0, 1)


class _Stratified(NamedTuple):
    """A mean of values (m,) by class, weighted by priors; K classes have test rows."""

    value: float
    codes: Codes  # (m,); positions among the K classes
    present: Codes  # (K,); codes of the classes
    priors: Array  # (K,); with sum 1
    means: Array  # (K,)
    counts: Array  # (K,); independent rows
    influence: Array  # (m,); with sum 0 in each class

    @classmethod
    def of(cls, results: Results, values: Array, priors: ArrayLike) -> _Stratified:
        present, codes = np.unique(results.truth, return_inverse=True)
        own = row_weights(results)
        own = np.ones(len(values)) if own is None else own
        total = np.bincount(codes, own)
        means = np.bincount(codes, values * own) / np.where(total > 0, total, np.nan)
        weight = np.asarray(priors, dtype=float)[present]
        weight = weight / weight.sum() if weight.sum() > 0 else np.full(len(weight), np.nan)
        factor = (len(values) * weight / total)[codes] * own
        return cls(
            float(weight @ means),
            codes,
            present,
            weight,
            means,
            independent_counts(results, codes, len(present)),
            factor * (values - means[codes]),
        )

    def effect(self, values: Array) -> Array:
        """Return the influence of a row with a given value in each of all classes, (K,)."""
        share = np.bincount(self.codes) / len(self.codes)
        return np.asarray(self.priors / share * (values[self.present] - self.means))
