"""Operating points: how posteriors become decisions, and what the decisions cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.metrics.confusion_scores import (
    Tally,
    accuracy,
    balanced_accuracy,
    f1_by_class,
    mcc,
)
from lincore.metrics.estimates import has_posteriors, weighted
from lincore.metrics.intervals import (
    FEWEST_ROWS,
    Interval,
    Spread,
    enlarged,
    from_enlarged,
    stratified_spread,
)
from lincore.metrics.priors import decide
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import (
    find_sampling_units,
    independent_counts,
    per_results,
    row_weights,
)
from lincore.utils.code import call, literal
from lincore.utils.formatting import percent, quoted
from lincore.utils.typing import Array, Codes

#: Scores that a threshold may optimise; greater is better except for the cost.
THRESHOLD_SCORES = ("balanced accuracy", "F1", "MCC", "accuracy", "expected cost")
_MEASURES = {"balanced accuracy": balanced_accuracy, "MCC": mcc, "accuracy": accuracy}
#: Maximum number of thresholds tried: of more held-out posteriors only quantiles.
MOST_THRESHOLDS = 1_000


@dataclass(frozen=True)
class OperatingPoint:
    """A decision rule for posteriors: a threshold for one of two classes, or costs of errors.

    Parameters
    ----------
    threshold : float, optional
        The class `code` is predicted if its posterior is at least this, otherwise the other one.
    code : int
        One of two classes.
    costs : tuple of K tuples of K float, optional
        Instead of a threshold: the cost of predicting the second class for a row of the first. The
        class of least expected cost is predicted.

    References
    ----------
    Elkan (2001), "The foundations of cost-sensitive learning", eqs. 1 and 2.

    Examples
    --------
    >>> log_proba = np.log([[0.7, 0.3], [0.9, 0.1]])
    >>> OperatingPoint(0.2, 1).decide(log_proba)
    array([1, 0])
    >>> OperatingPoint(costs=((0, 1), (4, 0))).decide(log_proba)  # the same threshold
    array([1, 0])
    """

    threshold: float | None = None
    code: int = 1
    costs: tuple[tuple[float, ...], ...] | None = None

    def decide(self, log_proba: Array) -> Codes:
        """Return the predicted codes (n,) for logarithms of posteriors (n, K)."""
        if self.costs is not None:
            return np.asarray(decide(log_proba, self.costs), dtype=np.intp)
        is_class = np.exp(log_proba[:, self.code]) >= self.threshold
        return np.where(is_class, self.code, 1 - self.code)

    def threshold_for(self, code: int) -> float | None:
        """Return the posterior from which one of two classes is predicted; None with costs."""
        if self.threshold is None or code == self.code:
            return self.threshold
        return 1 - self.threshold

    def phrase(self, classes: ArrayLike) -> str:
        """Return the rule as the end of a title."""
        if self.threshold is None:
            return "at least expected cost"
        label = quoted(np.asarray(classes)[self.code])
        return f"at {threshold_text(self.threshold)} for {label}"

    def sentence(self, classes: ArrayLike) -> str:
        """Return the rule in words, with the labels of the classes."""
        if self.threshold is None:
            return "The class of least expected cost is predicted."
        label = quoted(np.asarray(classes)[self.code])
        return (
            f"{label} is predicted if its posterior is at least {threshold_text(self.threshold)}."
        )

    def call(self) -> str:
        """Return the call of a model's method that applies it, such as ``at(0.3, 1)``."""
        if self.costs is not None:
            return call("at", costs=literal(self.costs))
        return call("at", repr(self.threshold), repr(self.code))


def threshold_text(threshold: float) -> str:
    """Return a threshold in per cent, with as many digits as it needs, up to three."""
    digits = next((d for d in range(3) if abs(round(threshold, d + 2) - threshold) < 1e-9), 1)
    return percent(threshold, digits)


