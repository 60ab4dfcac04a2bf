"""Validation of rows, labels and weights, and label encoding, for every classifier."""

from __future__ import annotations

from numbers import Real
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight

from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array

# Bounds of the largest weight: sums of weighted squares must neither overflow nor underflow.
LIGHTEST, HEAVIEST = 1e-100, 1e100


class LabelledRows(NamedTuple):
    """Validated rows for an estimator."""

    X: NDArray[Any]  # (n, p); finite, of the original type
    codes: NDArray[np.intp]  # (n,); positions in the estimator's `classes_`
    weight: Array | None  # (n,); not negative, not all zero


def validate_rows(
    estimator: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    classes: ArrayLike | None = None,
    reset: bool = True,
    **checks: Any,
) -> LabelledRows:
    """Validate the input of a fit and set `classes_` and `n_features_in_` on the estimator."""
    try:
        rows, labels = numeric_rows(estimator, X, y, reset=reset, **checks)
        check_classification_targets(labels)
        if reset:
            estimator.classes_ = unique_labels(labels if classes is None else classes)
        unknown = np.setdiff1d(labels, estimator.classes_)
    except (TypeError, ValueError) as error:
        _explain_labels(y, error)
        raise
    if len(unknown):
        known = estimator.classes_.tolist()
        raise ValueError(f"Labels {unknown.tolist()} are not among {known}.")
    weight = None
    if sample_weight is not None:
        weight = checked_weights(sample_weight, rows)
    return LabelledRows(rows, np.searchsorted(estimator.classes_, labels), weight)


def checked_weights(sample_weight: ArrayLike, rows: Any) -> Array:
    """Return the weights (n,) of rows."""
    try:
        weight = np.asarray(_check_sample_weight(sample_weight, rows, ensure_non_negative=True))
    except (TypeError, ValueError) as error:
        if np.asarray(sample_weight).dtype.kind in "OSU":
            raise ValueError(
                f"sample_weight must hold a number >= 0 for each row, got {sample_weight!r:.80}."
            ) from error
        raise
    if not LIGHTEST <= weight.max() <= HEAVIEST:
        raise ValueError(
            f"The largest sample_weight is {weight.max():g}, so that sums of squares overflow or "
            f"underflow. Divide the weights by it: only their ratios matter, except for a penalty."
        )
    return weight


def is_first_call(estimator: BaseEstimator, classes: ArrayLike | None) -> bool:
    """Return whether this is the first call to `partial_fit`, which must name the classes."""
    if not hasattr(estimator, "classes_"):
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        try:
            labels = unique_labels(classes)
        except (TypeError, ValueError) as error:
            _explain_labels(classes, error)
            raise
        require_classes(np.ones(len(labels)))
        return True
    known = estimator.classes_.tolist()
    if classes is not None and set(np.asarray(classes).ravel().tolist()) != set(known):
        raise ValueError(
            f"The classes {np.asarray(classes).tolist()} are not those of the first call, {known}. "
            "Leave them out, or start again with a clone."
        )
    return False


def _explain_labels(y: Any, error: Exception) -> None:
    """Raise a ValueError that explains why labels were rejected, if they were."""
    labels = np.asarray(y, dtype=object).ravel()
    missing = [
        i
        for i, label in enumerate(labels.tolist())
        # Only a missing value differs from itself; comparing pandas' NA would raise an error.
        if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label
    ]
    if missing and len(missing) < len(labels):
        number = "1 label is" if len(missing) == 1 else f"{len(missing):,} labels are"
        raise ValueError(
            f"{number} missing (the first in row {missing[0]}). Leave out the rows without a label."
        ) from error
    types = sorted({type(label).__name__ for label in labels.tolist()})
    if len(types) > 1 and "str" in types:
        raise ValueError(
            f"The labels are of several types, {' and '.join(types)}, which cannot be ordered. "
            f"Convert them all to text, such as [str(label) for label in y]."
        ) from error


def require_number(name: str, value: Any) -> None:
    """Raise ValueError unless an option is a single number."""
    if not isinstance(value, Real):
        raise ValueError(f"{name} must be a single number, got {short_repr(value)}.")


def require_classes(count: Array, fewest: int = 2) -> None:
    """Raise ValueError unless enough classes have rows, or weight: count (K,)."""
    n_classes = np.count_nonzero(count)
    if n_classes < fewest:
        if fewest == 1:
            raise ValueError("A classifier needs rows of positive weight; got none.")
        raise ValueError(f"A classifier needs rows of at least two classes; got {n_classes} class.")
