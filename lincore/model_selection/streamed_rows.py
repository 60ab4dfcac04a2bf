"""Moments of the streamed rows of a large file for classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import gammaln

from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.moments.moments import Moments
from lincore.utils.typing import Rows

# In one of a million random splits the test rows come last by chance.
_CHANCE = np.log(1e6)


def streamed_moments(data: Dataset, train: Rows, test: Rows) -> Moments | None:
    """Return the moments by class of the training rows that are not in memory.

    There are none if every class is tested on rows after its training rows, as in forecasting,
    because the times of streamed rows are unknown; nor if some rows in memory are neither used for
    training nor for testing, because someone selected them.
    """
    chosen = len(train) + len(test) < data.n_rows
    if data.streamed is None or chosen or _is_forecast(data, train, test):
        return None
    return data.streamed


def with_streamed(
    data: Dataset, train: Rows, test: Rows, moments: Moments | None = None
) -> Moments | None:
    """Return the moments by class of all training rows, including streamed rows."""
    streamed = streamed_moments(data, train, test)
    if streamed is None:
        return moments
    if moments is None:
        weight = data.weights_of(train)
        moments = Moments.from_groups(data.X[train], data.codes[train], data.n_classes, weight)
    return moments + streamed


def n_learned_from_streamed(data: Dataset, plan: Sequence[Fold], solved: bool, basis: Any) -> int:
    """Return the number of training rows of a method that are not in memory.

    Parameters
    ----------
    data : Dataset
    plan : sequence of Fold
    solved : bool
        Whether the method is fitted from moments.
    basis : object
        Basis of the preprocessing; with a basis, moments of the features are useless.

    Returns
    -------
    int
        Streamed rows; 0 if all are in memory, or if some fold cannot use them.
    """
    if not solved or basis is not None or data.streamed is None:
        return 0
    in_every_fold = all(streamed_moments(data, fold.train, fold.test) is not None for fold in plan)
    return data.n_streamed if in_every_fold else 0


def _is_forecast(data: Dataset, train: Rows, test: Rows) -> bool:
    """Return whether the test rows of every class come last, beyond chance."""
    last = np.full(data.n_classes, -1)
    np.maximum.at(last, data.codes[train], train)
    first = np.full(data.n_classes, data.n_rows)
    np.minimum.at(first, data.codes[test], test)
    if (last >= first).any():
        return False
    n_train, n_test = (
        np.bincount(data.codes[rows], minlength=data.n_classes) for rows in (train, test)
    )
    ways = gammaln(n_train + n_test + 1) - gammaln(n_train + 1) - gammaln(n_test + 1)
    return bool(ways.sum() > _CHANCE)
