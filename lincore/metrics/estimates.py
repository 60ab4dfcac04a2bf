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
    """A score, and what each row's weight does to it.

    Attributes
    ----------
    value : float
    influence : ndarray of shape (m,)
        Influence values, times what a row weighs; their means over folds are what these are above
        the value.
    by_row : float
        How much more a row by itself does: twice as much where scores are of pairs of rows.
    """

    value: float
    influence: Array
    by_row: float = 1.0


NOTHING = Estimate(np.nan, np.empty(0))
Compute: TypeAlias = Callable[[Results, str], Estimate]


@dataclass(frozen=True)
class Score:
    """A score of predictions.

    Attributes
    ----------
    name : str
    greater_is_better : bool
    compute : callable
        ``compute(results, method)``, an `Estimate` of all predictions together; see `estimate`.
    lowest, highest : float
        What it can be at all.
    is_share : bool
        Whether it reads well in per cent.
    needs_posteriors : bool
    by_class : bool
        Whether a class counts however few rows it has.
    help : str
        One line for a person who does not know it.
    """

    name: str
    greater_is_better: bool
    compute: Compute
    lowest: float
    highest: float
    is_share: bool
    needs_posteriors: bool
    by_class: bool
    help: str


def has_posteriors(results: Results, method: str) -> bool:
    """Return whether a method says how probable each class is."""
    return not bool(np.isnan(results.log_proba[results.position(method)]).any())


def ranking_scores(results: Results, method: str) -> Array | None:
    """Return what a method ranks rows by (m, K): log posteriors, else decision scores, or None."""
    if has_posteriors(results, method):
        return results.log_proba[results.position(method)]
    return results.decision.get(method)


def missing_score_reason(results: Results, method: str, name: str) -> str:
    """Return in a few words why a method has no such score.

    Parameters
    ----------
    results : Results
    method : str
        One of ``results.methods``.
    name : str
        One of `SCORES`.

    Raises
    ------
    KeyError
        When there is no such method or score.
    """
    if score_of(name).needs_posteriors:
        return "no posteriors"
    if name == "AUC" and ranking_scores(results, method) is None:
        return "no decision scores"
    return "one row a fold" if find_sampling_units(results).one_row_folds else "one class"


def confusion_matrix(results: Results, method: str) -> NDArray[Any]:
    """Count the predictions of each true class (first axis) by predicted class (second axis).

    Over repeated folds every row counts as often as it was predicted. Rows of unequal weights count
    as these, with mean 1: the sum over all cells is the number of predictions.
    """
    n_classes = len(results.classes)
    cells = results.truth * n_classes + results.predicted[results.position(method)]
    found = np.bincount(cells, row_weights(results), n_classes**2)
    return found.reshape(n_classes, n_classes)


@per_results
def estimate(results: Results, method: str, name: str) -> Estimate:
    """Return a score of all predictions together, with its influence values.

    Over folds too it is that of the pooled confusion matrix (Forman and Scholz 2010), so that the
    scores, the matrix and the curves are numbers of one kind, and a fold without rows of some
    class is no trouble. Accuracy, log loss and Brier are thereby the means of those of the folds.
    The Brier score is the squared distance of the posterior from the true class, summed over the
    classes (0 to 2), and halved for two classes (0 to 1): that of scikit-learn's
    ``brier_score_loss``. The log loss takes posteriors below 2.2e-16 for 2.2e-16, as its metric.
    The AUC is the mean over the classes, each against the rest, of the share of pairs that are
    ranked correctly, by posteriors or else by decision scores. Pairs are of rows of one fold, for
    scores of different fits are not on one scale; leave-one-out has none, so that there the
    posteriors of all rows are ranked together, which errs a little downwards.
    """
    score = score_of(name)
    return score.compute(results, method) if len(results.rows) else NOTHING


def _of_measure(name: str) -> Compute:
    """Return how a score of the pooled confusion matrix is computed."""
    measure = MEASURES[name]

    def compute(results: Results, method: str) -> Estimate:
        truth, predicted = results.truth, results.predicted[results.position(method)]
        weight = row_weights(results)
        tally = Tally.of(truth, predicted, len(results.classes), weight)
        influence = measure.influence(tally, truth, predicted)
        return Estimate(float(measure.value(tally)), weighted(influence, weight))

    return compute


def _of_loss(name: str) -> Compute:
    """Return how the mean of a loss of posteriors is computed."""

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
    """Return values of rows (m,) times their weights; as they are where these are None."""
    return values if weight is None else values * weight


SCORES = {
    score.name: score
    for score in (
        Score(
            "accuracy", True, _of_measure("accuracy"), 0, 1, True, False, False,
            "Share of rows that are predicted correctly.",
        ),
        Score(
            "balanced accuracy", True, _of_measure("balanced accuracy"), 0, 1, True, False, True,
            "Mean of the recalls of all classes: a rare class counts as much as a common one.",
        ),
        Score(
            "macro F1", True, _of_measure("macro F1"), 0, 1, True, False, True,
            "Mean over the classes of F1, which is low when recall or precision is.",
        ),
        Score(
            "MCC", True, _of_measure("MCC"), -1, 1, False, False, True,
            "Correlation of true and predicted class: 1 is perfect, 0 is chance.",
        ),
        Score(
            "log loss", False, _of_loss("log loss"), 0, np.inf, False, True, False,
            "Mean of -log(posterior of the true class), in nats, at most 36: punishes false "
            "certainty.",
        ),
        Score(
            "Brier", False, _of_loss("Brier"), 0, 2, False, True, False,
            "Mean squared distance of the posterior from the truth, halved for two classes: 0 is "
            "perfect.",
        ),
        Score(
            "AUC", True, _area, 0, 1, False, False, True,
            "Chance that a row of a class is ranked above a row of the others, mean over classes.",
        ),
    )
}  # fmt: skip


def score_of(name: str) -> Score:
    """Return a score by its name."""
    if name not in SCORES:
        raise KeyError(f"No score {name!r}; there are {', '.join(SCORES)}.")
    return SCORES[name]
