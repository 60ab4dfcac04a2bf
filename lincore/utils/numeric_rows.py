"""scikit-learn's checks of rows, with errors that name the column that is not numeric."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, validate_data

_DATES = (
    "{where} of X contains {content}, which are not numbers. Give days, seconds or years instead."
)
_WORDS = (
    "{where} of X contains {content}, not numbers. Encode it (one column of zeros and ones for "
    "each value, as pandas.get_dummies does), or leave it out."
)


def numeric_rows(estimator: Any, X: ArrayLike, y: Any = "no_validation", **checks: Any) -> Any:
    """Validate X (and y) by scikit-learn's `validate_data`, allowing any numeric type."""
    try:
        validated = validate_data(estimator, X, y, **{"dtype": "numeric", **checks})
    except (TypeError, ValueError) as error:
        _name_column(X, error)
        raise
    rows = validated[0] if isinstance(validated, tuple) else validated
    if rows.dtype.kind in "mMO":
        _name_column(X, None)
    return validated


def numeric_scores(X: ArrayLike, width: int, name: str) -> NDArray[Any]:
    """Validate scores (n, width) passed to an `inverse_transform`."""
    scores = np.asarray(check_array(X, dtype=np.float64, input_name="X"))
    if scores.shape[1] != width:
        raise ValueError(
            f"X has {scores.shape[1]} columns, but {name} returns {width}. Pass what its transform "
            "returns."
        )
    return scores


def _name_column(X: Any, error: Exception | None) -> None:
    """Raise an error for the first column that is not numeric, if there is one."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        columns = [(repr(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
    else:
        try:
            array = np.asarray(X)
        except ValueError:
            return
        if array.ndim != 2 or array.dtype.kind not in "mMOSU":
            return
        columns = [(str(j), array[:, j]) for j in range(array.shape[1])]
    for name, column in columns:
        _require_numbers(f"Column {name}", np.asarray(column), error)


def _require_numbers(where: str, values: NDArray[Any], error: Exception | None) -> None:
    if values.dtype.kind in "mM":
        _raise_dates(where, values.dtype.kind == "m", error)
    if values.dtype.kind not in "OSU":
        return
    for value in values:
        if isinstance(value, str | bytes):
            try:
                float(value)
            except ValueError:
                content = f"text such as {value!r}"
                raise ValueError(_WORDS.format(where=where, content=content)) from error
        elif hasattr(value, "isoformat") or hasattr(value, "total_seconds"):
            _raise_dates(where, hasattr(value, "total_seconds"), error)
        elif not np.isscalar(value) and value is not None and not hasattr(value, "__float__"):
            if type(value).__name__ == "Period":
                _raise_dates(where, False, error)
            if type(value).__name__ == "NAType":
                continue
            # A TypeError that includes NumPy's message: scikit-learn's check suite requires it.
            content = f"values of type {type(value).__name__}"
            reason = "" if error is None else f" ({error})"
            raise TypeError(_WORDS.format(where=where, content=content) + reason) from error


def _raise_dates(where: str, is_duration: bool, error: Exception | None) -> NoReturn:
    content = "durations" if is_duration else "dates"
    raise ValueError(_DATES.format(where=where, content=content)) from error
