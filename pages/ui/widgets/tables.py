"""Tables of the dashboard, safe to open in a spreadsheet.

Streamlit's download button and copying export the cells of a table unchanged. Therefore a text such
as ``=cmd|…`` is made harmless in the table itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_not
from typing import Any

import pandas as pd
import streamlit as st

from lincore import utils


def show(frame: pd.DataFrame, **options: Any) -> Any:
    """Show a table; options are those of `st.dataframe`."""
    return st.dataframe(safe(frame), **options)


def edit(columns: Mapping[str, Any], **options: Any) -> Any:
    """Show an editable table; options are those of `st.data_editor`.

    `columns` are those of a table, by name. Texts that could be formulas are returned with the
    apostrophe with which they are shown.
    """
    return edit_safe(safe(pd.DataFrame(columns)), **options)


def edit_safe(frame: pd.DataFrame, **options: Any) -> Any:
    """Show an editable table whose texts are safe already."""
    return st.data_editor(frame, **options)


def safe(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which names and texts that could be formulas are made harmless."""

    def harmless(value: Any) -> Any:
        # The same object if nothing has to be changed.
        safe = utils.spreadsheet_safe(value) if isinstance(value, str) else value
        return value if safe == value else safe

    names = list(map(harmless, frame.columns))
    # By position: names may occur twice.
    columns = {}
    for position, (_, column) in enumerate(frame.items()):
        if not pd.api.types.is_numeric_dtype(column.dtype):
            values = list(column)
            safe_values = list(map(harmless, values))
            if any(map(is_not, safe_values, values)):
                columns[position] = pd.Series(safe_values, index=column.index, dtype=object)
    if not columns and not any(map(is_not, names, frame.columns)):
        return frame
    safe_frame = pd.DataFrame(
        {i: columns.get(i, column) for i, (_, column) in enumerate(frame.items())},
        index=frame.index,
    )
    safe_frame.columns = pd.Index(names, name=frame.columns.name)
    return safe_frame
