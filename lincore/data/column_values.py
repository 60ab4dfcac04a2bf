"""Values of a table column: numbers, texts and their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_MANY_VALUES = 100_000
_FEW_ROWS = 5_000


def is_number(column: pd.Series[Any]) -> bool:
    """Return whether a column holds real numbers (including True and False).

    Parameters
    ----------
    column : Series of n values
        With any pandas dtype; text that looks like numbers does not count.
    """
    from pandas.api import types  # takes 0.4 s, which would delay the start of a page

    return types.is_numeric_dtype(column) and not types.is_complex_dtype(column)


def present_numbers(column: pd.Series[Any]) -> np.ndarray:
    """Return the nonmissing values of a numeric column, in order."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        return column.to_numpy()
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    gaps = np.isnan(values)
    return values[~gaps] if gaps.any() else values


def first_texts(column: pd.Series[Any], count: int | None = None) -> list[str]:
    """Return the texts among the first values of a column, in order."""
    # A list, because pandas takes a tenth of a millisecond per step, and there may be thousands of
    # columns.
    return [value for value in _listed(column, count) if isinstance(value, str)]


def listed_texts(column: pd.Series[Any]) -> list[str | None]:
    """Return the values of a text column, None for missing ones."""
    return [value if isinstance(value, str) else None for value in _listed(column)]


def _listed(column: pd.Series[Any], count: int | None = None) -> list[Any]:
    array: Any = column.array if count is None else column.array[:count]
    # Arrow creates the list ten times as fast as pandas.
    is_arrow = getattr(column.dtype, "storage", "") == "pyarrow"
    values: list[Any] = array.__arrow_array__().to_pylist() if is_arrow else array.tolist()
    return values


def is_short_text(column: pd.Series[Any]) -> bool:
    """Return whether a column is text with so few rows that a list is faster than pandas."""
    return len(column) <= _FEW_ROWS and column.dtype.name in ("str", "string")


def count_present(column: pd.Series[Any]) -> tuple[int, int]:
    """Return the numbers of nonmissing and of distinct values of a column."""
    if is_short_text(column):
        texts = first_texts(column)
        return len(texts), len(set(texts))
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        values = present_numbers(column)
        return len(values), count_distinct(values)
    return int(column.notna().sum()), int(column.nunique())


def count_distinct(values: np.ndarray) -> int:
    """Return the number of distinct numbers."""
    if len(values) <= _MANY_VALUES:
        return len(np.unique(values))
    # By hashing: sorting would copy millions of numbers, even if few are distinct.
    from pandas import unique  # as above

    return len(unique(values))
