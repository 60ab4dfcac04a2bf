"""Assembly of a data frame from columns with arbitrary names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from lincore.errors import DataError


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the frame with some columns replaced, or with new ones appended.

    Like `DataFrame.assign`, which takes names as keywords and therefore rejects a column called
    "self".
    """
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
    found = {n: (columns[n] if n in columns else frame[n]).array for n in map(str, frame)}
    return pd.DataFrame(found, index=frame.index)


def require_columns(frame: pd.DataFrame, names: Iterable[str], option: str) -> None:
    """Reject names of columns that the frame does not have."""
    for name in names:
        if name not in frame:
            raise DataError(
                "There is no such column.",
                where=f"option {option}, {name!r}",
                remedy=f"Choose among: {', '.join(map(str, frame.columns[:10]))}.",
            )
