"""Expected scores and decisions under the class priors and error costs of deployment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from lincore.data.row_weights import effective_number
from lincore.imbalance.study import BalanceStudy
from lincore.imbalance.trials import source_of
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.estimates import has_posteriors
from lincore.metrics.intervals import LEVEL, UNKNOWN, Interval
from lincore.metrics.priors import adjust_priors, decide
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import row_weights
from lincore.utils.typing import Array


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
    """Return the expected error under given class priors.

    Parameters
    ----------
    results : Results
        Results on one test set.
    priors : array-like of shape (K,)
        Classes without test rows are left out, and the other priors are rescaled.

    Returns
    -------
    Interval
        Mean of the class errors weighted by the priors, with a 95 % normal interval. To estimate
        its variance, one correct and one misclassified row are added to each class.

    Examples
    --------
    >>> r = Results(("lda",), np.array(["a", "b"]), np.arange(4), np.array([0, 0, 1, 1]),
    ...             np.array([[0, 0, 1, 0]]), np.full((1, 4, 2), np.log(0.5)), np.zeros(1))
    >>> error_in_deployment(r, "lda", [0.9, 0.1]).value  # half of the rare class
    0.05
    """
    wrong = results.predicted[results.position(method)] != results.truth
    return _expected(results, wrong.astype(float), priors, is_share=True)


def log_loss_in_deployment(results: Results, method: str, priors: ArrayLike) -> Interval:
    """Return the expected log loss, in nats, under given class priors.

    See `error_in_deployment`.

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
    return _expected(results, log_losses(own, results.truth), priors)


def cost_in_deployment(
    results: Results, method: str, priors: ArrayLike, costs: ArrayLike
) -> Interval:
    """Return the expected cost per row under given class priors.

    Parameters
    ----------
    priors : array-like of shape (K,)
    costs : array-like of shape (K, K)
        Cost of predicting a row of one class (first axis) as another (second axis), in any unit.
    """
    table = np.asarray(costs, dtype=float)
    paid = table[results.truth, results.predicted[results.position(method)]]
    return _expected(results, paid, priors)


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


def _expected(
    results: Results,
    values: Array,
    priors: ArrayLike,
    *,
    is_share: bool = False,
) -> Interval:
    """Return the mean of values (m,) by class, weighted by the priors."""
    # With sampling weights, means are weighted and their variance is that of Kish's effective
    # number of rows.
    n_classes, own = len(results.classes), row_weights(results)
    own = np.ones(len(values)) if own is None else own
    total = np.bincount(results.truth, own, n_classes)
    count = np.array([effective_number(own[results.truth == k]) for k in range(n_classes)])
    weight = np.where(count > 0, np.asarray(priors, dtype=float), 0.0)
    if not weight.sum() > 0:
        return UNKNOWN
    weight = weight / weight.sum()
    n = np.maximum(count, 1)
    mean = np.bincount(results.truth, values * own, n_classes) / np.where(count > 0, total, 1.0)
    if is_share:
        adjusted = (mean * n + 1) / (n + 2)
        variance = adjusted * (1 - adjusted)
    else:
        deviations = values - mean[results.truth]
        # Variance of a weighted mean by linearisation, times the number that divides it below.
        spread = np.bincount(results.truth, (own * deviations) ** 2, n_classes)
        spread *= np.divide(n, total, out=np.zeros(n_classes), where=total > 0) ** 2
        variance = spread / np.maximum(count - 1, 1)
    margin = stats.norm.ppf(0.5 + LEVEL / 2) * np.sqrt((weight**2 * variance / n).sum())
    value = float(weight @ mean)
    low, high = value - float(margin), value + float(margin)
    return (
        Interval(value, max(low, 0.0), min(high, 1.0)) if is_share else Interval(value, low, high)
    )
