"""A form in which one row is typed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from lincore import inspection
from pages.ui.widgets import tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.model_selection import FittedModel
    from pages.ui.session.sidebar import Experiment

KEY = "predict.hand"
# So many fields are taken in at a glance; of more features the values stand in a table.
MOST_FIELDS, FIELDS_A_ROW = 24, 4
_MISSING = "missing"


def ask(experiment: Experiment, model: FittedModel) -> pd.DataFrame:
    """Ask for the values of one row, beginning with the median observation."""
    data, _, split = experiment
    n_table = data.n_table_columns
    usual = inspection.median_row(data, split.train)[:n_table]
    key = f"{KEY}.{data.digest}"
    with st.form(key, border=False):
        if n_table > MOST_FIELDS:
            values = _table(data, usual, key)
        else:
            columns = st.columns(min(FIELDS_A_ROW, max(n_table, 1)))
            values = {}
            for j, value in enumerate(usual.tolist()):
                with columns[j % len(columns)]:
                    values[data.feature_names[j]] = _field(data, j, value, f"{key}.{j}")
        for name in model.text_columns:
            values[name] = st.text_area(text.escape(name), key=f"{key}.text.{name}")
        st.form_submit_button(
            "Predict", help="The fields begin with the median observation of the training rows."
        )
    return pd.DataFrame({name: [value] for name, value in values.items()})


def _field(data: Dataset, column: int, value: float, key: str) -> Any:
    name, levels = text.escape(data.feature_names[column]), inspection.level_names(data, column)
    if levels is not None:
        names = [_MISSING, *(str(level) for level in levels)]
        place = 0 if np.isnan(value) else 1 + int(value)
        found = st.selectbox(name, range(len(names)), place, format_func=names.__getitem__, key=key)
        return names[found] if found else None
    start = None if np.isnan(value) else float(value)
    return st.number_input(name, value=start, format="%.6g", key=key, placeholder=_MISSING)


def _table(data: Dataset, usual: np.ndarray, key: str) -> dict[str, Any]:
    """Let the values of many features be edited in a table."""
    levels = [inspection.level_names(data, j) for j in range(len(usual))]
    first = [
        "" if np.isnan(value) else f"{value:.6g}" if known is None else str(known[int(value)])
        for value, known in zip(usual, levels, strict=True)
    ]
    names = list(data.feature_names[: len(usual)])
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
