"""Data frames and their columns: conversion, values, counts, unique names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.interchange import from_dataframe

from lincore.errors import DataError, Notice, error_summary

_MANY_VALUES = 100_000
_FEW_ROWS = 5_000
# File name endings that are not part of the name of the data.
_ENDINGS = re.compile(
    r"(\.(csv|tsv|txt|tab|dat|data|zip|gz|parquet|pq|arff|jsonl?|xls[xmb]?|ods|z?sav|dta|sas7bdat|xpt))"
    r"+$",
    re.IGNORECASE,
)


def feature_frame(
    X: Any, names: Sequence[str], levels: Sequence[Sequence[str] | None] | None, n_words: int
) -> pd.DataFrame:
    """Return the rows of a data set as a table, levels by their names."""
    if n_words:
        sparse: Any = pd.DataFrame.sparse  # an accessor, which the stubs do not know
        return sparse.from_spmatrix(X, columns=list(names))
    X = X.reshape(len(X), -1)
    if levels is None:
        return pd.DataFrame(X, columns=list(names))
    columns = [_column(X[:, j], known) for j, known in enumerate(levels)]
    # Not a mapping: two features may have the same name.
    return pd.concat(columns, axis=1).set_axis(list(names), axis=1)


def _column(values: Any, known: Sequence[str] | None) -> pd.Series[Any]:
    if known is None:
        return pd.Series(values)
    codes = np.where(np.isnan(values), -1, values).astype(np.intp)
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(list(known))))


def describe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one line per column: kind, missing values and range."""
    lines = []
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        line = {"missing": int(column.isna().sum()), "distinct": int(column.nunique())}
        if isinstance(column.dtype, pd.CategoricalDtype):
            modes = column.mode().astype(str).tolist()
            lines.append({"kind": "category", **line, "most frequent": modes[0] if modes else ""})
            continue
        summary = column.astype(float).describe().rename({"std": "SD", "50%": "median"})
        lines.append({"kind": "number", **line, **summary, "most frequent": ""})
    names = ["kind", "missing", "distinct", "mean", "SD", "min", "median", "max", "most frequent"]
    index = pd.Index(frame.columns, name="feature")
    return pd.DataFrame(lines, columns=names, index=index)


def is_frame(source: Any) -> bool:
    """Return whether an object is a table of another library (polars, Arrow, DuckDB, …)."""
    exports = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__dataframe__")
    return exports and not isinstance(source, type)


def as_frame(source: Any) -> pd.DataFrame:
    """Convert a table of another library to a DataFrame, via Arrow."""
    if isinstance(source, pd.DataFrame):
        return source
    try:
        if hasattr(source, "__arrow_c_stream__"):
            table = pa.table(source)
        else:
            table = from_dataframe(source)
        return table.to_pandas(ignore_metadata=True)
    except (pa.ArrowException, ValueError, TypeError, NotImplementedError) as error:
        raise DataError(
            f"It cannot be read as a table ({error_summary(error)[:120]}).",
            where=f"a {type(source).__module__}.{type(source).__name__}",
            remedy="Convert it with its `to_pandas()`.",
        ) from error


def as_plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return columns of objects or categories as numbers if possible, otherwise as text."""
    names = [str(name) for name in frame]
    odd = {name: _plain_column(frame[name]) for name in names if not _is_plain(frame[name])}
    return with_columns(frame, odd)


def _is_plain(column: pd.Series[Any]) -> bool:
    types = pd.api.types
    text = isinstance(column.dtype, pd.StringDtype)
    return is_number(column) or text or types.is_datetime64_any_dtype(column)


def _plain_column(column: pd.Series[Any]) -> pd.Series[Any]:
    if column.dtype == object:
        inferred = column.infer_objects()
        if _is_plain(inferred):
            return inferred
        if set(map(type, column.dropna())) == {Decimal}:
            return column.astype("float64")
    return column.map(_value_text, na_action="ignore").astype("str").where(column.notna())


def _value_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame with some columns replaced, or with new ones appended."""
    # Like `DataFrame.assign`, which takes names as keywords and therefore rejects a column called
    # "self".
    # Nothing is copied: pandas copies a column only on writing.
    changed = frame.copy(deep=False)
    for name, values in columns.items():
        changed[name] = values
    return changed


def with_many(frame: pd.DataFrame, columns: Mapping[str, pd.Series[Any]]) -> pd.DataFrame:
    """Return the frame with some, possibly thousands of, columns replaced."""
    if 2 * len(columns) < frame.shape[1] or not columns:
        return with_columns(frame, columns)
    # Arrays rather than series, because pandas would compare the indices of all series.
    arrays = {n: (columns[n] if n in columns else frame[n]).array for n in map(str, frame)}
    return pd.DataFrame(arrays, index=frame.index)


def is_dask(source: Any) -> bool:
    """Return whether an object is a Dask DataFrame."""
    return type(source).__module__.startswith("dask.") and hasattr(source, "to_delayed")


def is_number(column: pd.Series[Any]) -> bool:
    """Return whether a column holds real numbers (including True and False).

    Parameters
    ----------
    column : Series of n values
        With any pandas dtype; text that looks like numbers does not count.
    """
    types = pd.api.types
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
    return len(pd.unique(values))


def display_name(file_name: str) -> str:
    """Return a file's name without its extension, as the name of the data."""
    return _ENDINGS.sub("", file_name) or file_name


def numbered(word: str, count: int) -> tuple[str, ...]:
    """Return names such as "column 1", "column 2"."""
    return tuple(f"{word} {i}" for i in range(1, count + 1))


def pixel_names(height: int, width: int, n_colours: int = 1) -> tuple[str, ...]:
    """Return the feature names of an image, row by row, counted from 1 at the top left."""
    colours = (" red", " green", " blue") if n_colours == 3 else ("",)
    return tuple(
        f"pixel {i},{j}{colour}"
        for i in range(1, height + 1)
        for j in range(1, width + 1)
        for colour in colours
    )


def unique_names(names: Iterable[str]) -> tuple[list[str], tuple[Notice, ...]]:
    """Make repeated names unique by numbers, and return which were changed."""
    taken: dict[str, int] = {}
    unique, repeated = [], []
    for name in names:
        new = name
        while new in taken:
            taken[name] += 1
            new = f"{name} ({taken[name]})"
        taken[new] = 1
        unique.append(new)
        repeated += [new] if new != name else []
    if not repeated:
        return unique, ()
    remedy = "Make column names unique."
    return unique, (
        Notice("The name of another column; numbered.", columns_named(repeated), remedy, "LIN016"),
    )


def refuse_infinite(
    X: Any, features: Sequence[str], name: str, locate: Callable[[int], str]
) -> None:
    """Raise an error for the first infinite value of dense rows; `locate` describes a row."""
    infinite = np.isinf(X)
    if infinite.any():
        row, feature = np.argwhere(infinite)[0]
        raise DataError(
            f"The value {X[row, feature]} is infinite.",
            where=f"{name}, {locate(row)}, column {features[feature]!r}",
            remedy="Correct the value, or leave the cell empty.",
        )


def columns_named(names: Sequence[str]) -> str:
    """List columns as the location in a message; at most ten by name."""
    shown = ", ".join(map(repr, names[:10]))
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"
