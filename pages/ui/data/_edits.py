"""Edits of a table: listed with counts, and undone singly or all at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from lincore import io, report
from pages.ui.session import commands
from pages.ui.widgets import text

if TYPE_CHECKING:
    from pages.ui.session.sources import Source

# Edits that are listed; the others can only be undone together.
MOST_LISTED = 12


def show(source: Source) -> None:
    """List the current edits, each with a button that undoes it."""
    if source.table is None or source.used is None:
        return
    edits = io.table_edits(source.choices, source.options)
    if not edits:
        return
    said = report.edits_finding(len(edits), len(source.used.frame), len(source.table.frame))
    with st.container(horizontal=True, vertical_alignment="center", key="data.edits"):
        st.markdown(f"**{said}**", width="content")
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
