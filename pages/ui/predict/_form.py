"""A form for one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pandas as pd
import streamlit as st

from lincore import prediction
from lincore.analysis import TypedRow
from lincore.utils import value_text
from pages.ui.session import questions
from pages.ui.widgets import controls, displays, tables, text

if TYPE_CHECKING:
    from lincore.model_selection import FittedModel

KEY = "predict.hand"
#: How often a row came from elsewhere, and the last row.
TURN = "predict.hand.turn"
# Maximum number of input fields; with more features the values are edited in a table.
MOST_FIELDS, FIELDS_A_ROW = 24, 4
MOST_CHARACTERS = 10_000
_MISSING = "missing"


def ask(model: FittedModel, median: pd.DataFrame, typed: Mapping[str, Any]) -> pd.DataFrame:
    """Ask for the values of one row, and return the last submitted row; `typed` are its values."""
    defaults = _values(median)
    values = defaults | {name: value for name, value in typed.items() if name in defaults}
    row = prediction.typed_row(model, values)
    # The form is reset by other medians and by a row from a link.
    turn, last = st.session_state.get(TURN, (0, {}))
    if typed != last:
        turn += 1
        st.session_state[TURN] = turn, typed
    key = f"{KEY}.{crc32(repr(defaults).encode())}.{turn}"
    columns = [name for name in row.columns if name not in model.text_columns]
    with st.form(key, border=False):
        if len(columns) > MOST_FIELDS:
            _table(columns, values, key)
        else:
            for j, name in enumerate(columns):
                if j % FIELDS_A_ROW == 0:  # row by row, to keep the order on phones
                    form_columns = st.columns(min(FIELDS_A_ROW, len(columns)))
                with form_columns[j % len(form_columns)]:
                    _field(model, j, values[name], f"{key}.{j}")
        for name in model.text_columns:
            st.text_area(
                text.escape(name),
                values[name],
                key=f"{key}.text.{name}",
                max_chars=MOST_CHARACTERS,
            )
        st.form_submit_button(
            "Predict",
            on_click=_keep,
            args=(model, columns, values, key),
            help="The fields begin with the median observation of the training rows.",
        )
    return row


def _values(row: pd.DataFrame) -> dict[str, Any]:
    first = {name: row[name].tolist()[0] for name in row.columns}
    return {name: None if pd.isna(value) else value for name, value in first.items()}


def _levels(model: FittedModel, column: int) -> list[str] | None:
    levels = None if model.levels is None else model.levels[column]
    return None if levels is None else [_MISSING, *map(str, levels)]


def _field(model: FittedModel, column: int, value: Any, key: str) -> None:
    name, levels = text.escape(model.feature_names[column]), _levels(model, column)
    if levels is not None:
        position = levels.index(str(value)) if str(value) in levels[1:] else 0
        st.selectbox(name, index=position, key=key, **controls.named(range(len(levels)), levels))
    else:
        start = _number(value)
        start = start if isinstance(start, float) else None
        st.number_input(name, value=start, format="%.6g", key=key, placeholder=_MISSING)


def _table(columns: list[str], values: dict[str, Any], key: str) -> None:
    """Let the values of many features be edited in a table."""
    tables.edit(
        {"feature": columns, "value": [_cell(values[name]) for name in columns]},
        key=f"{key}.table",
        hide_index=True,
        disabled=["feature"],
        height=400,
    )


def _cell(value: Any) -> str:
    return "" if value is None else value_text(value)


def _keep(model: FittedModel, columns: list[str], former: dict[str, Any], key: str) -> None:
    """Store the submitted values before the page is drawn, as they are part of the link."""
    values = dict(former)
    edited = (st.session_state.get(f"{key}.table") or {}).get("edited_rows", {})
    for j, name in enumerate(columns):
        levels, value = _levels(model, j), st.session_state.get(f"{key}.{j}")
        if len(columns) > MOST_FIELDS:
            value = edited.get(j, {}).get("value", _cell(former[name]))
            value = (value or None) if levels is not None else _number(value)
        elif levels is not None:
            value = levels[value] if value else None
        values[name] = value
    for name in model.text_columns:
        values[name] = st.session_state.get(f"{key}.text.{name}") or ""
    st.session_state[TURN] = st.session_state.get(TURN, (0,))[0], values
    displays.set_settings(questions.PREDICT, rows=TypedRow(values))


def _number(value: Any) -> float | str | None:
    """Return typed text as a number if possible; other text is parsed later, as in files."""
    if value is None or not str(value).strip():
        return None
    try:
        return float(value)
    except ValueError:
        return str(value)
