"""Scores of predicted classes, each with its derivative by the weight of every row.

The derivatives ("influence values") give the values of single folds and the variances for all
scores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lincore.utils.typing import Array, Codes


class Tally(NamedTuple):
    """Counts by class: true rows, predicted rows, correctly predicted rows."""

    # `right`, `true`, `predicted`: leading axes are any number of resamples
    right: Array  # (..., K)
    true: Array  # (..., K)
    predicted: Array  # (..., K)

    @classmethod
    def of(
        cls, truth: Codes, predicted: Codes, n_classes: int, weight: Array | None = None
    ) -> Tally:
        """Count rows, or sum weights of mean 1, given their true and predicted codes (m,)."""
        right = truth == predicted
        counts = [
            np.bincount(codes, weights, n_classes).astype(float)
            for codes, weights in (
                (truth[right], None if weight is None else weight[right]),
                (truth, weight),
                (predicted, weight),
            )
        ]
        return cls(*counts)


def accuracy(tally: Tally) -> Array:
    """Return the share of correctly predicted rows, (...)."""
    return divide(tally.right.sum(-1), tally.true.sum(-1))


def recalls(tally: Tally) -> Array:
    """Return the recall of each class, (..., K); NaN without rows."""
    return divide(tally.right, tally.true)


def f1_by_class(tally: Tally) -> Array:
    """Return 2·correct / (true + predicted); NaN for a class neither true nor predicted."""
    return divide(2 * tally.right, tally.true + tally.predicted)


def balanced_accuracy(tally: Tally) -> Array:
    """Return the mean recall over the classes that have rows, (...)."""
    return mean_of_known(recalls(tally))


def macro_f1(tally: Tally) -> Array:
    """Return the mean F1 over the classes that have rows or predictions, (...)."""
    return mean_of_known(f1_by_class(tally))


def mcc(tally: Tally) -> Array:
    """Return Matthews' correlation for K classes, (...); 0 if one side is constant."""
    n = np.maximum(tally.true.sum(-1), 1)
    p, t = tally.predicted / n[..., None], tally.true / n[..., None]
    above = tally.right.sum(-1) / n - (p * t).sum(-1)
    below = np.sqrt(spread(p) * spread(t))
    # Rounding could lift a perfect correlation above 1.
    return np.clip(np.where(below > 0, above / np.where(below > 0, below, 1), 0.0), -1, 1)


def accuracy_influence(tally: Tally, truth: Codes, predicted: Codes) -> Array:
    """Return the derivative of the accuracy with respect to each row's share, times m, (m,)."""
    return (truth == predicted) - accuracy(tally)


def balanced_accuracy_influence(tally: Tally, truth: Codes, predicted: Codes) -> Array:
    """Return the same for the balanced accuracy."""
    shares = tally.true / len(truth)
    present = np.count_nonzero(shares)
    return ((truth == predicted) - recalls(tally)[truth]) / (shares[truth] * present)


def macro_f1_influence(tally: Tally, truth: Codes, predicted: Codes) -> Array:
    """Return the same for the macro F1."""
    size = (tally.true + tally.predicted) / len(truth)
    loss = divide(f1_by_class(tally), size)
    gain = 2 * (truth == predicted) / size[truth]
    return (gain - loss[truth] - loss[predicted]) / np.count_nonzero(size)


def mcc_influence(tally: Tally, truth: Codes, predicted: Codes) -> Array:
    """Return the same for Matthews' correlation, by the product rule on its three sums."""
    n = len(truth)
    p, t = tally.predicted / n, tally.true / n
    U, V = spread(p), spread(t)
    if U * V <= 0:
        return np.zeros(n)
    value, chance = mcc(tally), (p * t).sum()
    above = (truth == predicted) - accuracy(tally) - (t[predicted] + p[truth] - 2 * chance)
    dU, dV = -2 * (p[predicted] - 1 + U), -2 * (t[truth] - 1 + V)
    return above / np.sqrt(U * V) - value / 2 * (dU / U + dV / V)


