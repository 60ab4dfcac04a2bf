"""Variance of a score due to the training set: class shares and sampled rows.

The models of two folds differ by the rows that one of them left out. Asked about the same rows,
they say what leaving so many rows out does to a score, and that tells how much another draw of all
training rows would change it. The test rows of the folds alone cannot say so, for each of these is
predicted by one model. Nor can stratified folds say what other class shares would do: they all
have the same. Other shares are other priors, though, which the posteriors can be given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from lincore.data.splits import Fold, rows_by_class
from lincore.metrics.confusion_scores import divide
from lincore.utils.typing import Array, Codes

#: So many folds are compared at the most, on so many rows, of so many log posteriors (1.6 MB).
MOST_FOLDS = 100
MOST_ROWS = 2_000
MOST_VALUES = 200_000
#: Power to which posteriors stand for labels: 1 would be labels drawn by them, infinity hits.
SHARPNESS = 3.0
#: Of the splits of a study so many training rows are predicted, in equal numbers of each class.
MOST_TRAINED = 2_000


class CommonRows(NamedTuple):
    """Rows that the models of several folds predict.

    Attributes
    ----------
    rows : ndarray of shape (c,)
    folds : list of int
        Positions in the plan; empty where there is one fit.
    """

    rows: Codes
    folds: list[int]


def training_variance_rows(codes: Codes, plan: Sequence[Fold], n_classes: int) -> CommonRows:
    """Choose the rows, all of the plan if they are few, in the shares of the classes.

    They are shuffled all at once, before their classes are looked at.

    Parameters
    ----------
    codes : ndarray of shape (n,)
    plan : sequence of Fold
    n_classes : int
    """
    if len(plan) < 2:
        return CommonRows(np.empty(0, dtype=np.intp), [])
    step = -(-len(plan) // MOST_FOLDS)
    folds = list(range(0, len(plan), step))
    every = np.union1d(plan[0].train, plan[0].test)
    most = min(MOST_ROWS, MOST_VALUES // (len(folds) * n_classes))
    if len(every) > most:
        shuffled = np.random.default_rng(0).permutation(every)
        by_class = shuffled[np.concatenate(rows_by_class(codes[shuffled], n_classes))]
        every = np.sort(by_class[np.linspace(0, len(every) - 1, most).astype(np.intp)])
    return CommonRows(every, folds)


def rows_to_predict(codes: Codes, train: Codes, n_classes: int) -> Codes:
    """Return the training rows of a split that its models predict: all, if they are few.

    Otherwise those among the same rows of the data for every split.
    """
    if len(codes) <= MOST_TRAINED:
        return train
    each = MOST_TRAINED // n_classes
    chosen = [rows[:each] for rows in rows_by_class(codes, n_classes, 0)]
    return np.intersect1d(train, np.concatenate(chosen))


def training_variance(
    influence: Array, tested: Array, n_folds: int, ratio: float, by_row: float = 1.0
) -> float:
    """Return what the training rows add to the variance of a score.

    Delete-a-group jackknife: ``n_train / n_test`` times the mean square of what the score of each
    fold's model is above their mean. What the choice of the common rows adds to it, as hits that
    differ between the models do, is taken off. Added is twice the covariance with the tested rows:
    rows that are hard to predict also harm a model that learns from them, so that the same fold,
    left out, is scored low and makes its model better.
    """
    by_fold = influence.reshape(n_folds, -1)
    apart = by_fold - by_fold.mean(axis=0)
    models = apart.mean(axis=1)
    added = float((apart.var(axis=1) / apart.shape[1]).mean()) * by_row**2
    rows = tested - tested.mean() - models  # without what is the model's
    square, product = float((models**2).mean()) - added, float((rows * models).mean())
    return max(square / ratio - 2 * product, 0.0)


def softened(log_proba: Array) -> Array:
    """Return shares (..., m, K) that stand for labels but change smoothly with the posteriors.

    Few rows are so near a border that another model changes their label, so few that counting
    them says little about how much models differ.
    """
    return np.asarray(softmax(SHARPNESS * log_proba, axis=-1))


def softened_errors(predicted: Codes, log_proba: Array, truth: Codes) -> Array:
    """Return by how much labels that change smoothly are wrong, shape (..., m)."""
    right = np.take_along_axis(
        softened(log_proba), np.broadcast_to(truth[:, None], (*log_proba.shape[:-1], 1)), axis=-1
    )[..., 0]
    return np.where(np.isnan(right), predicted != truth, 1 - right)


def share_influence(
    by_cell: Array, truth: Codes, soft: Array, weight: Array | None = None
) -> Array:
    """Return what a training row of each class does to a score by making its class commoner.

    Stratified folds cannot say it, for all have the same shares (those of leave-one-out do not,
    and need it not). But a model that learns from more
    rows of a class predicts it more often, much as if its posteriors were given another prior.
    This is the derivative of the score by the logarithm of that prior, for each row of the class
    in the data, with labels softened by `SHARPNESS`.
    """
    gain = by_cell[truth] - (soft * by_cell[truth]).sum(axis=1, keepdims=True)
    counts = np.bincount(truth, weight, soft.shape[1]).astype(float)
    moved = soft * gain if weight is None else soft * gain * weight[:, None]
    return divide(SHARPNESS * moved.sum(axis=0), counts)
