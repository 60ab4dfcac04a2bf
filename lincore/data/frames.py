"""Data frames: conversion from data sets and other libraries, and columns with any name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow.interchange import from_dataframe

from lincore.errors import DataError, error_summary


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
            often = column.mode().astype(str).tolist()
            lines.append({"kind": "category", **line, "most frequent": often[0] if often else ""})
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
