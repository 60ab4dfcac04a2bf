"""Variance of a score due to the training set: class shares and sampled rows.

The models of two folds differ by the rows that one of them left out. Their predictions of the same
rows show the effect of leaving out that many rows on a score, and hence how much another draw of
all training rows would change it. The test rows of the folds cannot show this, because each is
predicted by one model only. Nor can stratified folds show the effect of other class shares, because
theirs are equal. Other shares are other priors, however, to which posteriors can be adjusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from lincore.data.splits import Fold, rows_by_class
from lincore.metrics.confusion_scores import divide
from lincore.utils.typing import Array, Codes

#: Maximum numbers of compared folds, of their rows, and of log posteriors (1.6 MB).
MOST_FOLDS = 100
MOST_ROWS = 2_000
MOST_VALUES = 200_000
#: Power of posteriors in softened labels: 1 would be randomly drawn labels, infinity hard labels.
SHARPNESS = 3.0
#: Number of training rows predicted in the splits of a study, equally many per class.
MOST_TRAINED = 2_000


class CommonRows(NamedTuple):
    """Rows predicted by the models of several folds."""

    rows: Codes  # (c,)
    folds: list[int]  # positions in the plan; empty for a single fit


def training_variance_rows(codes: Codes, plan: Sequence[Fold], n_classes: int) -> CommonRows:
    """Choose the rows: all rows of the plan if they are few, otherwise a stratified sample.

    They are shuffled all at once, before their classes are looked at.

    Parameters
    ----------
    codes : ndarray of shape (n,)
    plan : sequence of Fold
    """
    if len(plan) < 2:
        return CommonRows(np.empty(0, dtype=np.intp), [])
    step = -(-len(plan) // MOST_FOLDS)
    folds = list(range(0, len(plan), step))
    rows = np.union1d(plan[0].train, plan[0].test)
    most = min(MOST_ROWS, MOST_VALUES // (len(folds) * n_classes))
    if len(rows) > most:
        shuffled = np.random.default_rng(0).permutation(rows)
        by_class = shuffled[np.concatenate(rows_by_class(codes[shuffled], n_classes))]
        rows = np.sort(by_class[np.linspace(0, len(rows) - 1, most).astype(np.intp)])
    return CommonRows(rows, folds)


def rows_to_predict(codes: Codes, train: Codes, n_classes: int) -> Codes:
    """Return the training rows of a split to be predicted: all if they are few."""
    # Otherwise those among the same sample of the data for every split.
    if len(codes) <= MOST_TRAINED:
        return train
    n_each = MOST_TRAINED // n_classes
    chosen = [rows[:n_each] for rows in rows_by_class(codes, n_classes, 0)]
    return np.intersect1d(train, np.concatenate(chosen))


def training_variance(
    influence: Array, tested: Array, n_folds: int, ratio: float, by_row: float
) -> float:
    """Return the contribution of the training rows to the variance of a score."""
    # Delete-a-group jackknife: ``n_train / n_test`` times the mean squared deviation of the fold
    # models' scores from their mean, minus the contribution of the choice of the common rows, plus
    # twice the covariance with the tested rows. The covariance arises because rows that are hard to
    # predict also harm a model trained on them: leaving such a fold out gives a low score and a
    # better model.
    by_fold = influence.reshape(n_folds, -1)
    deviations = by_fold - by_fold.mean(axis=0)
    models = deviations.mean(axis=1)
    added = float((deviations.var(axis=1) / deviations.shape[1]).mean()) * by_row**2
    rows = tested - tested.mean() - models  # minus the effect of the model
    square, product = float((models**2).mean()) - added, float((rows * models).mean())
    return max(square / ratio - 2 * product, 0.0)


def softened(log_proba: Array) -> Array:
    """Return softened labels (..., m, K) that change smoothly with the posteriors."""
    # So few rows are near enough to a boundary for another model to change their label that
    # counting them is uninformative about differences between models.
    return np.asarray(softmax(SHARPNESS * log_proba, axis=-1))


def softened_errors(predicted: Codes, log_proba: Array, truth: Codes) -> Array:
    """Return the errors of softened labels, shape (..., m)."""
    right = np.take_along_axis(
        softened(log_proba), np.broadcast_to(truth[:, None], (*log_proba.shape[:-1], 1)), axis=-1
    )[..., 0]
    return np.where(np.isnan(right), predicted != truth, 1 - right)


def share_influence(by_cell: Array, truth: Codes, soft: Array, weight: Array | None) -> Array:
    """Return the effect of a training row on a score through the share of its class."""
    # Stratified folds cannot show it, because all have the same shares (leave-one-out does not need
    # it). But a model trained on more rows of a class predicts it more often, much as if its prior
    # were larger. This is the derivative of the score with respect to the logarithm of that prior,
    # per row of the class in the data, with labels softened by `SHARPNESS`.
    gain = by_cell[truth] - (soft * by_cell[truth]).sum(axis=1, keepdims=True)
    counts = np.bincount(truth, weight, soft.shape[1]).astype(float)
    shifted = soft * gain if weight is None else soft * gain * weight[:, None]
    return divide(SHARPNESS * shifted.sum(axis=0), counts)