def at_operating_point(results: Results, method: str, point: OperatingPoint) -> Results:
    """Return results of one method, with its posteriors decided at an operating point.

    Parameters
    ----------
    method : str
        One of ``results.methods``, with posteriors.

    Raises
    ------
    ValueError
        If the method has no posteriors.

    Examples
    --------
    >>> truth = np.array([0, 0, 1])
    >>> r = Results(("LDA",), np.array(["no", "yes"]), np.arange(3), truth, np.zeros((1, 3), int),
    ...             np.log([[[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]]]), np.zeros(1))
    >>> at_operating_point(r, "LDA", OperatingPoint(0.3, 1)).predicted
    array([[0, 0, 1]])
    """
    if not has_posteriors(results, method):
        raise ValueError(f"{method} predicts classes without probabilities.")
    selected = results.select(method)
    return replace(selected, predicted=point.decide(selected.log_proba[0])[None], common=None)


def expected_cost(results: Results, method: str, costs: ArrayLike) -> Interval:
    """Return the mean cost of the predictions per row, with its 95 % interval.

    The interval is that of Price and Bonett for a linear function of proportions: four rows are
    added to those in the sample, half of them correct, and the others with the mean cost of an
    error on their class. No interval if a class has fewer than 8 rows, see docs/coverage.md.

    Parameters
    ----------
    results : Results
        Of one test set.
    method : str
        One of ``results.methods``.
    costs : array-like of shape (K, K)
        Cost of predicting the column's class for a row of the row's class, in any unit.

    Raises
    ------
    ValueError
        If the costs have another shape, or the method was fitted more than once.

    References
    ----------
    Price, Bonett (2004), "An improved confidence interval for a linear function of binomial
    proportions".

    Examples
    --------
    >>> truth = np.repeat([0, 1], [80, 20])
    >>> predicted = np.concatenate([np.repeat([0, 1], [70, 10]), np.repeat([1, 0], [15, 5])])
    >>> r = Results(("LDA",), np.array(["no", "yes"]), np.arange(100), truth, predicted[None],
    ...             np.full((1, 100, 2), np.log(0.5)), np.zeros(1))
    >>> [round(end, 2) for end in expected_cost(r, "LDA", [[0, 1], [4, 0]])]
    [0.3, 0.15, 0.5]
    """
    table, n_classes = np.asarray(costs, dtype=float), len(results.classes)
    if table.shape != (n_classes, n_classes):
        raise ValueError(f"costs have the shape {table.shape}, not {(n_classes, n_classes)}.")
    base = find_sampling_units(results)
    if not base.one_fit:
        raise ValueError("An expected cost needs one test set, not folds.")
    weight, truth = row_weights(results), results.truth
    paid = table[truth, results.predicted[results.position(method)]]
    value = float(weighted(paid, weight).mean())
    counts = independent_counts(results, truth, n_classes)
    if counts.min() < FEWEST_ROWS:
        return Interval(value, np.nan, np.nan)
    errors = table[~np.eye(n_classes, dtype=bool)].reshape(n_classes, n_classes - 1)
    padded = enlarged(
        value,
        weighted(paid - value, weight),
        truth,
        counts,
        table.diagonal() - value,
        errors.mean(axis=1) - value,
    )
    spread = stratified_spread(padded.influence, base, truth, results.class_counts)
    spread = Spread(spread.variance + padded.variance, base.degrees_of_groups)
    interval = from_enlarged(value, padded.value, spread)
    return interval.within(float(table.min()), float(table.max()))


class TunedThreshold(NamedTuple):
    """A threshold chosen on folds, with the score at all that were tried.

    Attributes
    ----------
    threshold : float
        The first of the best ones.
    value : float
        Mean over the folds of the score at it.
    thresholds, values : ndarray of shape (t,)
        Increasing thresholds from 0 to 1, and the mean of the score at each.
    """

    threshold: float
    value: float
    thresholds: Array
    values: Array


