"""Losses of single rows under costs of errors and sampling weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.training_variance import softened, softened_errors
from lincore.utils.typing import Array


def row_losses(
    truth: NDArray[np.intp],
    predicted: NDArray[np.intp],
    log_proba: Array,
    costs: Array | None = None,
    *,
    soft: bool = False,
) -> Array:
    """Return what each row costs, its log loss, and whether it is misclassified, (3, m)."""
    wrong = softened_errors(predicted, log_proba, truth) if soft else predicted != truth
    paid = wrong if costs is None else costs[truth, predicted]
    if soft and costs is not None and not np.isnan(log_proba).any():
        paid = (softened(log_proba) * costs[truth]).sum(axis=1)
    return np.stack([paid.astype(float), log_losses(log_proba, truth), wrong])
