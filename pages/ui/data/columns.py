"""The columns of a table, editable in place; its edits, each of which can be undone; its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import io, report
from lincore.errors import DataError
from pages.ui.data import _bulk_edits, _filters, new_data
from pages.ui.session import commands
from pages.ui.session.sources import Source
from pages.ui.widgets import controls, displays, tables, text

if TYPE_CHECKING:
    from lincore.displays import Display

TURN = "data.columns.turn"
BASE = "data.columns.base"
#: The edited table, and the display from which it was made.
NOW = "data.columns.now"
#: Edits that are listed; the others can only be undone together.
MOST_LISTED = 12
#: Rows in the preview of a table.
SHOWN_ROWS = 200


def show(source: Source) -> None:
    """Show every column with its name and role, which are editable in place."""
    if source.table is None:
        new_data.show_folded()
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="data.columns.row"):
        new_data.show_folded()
        _target(source)
        _filters.offer_rows(source)
        _filters.offer_classes(source)
    _show_edits(source)
    base, key = _base(_frame(source))
    with st.container(key="data.columns"):
        tables.edit_safe(
            base,
            key=key,
            hide_index=True,
            height=min(38 + 35 * len(base), 390),
            disabled=["type", "missing (%)", "distinct", "examples", "note"],
            column_config=_config(),
            on_change=_apply,
            args=(source, key),
            alt="Every column with its role, type, missing and distinct values, and examples.",
        )
    st.caption(
        "Double-click a name or a role to change it: features are used, text is counted "
        "word by word, rows of one group stay together, a weight is the sampling weight of a row, "
        "a frequency the number of times it occurs, and ignored columns are not used. "
        "Select several columns to change them together."
    )
    _bulk_edits.show(source)


def _target(source: Source) -> None:
    key = "data.target"
    # Always the target in use: a refused choice must not stay on the screen.
    st.session_state[key] = source.target
    names = [column.name for column in source.columns]
    st.selectbox(
        "Target",
        **controls.named(names, map(source.choices.name_of, names), 260),
        key=key,
        index=None if source.target is None else 0,
        placeholder="Choose the target",
        help="The column that holds the classes.",
        on_change=_retarget,
        args=(source, key),
    )


def _retarget(source: Source, key: str) -> None:
    column: Any = st.session_state.get(key)
    # A late click, after a change of data, may come without a value or with a former column.
    if source.table is not None and column in source.table.frame.columns:
        commands.revise(source.with_target(column))


def _frame(source: Source) -> pd.DataFrame:
    """Return the table of the display with check boxes; the same object until it changes."""
    selected, categories = st.session_state.get(_bulk_edits.SELECTED, ()), source.choices.categories
    described = source.table_columns
    assert described is not None
    displays.note(described)
    made_of = described.key, tuple(selected), categories
    if st.session_state.get(NOW, ("",))[0] != made_of:
        names = [column.name for column in source.columns]
        shown = displays.table(described).copy(deep=False)
        shown.insert(0, "select", [name in selected for name in names])
        shown.insert(len(shown.columns) - 1, "categorical", [name in categories for name in names])
        st.session_state[NOW] = made_of, tables.safe(shown)
    return st.session_state[NOW][1]


def _base(now: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the initial table of the editor, and its key."""
    # The editor stores edits as differences from its initial table. If these no longer
    # produce the current state, it is restarted with another key.
    turn = st.session_state.setdefault(TURN, 0)
    base = st.session_state.get(BASE)
    key = f"data.columns.{turn}"
    if base is not None and key in st.session_state:
        is_untouched = base is now and not st.session_state[key]["edited_rows"]
        if is_untouched or _edited(base, key).equals(now):
            return base, key
    st.session_state[TURN], st.session_state[BASE] = turn + 1, now
    return now, f"data.columns.{turn + 1}"


def _edited(base: pd.DataFrame, key: str) -> pd.DataFrame:
    table = base.copy()
    for row, cells in st.session_state[key]["edited_rows"].items():
        for name, value in cells.items():
            if int(row) < len(table):
                table.loc[int(row), name] = value
    return table


def _apply(source: Source, key: str) -> None:
    """Apply the edits to the session."""
    edited = _edited(st.session_state[BASE], key)
    now = _frame(source)
    names = [column.name for column in source.columns]
    st.session_state[_bulk_edits.SELECTED] = [
        name for name, is_selected in zip(names, edited["select"], strict=True) if is_selected
    ]

    def changed(word: str) -> dict[str, Any]:
        is_changed = (edited[word] != now[word]).tolist()
        values = zip(names, edited[word], is_changed, strict=True)
        return {name: value for name, value, is_new in values if is_new and value is not None}

    wanted = source
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
    if wanted is not source:
        commands.revise(wanted)


def _config() -> dict[str, Any]:
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
            width=100, help="Use numbers as categories, for example postcodes."
        ),
        "missing (%)": column.NumberColumn(
            width="small",
            format="%.1f",
            help="Share of the rows in which it is missing.",
        ),
        "distinct": column.NumberColumn(
            width="small", format="localized", help="Number of distinct values."
        ),
        "examples": column.TextColumn(width="medium", help="The first distinct values."),
        "note": column.TextColumn(width="large", help="Why it is not proposed as a feature."),
    }


def _show_edits(source: Source) -> None:
    """List the current edits, each with a button that undoes it."""
    if source.table is None or source.used is None:
        return
    edits = io.table_edits(source.choices, source.options)
    if not edits:
        return
    finding = report.edits_finding(len(edits), len(source.used.frame), len(source.table.frame))
    with st.container(horizontal=True, vertical_alignment="center", key="data.edits"):
        st.markdown(f"**{finding}**", width="content")
        for i, edit in enumerate(edits[:MOST_LISTED]):
            st.button(
                text.escape(edit.label),
                key=f"data.undo.{edit.option}.{i}",
                icon=":material/close:",
                on_click=commands.revise,
                args=(source.with_options(edit.choices, edit.reading),),
                help="Undo this edit.",
            )
        if len(edits) > MOST_LISTED:
            st.caption(f"and {len(edits) - MOST_LISTED} more", width="content")
        if len(edits) > 1:
            st.button(
                "Undo all",
                key="data.undo.all",
                icon=":material/undo:",
                on_click=commands.revise,
                args=(_unedited(source),),
                help="Use the table as originally read.",
            )


def _unedited(source: Source) -> Source:
    """Return a table as imported, with its target and the treatment of missing values."""
    reading = source.options and replace(source.options, missing_in=None)
    return source.with_options(source.choices.unedited(), reading)


def show_rows(display: Display) -> None:
    """Show the first rows unchanged."""
    st.subheader("Rows", anchor=False)
    _table(identity=display.key, _display=display)
    st.caption(text.escape(displays.parts(display).finding))


# Numbers are not rounded as in other displays, so that they can be compared with the file.
@st.cache_resource(max_entries=16, ttl="2h", show_spinner=False)
def _table(identity: str, _display: Display) -> None:
    frame = _display.frame()
    with st.container(key="data.rows"):
        tables.show(
            frame,
            hide_index=True,
            height=min(38 + 35 * len(frame), 320),
            alt=f"The first {len(frame)} rows.",
        )
