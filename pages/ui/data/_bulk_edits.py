"""Roles and kinds of several columns at once: those selected in the table of columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from lincore import data
from lincore.utils import part_of
from pages.ui.session import commands

if TYPE_CHECKING:
    from lincore.io import Column
    from pages.ui.session.sources import Source

SELECTED = "data.columns.selected"


def show(source: Source) -> None:
    """Offer to change the role or the kind of all selected columns at once."""
    names = [column.name for column in source.columns]
    chosen = [name for name in st.session_state.get(SELECTED, ()) if name in names]
    with st.popover(
        "Edit several columns", icon=":material/checklist:", key="data.bulk", on_change="rerun"
    ) as panel:
        if not panel.open:
            return
        st.caption(f"{part_of(len(chosen), len(names))} columns selected.")
        _pick(
            "Select columns",
            list(_SELECTIONS),
            "data.bulk.select",
            lambda word: _select(source, word),
            "Or tick them in the table.",
        )
        _pick(
            "Set role",
            ["feature", "text", "ignore"],
            "data.bulk.role",
            lambda role: _set_role(source, chosen, role),
            "For the selected columns, except the target.",
            disabled=not chosen,
        )
        _pick(
            "Treat as",
            ["categorical", "numeric"],
            "data.bulk.kind",
            lambda kind: _set_kind(source, chosen, kind),
            "Numeric labels such as postcodes are categorical.",
            disabled=not chosen,
        )


_SELECTIONS: dict[str, Callable[[Column], bool]] = {
    "All": lambda column: True,
    "None": lambda column: False,
    "Numeric": lambda column: column.kind == "number",
    "Categorical": lambda column: column.kind == "category",
    "Ignored": lambda column: column.role == "ignore",
    "With missing values": lambda column: column.n_missing > 0,
}


def _pick(
    label: str,
    options: list[str],
    key: str,
    act: Callable[[str], None],
    help: str,
    disabled: bool = False,
) -> None:
    """Offer actions: the chosen one is applied, and the selection is reset."""

    def run() -> None:
        word = st.session_state.get(key)
        st.session_state[key] = None
        if word is not None:
            act(word)

    st.selectbox(
        label,
        options,
        index=None,
        key=key,
        placeholder="Choose",
        on_change=run,
        help=help,
        disabled=disabled,
    )


def _select(source: Source, word: str) -> None:
    is_wanted = _SELECTIONS[word]
    others = [column for column in source.columns if column.role != "target"]
    st.session_state[SELECTED] = [column.name for column in others if is_wanted(column)]


def _set_role(source: Source, names: list[str], role: str) -> None:
    others = {name: role for name in names if name != source.target}
    if others:
        commands.revise(source.with_roles(others))


def _set_kind(source: Source, names: list[str], kind: str) -> None:
    numbers = {column.name for column in source.columns if column.name != source.target}
    if source.table is not None:
        numbers &= {name for name in names if data.is_number(source.table.frame[name])}
    if numbers:
        changed = [name for name in names if name in numbers]
        commands.revise(source.with_kind(changed, categorical=kind == "categorical"))
