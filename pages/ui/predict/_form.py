"""A form in which one row is typed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.widgets import tables, text

if TYPE_CHECKING:
    from lincore.model_selection import FittedModel

KEY = "predict.hand"
# So many fields are taken in at a glance; of more features the values stand in a table.
MOST_FIELDS, FIELDS_A_ROW = 24, 4
_MISSING = "missing"


def ask(model: FittedModel, usual: np.ndarray) -> pd.DataFrame:
    """Ask for the values of one row.

    Parameters
    ----------
    model : FittedModel
    usual : (q,) array
        The values to begin with, of the features that are columns; NaN where there is none.
    """
    key = f"{KEY}.{model.digest}"
    with st.form(key, border=False):
        if len(usual) > MOST_FIELDS:
            values = _table(model, usual, key)
        else:
            values = {}
            for j, value in enumerate(usual.tolist()):
                if j % FIELDS_A_ROW == 0:  # row by row, so that a phone has them in order
                    columns = st.columns(min(FIELDS_A_ROW, len(usual)))
                with columns[j % len(columns)]:
                    values[model.feature_names[j]] = _field(model, j, value, f"{key}.{j}")
        for name in model.text_columns:
            values[name] = st.text_area(text.escape(name), key=f"{key}.text.{name}")
        st.form_submit_button(
            "Predict", help="The fields begin with the median observation of the training rows."
        )
    return pd.DataFrame({name: [value] for name, value in values.items()})


def _levels(model: FittedModel, column: int) -> tuple[str, ...] | None:
    return None if model.levels is None else model.levels[column]


def _field(model: FittedModel, column: int, value: float, key: str) -> Any:
    name, levels = text.escape(model.feature_names[column]), _levels(model, column)
    if levels is not None:
        names = [_MISSING, *(str(level) for level in levels)]
        place = 0 if np.isnan(value) else 1 + int(value)
        found = st.selectbox(name, range(len(names)), place, format_func=names.__getitem__, key=key)
        return names[found] if found else None
    start = None if np.isnan(value) else float(value)
    return st.number_input(name, value=start, format="%.6g", key=key, placeholder=_MISSING)


def _table(model: FittedModel, usual: np.ndarray, key: str) -> dict[str, Any]:
    """Let the values of many features be edited in a table."""
    levels = [_levels(model, j) for j in range(len(usual))]
    first = [
        "" if np.isnan(value) else f"{value:.6g}" if known is None else str(known[int(value)])
        for value, known in zip(usual, levels, strict=True)
    ]
    names = list(model.feature_names[: len(usual)])
    edited = tables.edit(
        pd.DataFrame({"feature": names, "value": first}),
        key=f"{key}.table",
        hide_index=True,
        disabled=["feature"],
        height=400,
    )
    values = [str(value) if value is not None else None for value in edited["value"]]
    # Where a number stands for a number, it is read as in a file.
    return dict(zip(names, values, strict=True))
