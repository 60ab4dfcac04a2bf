"""Folds within the training rows, for estimates that need rows unseen by the model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import get_tags

#: Inner folds, and rows of each class (or groups with rows of it) that they need.
INNER_FOLDS = 5

Rows = NDArray[np.intp]


class WithInnerFolds(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier around another one, `estimator`, that takes the same rows."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = own.sparse
        tags.input_tags.positive_only = own.positive_only
        return tags


def inner_folds(
    y: NDArray[Any], units: NDArray[Any] | None, seed: int | None, purpose: str
) -> list[tuple[Rows, Rows]]:
    """Return training and test rows of stratified folds; rows of the same unit stay together."""
    units = np.arange(len(y)) if units is None else units
    is_ungrouped = len(np.unique(units)) == len(y)
    for label in np.unique(y):
        n = len(np.unique(units[y == label]))
        if n < INNER_FOLDS:
            raise ValueError(
                f"{purpose} needs at least {INNER_FOLDS} training "
                f"{'rows' if is_ungrouped else 'groups'} of each class, but class {label} has {n}."
            )
    kind = StratifiedKFold if is_ungrouped else StratifiedGroupKFold
    splitter = kind(INNER_FOLDS, shuffle=True, random_state=seed)
    folds = list(splitter.split(np.zeros(len(y)), y, None if is_ungrouped else units))
    for label in np.unique(y):
        if any((y[train] != label).all() for train, _ in folds):
            raise ValueError(
                f"{purpose} is not possible: class {label} has its rows in too few groups."
            )
    return folds
