"""Tables of the dashboard, safe to open in a spreadsheet.

Streamlit's own button writes the cells of a table to a file as they are, and so does copying them.
A label such as ``=cmd|…`` therefore stands in the table already as it may stand in a file.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from lincore import utils


def show(frame: pd.DataFrame, **options: Any) -> Any:
    """Show a table; options are those of `st.dataframe`."""
    return st.dataframe(safe(frame), **options)


def numbers(frame: pd.DataFrame, *, alt: str) -> None:
    """Show a table of numbers to five digits."""
    formats = {
        column: st.column_config.NumberColumn(format="%.5g")
        for column in frame.columns
        if pd.api.types.is_float_dtype(frame[column].dtype)
    }
    show(frame, hide_index=True, column_config=formats, width="stretch", alt=alt)


def edit(frame: pd.DataFrame, **options: Any) -> Any:
    """Show a table to be edited; options are those of `st.data_editor`.

    Texts that could be formulas come back with the apostrophe with which they are shown.
    """
    return st.data_editor(safe(frame), **options)


def safe(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the names and texts that could be formulas made harmless."""

    def harmless(value: Any) -> Any:
        # The very same object where there is nothing to do.
        safe = utils.spreadsheet_safe(value) if isinstance(value, str) else value
        return value if safe == value else safe

    names = [harmless(name) for name in frame.columns]
    # By place: names may occur twice.
    columns = {}
    for place, (_, column) in enumerate(frame.items()):
        if not pd.api.types.is_numeric_dtype(column.dtype):
            values = list(column)
            safe = [harmless(value) for value in values]
            if any(one is not value for one, value in zip(safe, values, strict=True)):
                columns[place] = pd.Series(safe, index=column.index, dtype=object)
    if not columns and all(one is name for one, name in zip(names, frame.columns, strict=True)):
        return frame
    found = pd.DataFrame(
        {place: columns.get(place, column) for place, (_, column) in enumerate(frame.items())},
        index=frame.index,
    )
    found.columns = pd.Index(names, name=frame.columns.name)
    return found
