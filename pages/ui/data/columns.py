"""The columns of a table: their names and roles, changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import io
from lincore.errors import DataError
from lincore.utils import true_minus
from pages.ui.data import _bulk_edits, _edits, _filters, new_data
from pages.ui.session import commands
from pages.ui.session.sources import Source
from pages.ui.widgets import tables

if TYPE_CHECKING:
    from lincore.io import Column

TURN = "data.columns.turn"
BASE = "data.columns.base"


def show(found: Source) -> None:
    """Show every column with its name and role, which can be changed in place."""
    if found.table is None:
        new_data.folded()
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="data.columns.row"):
        new_data.folded()
        _target(found)
        _filters.rows(found)
        _filters.classes(found)
    _edits.show(found)
    base, key = _base(_frame(found))
    with st.container(key="data.columns"):
        tables.edit(
            base,
            key=key,
            hide_index=True,
            height=min(38 + 35 * len(base), 390),
            disabled=["type", "missing", "distinct", "examples", "note"],
            column_config=_config(len(found.used.frame if found.used else found.table.frame)),
            on_change=_apply,
            args=(found, key),
            alt="Every column with its role, type, missing and distinct values, and examples.",
        )
    st.caption(
        "Double-click a name to rename, a role to change it: features are used, text is counted "
        "word by word, rows of one group stay together, a weight says what a row counts, a "
        "frequency is its number of equal rows, and ignored columns are seen by no model. "
        "Select several columns to change them together."
    )
    _bulk_edits.show(found)


def _target(found: Source) -> None:
    key = "data.target"
    # Always what is in use: a choice that was refused must not stay on the screen.
    st.session_state[key] = found.target
    st.selectbox(
        "Target",
        [column.name for column in found.columns],
        key=key,
        index=None if found.target is None else 0,
        placeholder="Choose the target",
        help="The column that holds the classes.",
        on_change=_retarget,
        args=(found, key),
        format_func=found.name_of,
        width=260,
    )


def _retarget(found: Source, key: str) -> None:
    column = st.session_state.get(key)
    # A click that crosses a change of data comes when the box is gone, or its columns are.
    if found.table is not None and column in found.table.frame.columns:
        commands.revise(found.with_target(column))


def _frame(found: Source) -> pd.DataFrame:
    names = set(found.choices.categories)
    selected = set(st.session_state.get(_bulk_edits.SELECTED, ()))
    n_rows = len(found.used.frame) if found.used is not None else 1
    return pd.DataFrame(
        {
            "select": [column.name in selected for column in found.columns],
            "column": [found.name_of(column.name) for column in found.columns],
            "role": [column.role for column in found.columns],
            "type": [column.kind for column in found.columns],
            "missing": [100 * column.n_missing / n_rows for column in found.columns],
            "distinct": [column.n_distinct for column in found.columns],
            "examples": [_examples(column) for column in found.columns],
            "categorical": [column.name in names for column in found.columns],
            "note": [_note(found, column, io.EXCLUSION_REASONS) for column in found.columns],
        }
    )


def _note(found: Source, column: Column, reasons: Mapping[Any, str]) -> str:
    called = found.name_of(column.name)
    renamed = f"{column.name} in the file" if called != column.name else ""
    reason = column.reason or reasons.get(column.kind, "") if column.role != "target" else ""
    return "; ".join(note for note in (renamed, reason) if note)


def _examples(column: Column) -> str:
    examples = ", ".join(column.examples)
    # With a true minus sign: a text that begins with a hyphen could be a formula.
    return true_minus(examples) if column.kind == "number" else examples


def _base(now: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return what the editor starts from, and its key.

    The editor keeps what was edited as differences to what it started from. Where these no
    longer give what is true now, it starts afresh under another key.
    """
    turn = st.session_state.setdefault(TURN, 0)
    base = st.session_state.get(BASE)
    key = f"data.columns.{turn}"
    if base is not None and key in st.session_state and _edited(base, key).equals(now):
        return base, key
    st.session_state[TURN], st.session_state[BASE] = turn + 1, now
    return now, f"data.columns.{turn + 1}"


def _edited(base: pd.DataFrame, key: str) -> pd.DataFrame:
    edited = base.copy()
    for row, cells in st.session_state[key]["edited_rows"].items():
        for name, value in cells.items():
            if int(row) < len(edited):
                edited.loc[int(row), name] = value
    return edited


def _apply(found: Source, key: str) -> None:
    """Make what was edited the choices of the session."""
    edited = _edited(st.session_state[BASE], key)
    now = _frame(found)
    names = [column.name for column in found.columns]
    is_selected = edited["select"].astype(bool)
    st.session_state[_bulk_edits.SELECTED] = [
        n for n, on in zip(names, is_selected, strict=True) if on
    ]

    def changed(word: str) -> dict[str, Any]:
        here = (edited[word] != now[word]).tolist()
        values = zip(names, edited[word], here, strict=True)
        return {name: value for name, value, other in values if other and value is not None}

    wanted = found
    try:
        if changed("role"):
            wanted = wanted.with_roles(changed("role"))
    except DataError as error:
        commands.refuse_change(error)
        return
    if changed("column"):
        wanted = wanted.with_names({name: str(new) for name, new in changed("column").items()})
    for name, categorical in changed("categorical").items():
        wanted = wanted.with_kind([name], categorical=bool(categorical))
    if wanted is not found:
        commands.revise(wanted)


def _config(n_rows: int) -> dict[str, Any]:
    column = st.column_config
    return {
        "select": column.CheckboxColumn(
            "", width=40, pinned=True, help="Select columns to change them together."
        ),
        "column": column.TextColumn(
            width="medium", pinned=True, required=True, help="Double-click to rename."
        ),
        "role": column.SelectboxColumn(
            options=list(io.COLUMN_ROLES),
            required=True,
            width="small",
            help="The use of the column.",
        ),
        "type": column.TextColumn(width="small", help="The detected content of the column."),
        "categorical": column.CheckboxColumn(
            width=100, help="Take numbers as categories, such as postcodes."
        ),
        "missing": column.NumberColumn(
            width="small",
            format="%.1f %%",
            help=f"Share of the {n_rows:,} rows with a missing value.",
        ),
        "distinct": column.NumberColumn(
            width="small", format="localized", help="Different values."
        ),
        "examples": column.TextColumn(width="medium", help="The first different values."),
        "note": column.TextColumn(width="large", help="Why it is not proposed as a feature."),
    }
