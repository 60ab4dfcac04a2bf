"""Values of the scores with the influence of each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.metrics import auc
from lincore.metrics.confusion_scores import LOSSES, MEASURES, Tally
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.utils.typing import Array


class Estimate(NamedTuple):
    """A score, and the influence of each row's weight on it."""

    value: float
    # (m,); influence values times row weights; their mean over a fold is the fold's deviation from
    # the value
    influence: Array
    by_row: float = 1.0  # factor for the effect of a single row: 2 for scores of pairs of rows


NOTHING = Estimate(np.nan, np.empty(0))
Compute: TypeAlias = Callable[[Results, str], Estimate]


@dataclass(frozen=True)
class Score:
    """A score of predictions."""

    name: str
    greater_is_better: bool
    # ``compute(results, method)``, an `Estimate` of all predictions together; see `estimate`
    compute: Compute
    # `lowest`, `highest`: range of possible values
    lowest: float
    highest: float
    is_share: bool  # whether to show it in per cent
    needs_posteriors: bool
    by_class: bool  # whether all classes count equally, however few rows they have
    help: str  # one-line explanation


def has_posteriors(results: Results, method: str) -> bool:
    """Return whether a method has posterior probabilities."""
    return not bool(np.isnan(results.log_proba[results.position(method)]).any())


def ranking_scores(results: Results, method: str) -> Array | None:
    """Return the ranking scores of a method (m, K): log posteriors, or decision scores, or None."""
    if has_posteriors(results, method):
        return results.log_proba[results.position(method)]
    return results.decision.get(method)


def missing_score_reason(results: Results, method: str, name: str) -> str:
    """Describe briefly why a method has no such score.

    Parameters
    ----------
    method : str
        One of ``results.methods``.
    name : str
        One of `SCORES`.

    Raises
    ------
    KeyError
        If there is no such method or score.
    """
    if score_of(name).needs_posteriors:
        return "no posteriors"
    if name == "AUC" and ranking_scores(results, method) is None:
        return "no decision scores"
    return "one row per fold" if find_sampling_units(results).one_row_folds else "one class"


def confusion_matrix(results: Results, method: str) -> NDArray[Any]:
    """Count the predictions of each true class (first axis) by predicted class (second axis).

    Over repeated folds every row counts as often as it was predicted. Row weights have mean 1, so
    the sum over all cells is the number of predictions.
    """
    n_classes = len(results.classes)
    cells = results.truth * n_classes + results.predicted[results.position(method)]
    counts = np.bincount(cells, row_weights(results), n_classes**2)
    return counts.reshape(n_classes, n_classes)


@per_results
def estimate(results: Results, method: str, name: str) -> Estimate:
    """Return a score of all predictions together, with its influence values.

    Over folds it is computed from the pooled confusion matrix (Forman and Scholz 2010), so that
    scores, matrix and curves are consistent, and folds without rows of some class are no problem.
    Accuracy, log loss and Brier score are then means over the folds. The Brier score is the squared
    distance of the posterior from the true class, summed over the classes (0 to 2), and halved for
    two classes (0 to 1): that of scikit-learn's ``brier_score_loss``. The log loss clips posteriors
    at 2.2e-16, as scikit-learn does. The AUC is the mean over the classes, each against the rest,
    of the share of pairs that are ranked correctly, by posteriors or else by decision scores. Only
    pairs within a fold are used, because scores of different fits have different scales. In
    leave-one-out there are none, so the posteriors of all rows are ranked together, with a slight
    downward bias.
    """
    score = score_of(name)
    return score.compute(results, method) if len(results.rows) else NOTHING


def _pooled_score(name: str) -> Compute:
    """Return the function that computes a score from the pooled confusion matrix."""
    measure = MEASURES[name]

    def compute(results: Results, method: str) -> Estimate:
        truth, predicted = results.truth, results.predicted[results.position(method)]
        weight = row_weights(results)
        tally = Tally.of(truth, predicted, len(results.classes), weight)
        influence = measure.influence(tally, truth, predicted)
        return Estimate(float(measure.value(tally)), weighted(influence, weight))

    return compute


def _mean_loss(name: str) -> Compute:
    """Return the function that computes the mean of a loss of posteriors."""

    def compute(results: Results, method: str) -> Estimate:
        if not has_posteriors(results, method):
            return NOTHING
        losses = LOSSES[name](results.log_proba[results.position(method)], results.truth)
        weight = row_weights(results)
        value = float(weighted(losses, weight).mean())
        known = np.isfinite(value)
        return Estimate(value, weighted(losses - value, weight) if known else np.empty(0))

    return compute


def _area(results: Results, method: str) -> Estimate:
    values, base = ranking_scores(results, method), find_sampling_units(results)
    if values is None:
        return NOTHING
    together = base.one_row_folds and has_posteriors(results, method)
    folds = None if together else base.folds
    ranked = auc.area(values, results.truth, folds, row_weights(results))
    return Estimate(ranked.value, ranked.influence, 1.0 if together or base.one_fit else 2.0)


def weighted(values: Array, weight: Array | None) -> Array:
    """Return values of rows (m,) times their weights; unchanged if these are None."""
    return values if weight is None else values * weight


SCORES = {
    score.name: score
    for score in (
        Score(
            "accuracy", True, _pooled_score("accuracy"), 0, 1, True, False, False,
            "Share of correctly predicted rows.",
        ),
        Score(
            "balanced accuracy", True, _pooled_score("balanced accuracy"), 0, 1, True, False, True,
            "Mean recall over the classes: a rare class counts as much as a common one.",
        ),
        Score(
            "macro F1", True, _pooled_score("macro F1"), 0, 1, True, False, True,
            "Mean F1 over the classes; F1 is low if recall or precision is low.",
        ),
        Score(
            "MCC", True, _pooled_score("MCC"), -1, 1, False, False, True,
            "Correlation of true and predicted class: 1 is perfect, 0 is chance.",
        ),
        Score(
            "log loss", False, _mean_loss("log loss"), 0, np.inf, False, True, False,
            "Mean of -log(posterior of the true class), in nats, at most 36: penalises "
            "overconfidence.",
        ),
        Score(
            "Brier", False, _mean_loss("Brier"), 0, 2, False, True, False,
            "Mean squared distance of the posterior from the true class, halved for two classes: 0 "
            "is perfect.",
        ),
        Score(
            "AUC", True, _area, 0, 1, False, False, True,
            "Probability that a row of a class is ranked above a row of the others, mean over "
            "classes.",
        ),
    )
}  # fmt: skip


def score_of(name: str) -> Score:
    """Return a score by its name."""
    if name not in SCORES:
        raise KeyError(f"There is no score {name!r}; choose one of {', '.join(SCORES)}.")
    return SCORES[name]
