"""ROC, precision and recall curves by class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lincore.metrics.confusion_scores import divide
from lincore.metrics.estimates import (
    confusion_matrix,
    has_posteriors,
    ranking_scores,
)
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, row_weights
from lincore.utils.typing import Array, Flags


class Point(NamedTuple):
    """Operating point of a method on a curve."""

    x: float
    y: float


class Roc(NamedTuple):
    """True against false positive rate of one class, as the threshold falls."""

    label: Any  # the class
    # `false_positive_rate`, `recall`: from (0, 0), where nothing is predicted as the class, to (1,
    # 1), where everything is. NaN if there are no other rows, or none of the class.
    false_positive_rate: Array  # (t + 1,)
    recall: Array  # (t + 1,)
    # (t + 1,); posterior (or decision score, without posteriors) from which a row is predicted as
    # the class; the first is infinite
    thresholds: Array
    area: float  # on one test set the score "AUC" is its mean over the classes
    # Operating point of the predicted classes. With two classes and prediction of the larger
    # posterior it lies on the curve; with more it may not.
    operating: Point


class PrecisionRecall(NamedTuple):
    """Precision-recall curve of one class."""

    label: Any  # the class
    # `recall`, `precision`: as the threshold falls, starting from the most probable rows
    recall: Array  # (t,)
    precision: Array  # (t,)
    thresholds: Array  # (t,)
    average: float  # average precision: the sum of precision times the step of recall
    share: float  # share of the class among all rows: the precision of the baseline
    # Recall and precision of the predicted classes; the precision is NaN without predictions
    operating: Point


def roc_curve(results: Results, method: str) -> list[Roc]:
    """Return the ROC curve of each class against the rest, over all predictions.

    Parameters
    ----------
    method : str
        One of ``results.methods``.

    Raises
    ------
    ValueError
        If the method has neither posteriors nor decision scores from a single fit.

    References
    ----------
    Fawcett (2006), "An introduction to ROC analysis", algorithm 1.
    """
    curves = []
    counts = confusion_matrix(results, method).astype(float)
    for k, (label, values) in enumerate(_rankings(results, method)):
        thresholds, hits, n_predicted = _sweep(values, results.truth == k, row_weights(results))
        n_inside, n = counts[k].sum(), counts.sum()
        rate = _share(np.append(0.0, n_predicted - hits), n - n_inside)
        recall = _share(np.append(0.0, hits), n_inside)
        alarms = counts[:, k].sum() - counts[k, k]
        operating = Point(_ratio(alarms, n - n_inside), _ratio(counts[k, k], n_inside))
        area = float(np.trapezoid(recall, rate))
        thresholds = _readable(thresholds, results, method)
        curves.append(Roc(label, rate, recall, np.append(np.inf, thresholds), area, operating))
    return curves


def precision_recall_curve(results: Results, method: str) -> list[PrecisionRecall]:
    """Return the precision-recall curve of each class, over all predictions.

    Parameters
    ----------
    method : str
        One of ``results.methods``.

    Raises
    ------
    ValueError
        If the method has neither posteriors nor decision scores from a single fit.

    References
    ----------
    Davis, Goadrich (2006), "The relationship between precision-recall and ROC curves".
    """
    curves = []
    counts = confusion_matrix(results, method).astype(float)
    for k, (label, values) in enumerate(_rankings(results, method)):
        thresholds, hits, n_predicted = _sweep(values, results.truth == k, row_weights(results))
        n_inside = counts[k].sum()
        recall, precision = _share(hits, n_inside), divide(hits, n_predicted)
        average = float(np.sum(np.diff(recall, prepend=0.0) * precision))
        right = counts[k, k]
        operating = Point(_ratio(right, n_inside), _ratio(right, counts[:, k].sum()))
        share = _ratio(n_inside, counts.sum())
        thresholds = _readable(thresholds, results, method)
        line = PrecisionRecall(label, recall, precision, thresholds, average, share, operating)
        curves.append(line)
    return curves


def _rankings(results: Results, method: str) -> list[tuple[Any, Array]]:
    """Return each class with the ranking scores of all rows for it, (m,)."""
    scores = ranking_scores(results, method)
    if scores is None:
        raise ValueError(f"{method} has no scores to rank rows.")
    if not has_posteriors(results, method) and not find_sampling_units(results).one_fit:
        raise ValueError(
            f"The decision scores of {method} come from several fits with different scales."
        )
    return list(zip(results.classes.tolist(), scores.T, strict=True))


def _readable(thresholds: Array, results: Results, method: str) -> Array:
    """Return thresholds as posteriors, or as unchanged decision scores."""
    return np.asarray(np.exp(thresholds) if has_posteriors(results, method) else thresholds)


def _sweep(values: Array, is_class: Flags, weight: Array | None) -> tuple[Array, Array, Array]:
    """Return thresholds (t,) in decreasing order, with the true and all positives at each."""
    # By logarithms, which still order posteriors that round to 1.
    order = np.argsort(-values, kind="stable")
    falling = values[order]
    last = np.append(falling[1:] != falling[:-1], True)[: len(falling)]
    row_weight = np.ones(len(values)) if weight is None else weight[order]
    hits, n_predicted = np.cumsum(is_class[order] * row_weight)[last], np.cumsum(row_weight)[last]
    return np.asarray(falling[last], dtype=float), hits, n_predicted


def _share(counts: Array, n: float) -> Array:
    return divide(counts, np.full(len(counts), float(n)))


def _ratio(count: float, n: float) -> float:
    return float(count) / n if n else np.nan