@per_results
def tune_threshold(
    results: Results, method: str, code: int, score: str, miss_cost: float = 1.0
) -> TunedThreshold:
    """Choose the threshold of one of two classes on the predictions of held-out folds.

    The score is computed in every fold and averaged, as by scikit-learn's
    ``TunedThresholdClassifierCV``, but at thresholds between all held-out posteriors (or their
    quantiles) instead of on a grid.

    Parameters
    ----------
    results : Results
        Of folds of the training rows: rows on which the threshold is judged must not be among them.
    method : str
        One of ``results.methods``, with posteriors.
    code : int
        The class that is predicted at or above the threshold.
    score : str
        One of `THRESHOLD_SCORES`; "F1" is that of the class.
    miss_cost : float, default 1.0
        For "expected cost": cost of a miss of the class, in false alarms.

    Raises
    ------
    ValueError
        If there are not two classes, there are no posteriors, or the score is unknown.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("passengers")
    >>> folds = lincore.compare(data, "lda", "5-fold")
    >>> round(tune_threshold(folds, "lda", 1, "F1").threshold, 2)
    0.29
    """
    if len(results.classes) != 2 or not has_posteriors(results, method):
        raise ValueError("A threshold needs two classes and a method with posteriors.")
    if score not in THRESHOLD_SCORES:
        raise ValueError(f"There is no score {score!r}; choose one of {THRESHOLD_SCORES}.")
    proba = np.exp(results.log_proba[results.position(method)][:, code])
    is_class, weight = results.truth == code, row_weights(results)
    weight = np.ones(len(proba)) if weight is None else weight
    thresholds, values = _candidates(proba), []
    folds = find_sampling_units(results).folds
    for fold in range(folds.max() + 1):
        inside = folds == fold
        order = np.argsort(proba[inside])
        starts = np.searchsorted(proba[inside][order], thresholds)
        hits, alarms = (
            _above(np.where(kind[inside], weight[inside], 0.0)[order], starts)
            for kind in (is_class, ~is_class)
        )
        values.append(_scores_at(hits, alarms, score, miss_cost))
    mean = np.mean(values, axis=0)
    best = int(mean.argmin() if score == "expected cost" else mean.argmax())
    return TunedThreshold(float(thresholds[best]), float(mean[best]), thresholds, mean)


def _candidates(proba: Array) -> Array:
    """Return thresholds between posteriors, and the two that predict every row and none."""
    values = np.unique(proba)
    if len(values) > MOST_THRESHOLDS:
        values = np.unique(np.quantile(proba, np.linspace(0, 1, MOST_THRESHOLDS)))
    return np.concatenate([[0.0], (values[1:] + values[:-1]) / 2, [1.0]])


def _above(weights: Array, starts: Codes) -> Array:
    """Return the sum (t,) of weights in increasing order of posterior from each start on."""
    return np.asarray(weights.sum() - np.concatenate([[0.0], np.cumsum(weights)])[starts])


def _scores_at(hits: Array, alarms: Array, score: str, miss_cost: float) -> Array:
    """Return a score (t,) for the weight of hits and false alarms at each threshold (t,)."""
    n_class, n_others = hits[0], alarms[0]  # at the threshold 0
    if score == "expected cost":
        return np.asarray(((n_class - hits) * miss_cost + alarms) / (n_class + n_others))
    right = np.stack([n_others - alarms, hits], axis=-1)
    true = np.broadcast_to([n_others, n_class], right.shape).astype(float)
    n_predicted = hits + alarms
    tally = Tally(right, true, np.stack([n_class + n_others - n_predicted, n_predicted], axis=-1))
    if score == "F1":
        return np.nan_to_num(f1_by_class(tally)[:, 1])
    return np.asarray(_MEASURES[score](tally))


def threshold_between(thresholds: Array, position: int) -> float:
    """Return a short threshold that keeps the decisions at one of a curve's.

    Parameters
    ----------
    thresholds : ndarray of shape (t,)
        Posteriors in decreasing order, as in `Roc`.
    position : int
        From 0 to t - 1; it is clipped.

    Examples
    --------
    >>> threshold_between(np.array([np.inf, 0.31234, 0.31111, 0.2]), 1)
    0.312
    """
    position = min(max(position, 0), len(thresholds) - 1)
    above = min(float(thresholds[position]), 1.0)
    below = float(thresholds[position + 1]) if position + 1 < len(thresholds) else 0.0
    middle = (above + below) / 2
    for digits in range(2, 8):
        if below < (short := round(middle, digits)) <= above:
            return short
    return middle


def cost_table(code: int, miss_cost: float) -> Sequence[Sequence[float]]:
    """Return the costs (2, 2) of a false alarm, 1, and of a miss of one of two classes."""
    costs = [[0.0, 1.0], [1.0, 0.0]]
    costs[code][1 - code] = miss_cost
    return costs
