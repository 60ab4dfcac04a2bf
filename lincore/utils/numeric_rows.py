"""Rows as numbers, by scikit-learn's checks; what is no number is named with what helps."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, validate_data

_DATES = "{where} of X holds {what}, which are no numbers. Give days, seconds or years instead."
_WORDS = (
    "{where} of X holds {what}, not numbers. Code it as numbers (one column of zeros and ones for "
    "each value, such as pandas.get_dummies makes), or leave it out."
)


def numeric_rows(estimator: Any, X: ArrayLike, y: Any = "no_validation", **checks: Any) -> Any:
    """Return what scikit-learn's `validate_data` does for numbers of any type."""
    try:
        found = validate_data(estimator, X, y, **{"dtype": "numeric", **checks})
    except (TypeError, ValueError) as error:
        _name_column(X, error)
        raise
    rows = found[0] if isinstance(found, tuple) else found
    if rows.dtype.kind in "mMO":
        _name_column(X, None)
    return found


def numeric_scores(X: ArrayLike, width: int, name: str) -> NDArray[Any]:
    """Return scores (n, width) to be turned back into rows."""
    scores = np.asarray(check_array(X, dtype=np.float64, input_name="X"))
    if scores.shape[1] != width:
        raise ValueError(
            f"X has {scores.shape[1]} columns, but {name} gives {width}. Pass what its transform "
            "returns."
        )
    return scores


def _name_column(X: Any, error: Exception | None) -> None:
    """Raise an error for the first column that holds no numbers, if there is one."""
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
        _refuse(f"Column {name}", np.asarray(column), error)


def _refuse(where: str, values: NDArray[Any], error: Exception | None) -> None:
    if values.dtype.kind in "mM":
        what = "dates" if values.dtype.kind == "M" else "durations"
        raise ValueError(_DATES.format(where=where, what=what)) from error
    if values.dtype.kind not in "OSU":
        return
    for value in values:
        if isinstance(value, str | bytes):
            try:
                float(value)
            except ValueError:
                what = f"text such as {value!r}"
                raise ValueError(_WORDS.format(where=where, what=what)) from error
        elif hasattr(value, "isoformat") or hasattr(value, "total_seconds"):
            _raise_dates(where, value, error)
        elif not np.isscalar(value) and value is not None and not hasattr(value, "__float__"):
            if type(value).__name__ == "Period":
                _raise_dates(where, value, error)
            if type(value).__name__ == "NAType":
                continue
            # A TypeError, in NumPy's words too: scikit-learn's checks ask for it.
            what = f"values of type {type(value).__name__}"
            reason = "" if error is None else f" ({error})"
            raise TypeError(_WORDS.format(where=where, what=what) + reason) from error


def _raise_dates(where: str, value: Any, error: Exception | None) -> NoReturn:
    what = "durations" if hasattr(value, "total_seconds") else "dates"
    raise ValueError(_DATES.format(where=where, what=what)) from error
