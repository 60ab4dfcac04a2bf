"""Validation of rows, labels and weights, and label encoding, for every classifier."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, validate_data

from lincore.utils.typing import Array


class LabelledRows(NamedTuple):
    """Rows that an estimator may use.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Finite, of the type they came in.
    codes : ndarray of shape (n,)
        Positions in the estimator's `classes_`.
    weight : ndarray of shape (n,) or None
        Not negative, not all zero.
    """

    X: NDArray[Any]
    codes: NDArray[np.intp]
    weight: Array | None


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
    """Check the input of a fit and set `classes_` and `n_features_in_` on the estimator.

    Parameters
    ----------
    estimator : BaseEstimator
    X : array-like of shape (n, p)
        Of any numeric type; it is not converted.
    y : array-like of shape (n,)
        Labels of any type.
    sample_weight : array-like of shape (n,), optional
    classes : array-like of shape (K,), optional
        All labels that may come, where they are known before the rows are (`partial_fit`).
    reset : bool, default True
        Whether this is a new fit; otherwise the rows must fit to what was learned before.
    **checks
        For scikit-learn's `validate_data`, such as ``accept_sparse``.

    Raises
    ------
    ValueError
        For input that is no finite number, lengths that do not match, labels that are no classes or
        were not announced, and weights that are negative or all zero.
    """
    rows, labels = validate_data(estimator, X, y, reset=reset, **{"dtype": "numeric", **checks})
    if rows.dtype.kind in "mM":
        raise ValueError(
            f"X holds {rows.dtype.name}, which is no number: give days, seconds or years instead."
        )
    check_classification_targets(labels)
    if reset:
        estimator.classes_ = unique_labels(labels if classes is None else classes)
    strange = np.setdiff1d(labels, estimator.classes_)
    if len(strange):
        known = estimator.classes_.tolist()
        raise ValueError(f"Labels {strange.tolist()} are not among {known}.")
    weight = None
    if sample_weight is not None:
        weight = _check_sample_weight(sample_weight, rows, ensure_non_negative=True)
    return LabelledRows(rows, np.searchsorted(estimator.classes_, labels), weight)


def begins(estimator: BaseEstimator, classes: ArrayLike | None) -> bool:
    """Tell whether this is the first call to `partial_fit`, which must name the classes.

    Raises
    ------
    ValueError
        When it is, and does not.
    """
    first = not hasattr(estimator, "classes_")
    if first and classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit.")
    return first


def require_two_classes(count: Array) -> None:
    """Raise ValueError unless at least two of the classes have rows, or weight: count (K,)."""
    n_classes = np.count_nonzero(count)
    if n_classes < 2:
        raise ValueError(f"A classifier needs rows of at least two classes; got {n_classes} class.")
