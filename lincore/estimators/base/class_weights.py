"""Class weights and their combination with sample weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lincore.estimators.base.validation import HEAVIEST, LIGHTEST, LabelledRows
from lincore.utils.typing import Array

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None


def class_weights(class_weight: ClassWeight, classes: ArrayLike, count: Array) -> Array | None:
    """Return the weight of each class, with scikit-learn's meaning of `class_weight`."""
    if class_weight is None:
        return None
    if isinstance(class_weight, Mapping):
        return np.broadcast_to(_from_mapping(class_weight, classes), count.shape)
    if not isinstance(class_weight, str) or class_weight != "balanced":
        raise ValueError(
            "class_weight must be None, 'balanced' or a mapping of labels to weights, "
            f"got {class_weight!r}."
        )
    present = count > 0
    n_present = np.maximum(present.sum(axis=-1, keepdims=True), 1)
    share = count.sum(axis=-1, keepdims=True) / n_present
    return np.where(present, share / np.where(present, count, 1.0), 1.0)


def weighted_rows(estimator: Any, labelled: LabelledRows) -> LabelledRows:
    """Return the rows of a fit, with weights multiplied by the estimator's `class_weight`."""
    rows, codes, weight = labelled
    count = np.bincount(codes, weight, len(estimator.classes_)).astype(np.float64)
    by_class = class_weights(estimator.class_weight, estimator.classes_, count)
    if by_class is None:
        return labelled
    return LabelledRows(rows, codes, by_class[codes] * (1.0 if weight is None else weight))


def _from_mapping(given: Mapping[Any, float], classes: ArrayLike) -> Array:
    labels = np.asarray(classes).tolist()
    unknown = [label for label in given if label not in labels]
    if unknown and any(label not in given for label in labels):
        raise ValueError(f"class_weight names {unknown}; the classes are {labels}.")
    try:
        weights = np.array([given.get(label, 1.0) for label in labels], dtype=float)
    except (TypeError, ValueError):
        weights = np.array([np.nan])
    if not np.all((weights >= 0) & (weights <= HEAVIEST)) or 0 < weights.max() < LIGHTEST:
        raise ValueError(
            f"class_weight must hold finite weights >= 0, the largest from {LIGHTEST:g} to "
            f"{HEAVIEST:g}, got {dict(given)}."
        )
    return weights