class Measure(NamedTuple):
    """A score of a tally, and its influence values (m,) from the tally and the rows."""

    value: Callable[[Tally], Array]
    influence: Callable[[Tally, Codes, Codes], Array]


MEASURES = {
    "accuracy": Measure(accuracy, accuracy_influence),
    "balanced accuracy": Measure(balanced_accuracy, balanced_accuracy_influence),
    "macro F1": Measure(macro_f1, macro_f1_influence),
    "MCC": Measure(mcc, mcc_influence),
}


def influence_by_cell(name: str, counts: Array) -> Array:
    """Return the influence of a row by true and predicted class, from counts (K, K)."""
    n_classes = len(counts)
    truth, predicted = np.indices(counts.shape).reshape(2, -1)
    scaled = counts * (n_classes**2 / counts.sum())  # one row per cell, on average
    tally = Tally(scaled.diagonal(), scaled.sum(axis=1), scaled.sum(axis=0))
    return MEASURES[name].influence(tally, truth, predicted).reshape(counts.shape)


class EnlargedCells(NamedTuple):
    """Influence of a row of each class, with rows added to every class, half of them correct."""

    by_cell: Array  # (K, K); by true class (first axis) and predicted class (second axis)
    # `right`, `wrong`: of an added correct row, and of an added misclassified row, divided equally
    # among the other classes
    right: Array  # (K,)
    wrong: Array  # (K,)


def enlarged_cells(name: str, table: Array, share: Array) -> EnlargedCells:
    """Return the influence of rows on a score of a table with a few added rows."""
    others = (1 - np.eye(len(table))) / max(len(table) - 1, 1)
    added = share[:, None] * table.sum(axis=1, keepdims=True) * (np.eye(len(table)) + others) / 2
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN for a class without rows
        by_cell = influence_by_cell(name, (table + added) / (1 + share[:, None]))
    return EnlargedCells(by_cell, by_cell.diagonal(), (by_cell * others).sum(axis=1))


# The smallest log posterior that is counted, as in scikit-learn's `log_loss`: of 2.2e-16.
LEAST_LOG_PROBA = float(np.log(np.finfo(np.float64).eps))


def log_losses(log_proba: Array, truth: Codes) -> Array:
    """Return -log of the posterior (..., m, K) of each row's true class, in nats, (..., m)."""
    # A row costs at most 36.04 nats: naive Bayes may assign the true class a probability of 1e-300
    # because it is overconfident, and one such row would dominate the mean.
    own = log_proba[..., np.arange(len(truth)), truth]
    losses: Array = 0.0 - np.maximum(own, LEAST_LOG_PROBA)
    return losses


def brier_losses(log_proba: Array, truth: Codes) -> Array:
    """Return the squared distance of each row's posterior from its true class, (m,)."""
    # Summed over the classes, 0 to 2; halved for two classes, 0 to 1, by convention.
    miss = np.exp(log_proba)
    miss[np.arange(len(truth)), truth] -= 1
    total: Array = np.einsum("ik,ik->i", miss, miss)
    return total / 2 if log_proba.shape[1] == 2 else total


LOSSES = {"log loss": log_losses, "Brier": brier_losses}


def divide(a: Array, b: Array) -> Array:
    """Return a / b, NaN where b is 0."""
    known = np.asarray(b) > 0
    return np.where(known, a / np.where(known, b, 1), np.nan)


def mean_of_known(values: Array) -> Array:
    """Return the mean over the last axis, ignoring NaN; NaN if all are NaN."""
    known = ~np.isnan(values)
    return divide(np.where(known, values, 0).sum(-1), known.sum(-1))


def spread(shares: Array) -> Array:
    """Return 1 - Σ shares², (...), exactly 0 if one class has all rows."""
    return np.where(shares.max(-1) >= 1, 0.0, 1 - (shares**2).sum(-1))
