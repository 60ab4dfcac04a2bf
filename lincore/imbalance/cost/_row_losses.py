"""Losses of single rows under costs of errors and sampling weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.training_variance import softened, softened_errors
from lincore.utils.typing import Array


def weighted_losses(rows: Array, truth: NDArray[np.intp], weight: Array | None) -> Array:
    """Return losses whose mean over the rows of a class is the weighted mean of these.

    A row is moved from the weighted mean of its class by its weight, relative to the mean weight in
    the class: then the variance over rows is that of the weighted mean as well.

    Parameters
    ----------
    rows : ndarray of shape (X, m)
    truth : ndarray of shape (m,)
    weight : ndarray of shape (m,) or None
        As they are where there is none.

    Examples
    --------
    >>> found = weighted_losses(np.array([[0.0, 1.0]]), np.array([0, 0]), np.array([3.0, 1.0]))
    >>> found.tolist(), float(found.mean())
    ([[-0.125, 0.625]], 0.25)
    """
    if weight is None:
        return rows
    number, total = np.bincount(truth), np.bincount(truth, weight)
    relative = weight * (number[truth] / total[truth])
    members = truth[:, None] == np.arange(len(number))
    means = ((rows * weight) @ members)[:, truth] / total[truth]
    return np.asarray(means + relative * (rows - means))


def row_losses(
    truth: NDArray[np.intp],
    predicted: NDArray[np.intp],
    log_proba: Array,
    costs: Array | None = None,
    *,
    soft: bool = False,
) -> Array:
    """Return what each row costs, its log loss, and whether it is misclassified, (3, m).

    Parameters
    ----------
    truth, predicted : ndarray of shape (m,)
        Codes.
    log_proba : ndarray of shape (m, K)
    costs : ndarray of shape (K, K), optional
    soft : bool
        With labels that change smoothly with the posteriors, see
        `lincore.metrics.training_variance.softened_errors`.
    """
    wrong = softened_errors(predicted, log_proba, truth) if soft else predicted != truth
    paid = wrong if costs is None else costs[truth, predicted]
    if soft and costs is not None and not np.isnan(log_proba).any():
        paid = (softened(log_proba) * costs[truth]).sum(axis=1)
    return np.stack([paid.astype(float), log_losses(log_proba, truth), wrong])
