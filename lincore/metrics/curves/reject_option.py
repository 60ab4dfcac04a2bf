"""Reject option: prediction sets with a given coverage, and Chow's rule for a cost of rejection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lincore.metrics.estimates import has_posteriors
from lincore.metrics.intervals import UNKNOWN, Interval
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import row_weights
from lincore.metrics.scores import accuracy, recall
from lincore.utils.formatting import percent
from lincore.utils.typing import Array, Codes, Flags


@dataclass(frozen=True)
class RejectOption:
    """A rule by which a model abstains: it predicts a row if one class alone is in its set.

    Parameters
    ----------
    thresholds : tuple of K float
        Least posterior with which each class is in the prediction set.
    coverage : float, optional
        Share of rows whose class is in the set, see `conformal_sets`. Default: Chow's rule, by
        which only the class with the largest posterior can be in the set.
    by_class : bool, default False
        Whether the coverage holds in every class.

    Examples
    --------
    >>> log_proba = np.log([[0.7, 0.3], [0.95, 0.05]])
    >>> RejectOption.of_cost(0.2, 2).sets(log_proba).tolist()
    [[False, False], [True, False]]
    >>> RejectOption((0.25, 0.25), 0.9).sets(log_proba).tolist()
    [[True, True], [True, False]]
    """

    thresholds: tuple[float, ...]
    coverage: float | None = None
    by_class: bool = False

    @classmethod
    def of_cost(cls, cost: float, n_classes: int) -> RejectOption:
        """Return Chow's rule: abstain if an error is likelier than the cost of rejection.

        Parameters
        ----------
        cost : float
            Cost of abstaining, as a share of the cost of an error.
        n_classes : int

        References
        ----------
        Chow (1970), "On optimum recognition error and reject tradeoff", eq. 3.
        """
        return cls((1 - cost,) * n_classes)

    def sets(self, log_proba: Array) -> Flags:
        """Return which classes are in the set of each row, (n, K), for logarithms of posteriors."""
        in_set = np.exp(log_proba) >= self.thresholds
        if self.coverage is None:
            in_set &= np.arange(len(self.thresholds)) == log_proba.argmax(axis=1)[:, None]
        return np.asarray(in_set)

    def sentence(self) -> str:
        """Return the rule in words."""
        if self.coverage is None:
            return f"The model abstains below a posterior of {percent(self.thresholds[0])}."
        every = " in every class" if self.by_class else ""
        return (
            "The model abstains unless one class alone is in the prediction set, with a coverage "
            f"of {percent(self.coverage, 0)}{every}."
        )


def conformal_sets(
    results: Results, method: str, coverage: float = 0.9, *, by_class: bool = False
) -> RejectOption:
    """Calibrate prediction sets on rows that the model was not trained on.

    A class is in the set if its posterior is at least a quantile of the posteriors of the true
    class. If rows are exchangeable and the model that predicts is that of `results`, the set of a
    new row holds its class with at least this probability, for any model and any number of rows.

    Parameters
    ----------
    results : Results
        Predictions of held-out rows, such as those of `FittedClassifier.held_out`.
    method : str
        One of ``results.methods``, with posteriors.
    coverage : float, default 0.9
        Between 0 and 1.
    by_class : bool, default False
        Whether each class has a separate quantile (Mondrian sets): the coverage then holds in each,
        however rare. A class of few rows, fewer than 9 for 90 %, is in every set.

    Raises
    ------
    ValueError
        If the method has no posteriors, or the coverage is not between 0 and 1.

    References
    ----------
    Sadinle, Lei, Wasserman (2019), "Least ambiguous set-valued classifiers with bounded error
    levels"; Vovk, Gammerman, Shafer (2005), "Algorithmic learning in a random world", section 4.5.

    Examples
    --------
    >>> import lincore
    >>> folds = lincore.compare(lincore.sample("passengers"), "lda", "5-fold")
    >>> [round(threshold, 2) for threshold in conformal_sets(folds, "lda").thresholds]
    [0.34, 0.34]
    >>> sets = conformal_sets(folds, "lda", by_class=True)
    >>> [round(threshold, 2) for threshold in sets.thresholds]
    [0.57, 0.05]
    """
    if not has_posteriors(results, method):
        raise ValueError(f"{method} predicts classes without probabilities.")
    if not 0 < coverage < 1:
        raise ValueError(f"The coverage is {coverage}, not between 0 and 1.")
    truth, n_classes = results.truth, len(results.classes)
    log_proba = results.log_proba[results.position(method)]
    own = np.exp(log_proba[np.arange(len(truth)), truth])
    given = row_weights(results)
    weight = np.ones(len(own)) if given is None else given
    if not by_class:
        thresholds = (_quantile(own, weight, 1 - coverage),) * n_classes
    else:
        inside = [truth == code for code in range(n_classes)]
        thresholds = tuple(_quantile(own[rows], weight[rows], 1 - coverage) for rows in inside)
    return RejectOption(thresholds, coverage, by_class)


def _quantile(proba: Array, weight: Array, level: float) -> float:
    """Return a quantile of posteriors, conservative by the weight of another row; 0 for too few."""
    if not len(proba):
        return 0.0
    order = np.argsort(proba, kind="stable")
    below = np.cumsum(weight[order])
    # A tolerance, as 0.1 times 10 rows may be less than 1.
    allowed = level * (below[-1] + weight.mean()) * (1 + 1e-9)
    position = int(np.searchsorted(below, allowed, side="right"))
    return float(proba[order[position - 1]]) if position else 0.0


class Rejection(NamedTuple):
    """Prediction sets of rows whose class is known.

    Attributes
    ----------
    sets : ndarray of shape (n, K)
        Which classes are in the set of each row.
    predicted : ndarray of shape (n,)
        The only class of the set; -1 if the model abstains.
    coverage : Interval
        Share of rows whose class is in their set.
    coverage_by_class : list of K Interval
    error : Interval
        Share of misclassified rows among those that are predicted.
    """

    sets: Flags
    predicted: Codes
    coverage: Interval
    coverage_by_class: list[Interval]
    error: Interval


def reject(results: Results, method: str, rule: RejectOption) -> Rejection:
    """Apply a reject option to results of one method, with 95 % intervals.

    Parameters
    ----------
    results : Results
        Predictions of rows on which the rule was not calibrated.
    method : str
    rule : RejectOption

    Examples
    --------
    >>> import lincore
    >>> model = lincore.fit(lincore.sample("passengers"), "lda")
    >>> rule = conformal_sets(model.held_out(), model.name)
    >>> rejection = reject(model.results, model.name, rule)
    >>> round(rejection.coverage.value, 3), int((rejection.predicted < 0).sum())
    (0.907, 49)
    """
    selected = results.select(method)
    truth, n_classes = selected.truth, len(selected.classes)
    sets = rule.sets(selected.log_proba[0])
    is_single = sets.sum(axis=1) == 1
    predicted = np.where(is_single, sets.argmax(axis=1), -1)
    # A covered row counts as one that is correct, so that its interval is that of an accuracy.
    covered = np.where(sets[np.arange(len(truth)), truth], truth, (truth + 1) % n_classes)
    as_correct = replace(selected, predicted=covered[None], common=None)
    error = UNKNOWN
    if is_single.any():
        decided = replace(selected.take(is_single), predicted=predicted[is_single][None])
        value, low, high = accuracy(decided, method)
        error = Interval(1 - value, 1 - high, 1 - low)
    return Rejection(
        sets, predicted, accuracy(as_correct, method), recall(as_correct, method), error
    )
