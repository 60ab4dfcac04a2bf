"""Validation of prevalence and costs in deployment, and the losses of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.imbalance.cost.curve import CostRatios
from lincore.imbalance.subsets import class_code, class_totals
from lincore.metrics.confusion_scores import log_losses
from lincore.metrics.training_variance import softened, softened_errors
from lincore.utils.typing import Array


def as_prevalence(data: Dataset, prevalence: str | Mapping[Any, float] | ArrayLike) -> Array:
    """Return the shares of the classes in deployment, shape (K,)."""
    in_data = class_totals(data) / class_totals(data).sum()
    if isinstance(prevalence, str):
        if prevalence not in ("equal", "file"):
            raise DataError(
                f"{prevalence!r} is not a prevalence.",
                remedy="Use equal, file, or a share for each.",
            )
        return in_data if prevalence == "file" else np.full(data.n_classes, 1 / data.n_classes)
    if isinstance(prevalence, Mapping):
        shares = _from_mapping(data, prevalence, in_data)
    else:
        shares = np.asarray(prevalence, dtype=float)
    if shares.shape != (data.n_classes,) or not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-6:
        raise DataError(
            f"The prevalence {shares.tolist()} is not {data.n_classes} shares that sum to 1.",
            remedy="Give one share for each class.",
        )
    return shares / shares.sum()


def _from_mapping(data: Dataset, given: Mapping[Any, float], in_data: Array) -> Array:
    shares, is_given = np.zeros(data.n_classes), np.zeros(data.n_classes, dtype=bool)
    for label, share in given.items():
        code = class_code(data, label)
        shares[code], is_given[code] = share, True
    rest = in_data[~is_given]
    if rest.sum() > 0:
        shares[~is_given] = (1 - shares.sum()) * rest / rest.sum()
    return shares


def as_costs(data: Dataset, costs: ArrayLike | None, miss_cost: float) -> Array | None:
    """Return the costs of errors, shape (K, K), or None."""
    if costs is None and miss_cost == 1:
        return None
    k = data.n_classes
    table = 1 - np.eye(k) if costs is None else np.array(costs, dtype=float)
    proper = table.shape == (k, k) and np.isfinite(table).all() and (table >= 0).all()
    if not proper or np.diag(table).any() or not table.sum(axis=1).all():
        raise DataError(
            f"Costs must be {k} by {k} numbers >= 0 with a zero diagonal, and not all zero "
            "for any class.",
            remedy="Give the cost of predicting the column's class when the row's class is true.",
        )
    if not 0 < miss_cost < np.inf:
        raise DataError(f"A miss cannot cost {miss_cost}.", remedy="Give a number above 0.")
    table[CostRatios.of(data).rare] *= miss_cost
    return table


def row_losses(
    truth: NDArray[np.intp],
    predicted: NDArray[np.intp],
    log_proba: Array,
    costs: Array | None = None,
    *,
    soft: bool = False,
) -> Array:
    """Return the error and the log loss of each row, then its cost if errors have costs, (X, m)."""
    wrong = softened_errors(predicted, log_proba, truth) if soft else predicted != truth
    losses = [wrong, log_losses(log_proba, truth)]
    if costs is not None:
        paid = costs[truth, predicted]
        if soft and not np.isnan(log_proba).any():
            paid = (softened(log_proba) * costs[truth]).sum(axis=1)
        losses.append(paid)
    return np.stack(losses)
