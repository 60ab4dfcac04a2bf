"""Findings on data, each with what puts it right or overrules it at one click."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from lincore import checks, io, report
from lincore.errors import DataError, Hint, Notice
from pages.ui.session import commands, state
from pages.ui.session.sources import ImageSource, Source
from pages.ui.widgets import text

if TYPE_CHECKING:
    from lincore.data import Dataset


def target(data: Dataset) -> None:
    """Say which column is the target, and how the largest class stands to the smallest."""
    found = state.source() or state.sample_source()
    whose = f"Target: **{text.escape(found.name_of(found.target))}**. " if found is not None else ""
    all_rows = data.counts + data.streamed_counts
    most, least = int(all_rows.argmax()), int(all_rows.argmin())
    counts = f"{all_rows[most]:,} {text.row_noun(data)}"
    if all_rows[most] == all_rows[least]:
        st.markdown(f"{whose}Every class has {counts}.")
        return
    times = all_rows[most] / all_rows[least]
    st.markdown(
        f"{whose}The largest class, {text.escape(data.classes[most])}, has {counts}: "
        f"{times:,.1f} times the {all_rows[least]:,} of {text.escape(data.classes[least])}."
    )


def rows_in_memory(data: Dataset) -> None:
    """Say which rows of a file too large to be held are held, and which are summed."""
    if data.n_streamed:
        st.markdown(text.escape(report.rows_in_memory(data)))


def refused() -> None:
    """Say why the last wish could not be met, and offer what would help."""
    found = state.notify()
    if found is None:
        return
    text.show_problem(found.notice)
    attempt = found.attempt
    with st.container(horizontal=True, vertical_alignment="center", key="data.refused"):
        if isinstance(attempt, Source) and attempt.table is not None:
            _buttons(attempt, found.remedies, key="data.refused")
        current = text.escape(state.require_dataset().name)
        st.caption(f"Current data: {current}.", width="content")
        if found.shown and attempt is not None:
            st.button(
                f"Back to {current}",
                key="data.refused.back",
                on_click=state.dismiss,
                help="Forget what could not be used.",
            )


def made_grey(found: ImageSource, data: Dataset) -> None:
    """Say so where images that have colours were made grey, and offer to keep the colours."""
    if not any(notice.what == io.GREY_NOTICE for notice in data.notices):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="data.grey"):
        st.markdown(f":material/info: {io.GREY_NOTICE}", width="content")
        st.button(
            "Keep colours",
            key="data.grey.keep",
            on_click=_keep_colours,
            args=(found,),
            help="Decode all images again, in red, green and blue: three times the numbers.",
        )


def _keep_colours(found: ImageSource) -> None:
    # The switch among the import options goes with it.
    st.session_state["data.images.colour"] = True
    options = replace(found.options or io.ImageOptions(), colour=True)
    commands.decode(replace(found, options=options), is_new=False)


def findings(found: Source | None, notices: Sequence[Notice]) -> None:
    """List what was found: what is to be looked at, then what was decided and can be overruled.

    Parameters
    ----------
    found : Source, optional
    notices : sequence of Notice
        Of the data, or of a table of which none were made.
    """
    if found is None:
        listed = tuple(checks.TableFinding(notice, is_decision=True) for notice in notices)
    else:
        listed = found.all_findings(notices)
    if listed:
        st.subheader("Findings", anchor=False)
    for number, finding in enumerate(listed):
        key = f"data.finding.{number}"
        icon = ":material/check:" if finding.is_decision else ":material/error:"
        with st.container(horizontal=True, vertical_alignment="center", key=key):
            st.markdown(f"{icon} {_line(finding.notice)}", width="content")
            if found is not None:
                _buttons(found, finding.remedies, key=key)


def _line(notice: Notice) -> str:
    place = f"**{text.escape(notice.where)}**: " if notice.where else ""
    remedy = f" {text.escape(notice.remedy)}" if notice.remedy else ""
    code = f" `{notice.code}`" if notice.code else ""
    return f"{place}{text.escape(notice.what)}{remedy}{code}"


def _buttons(found: Source, remedies: Sequence[Hint], *, key: str) -> None:
    for number, remedy in enumerate(remedies):
        st.button(
            text.escape(remedy.label),
            key=f"{key}.{number}",
            on_click=_apply,
            args=(found, remedy),
            help="It can be undone.",
        )


def _apply(found: Source, remedy: Hint) -> None:
    try:
        changed = found.with_remedy(remedy)
    except DataError as error:
        commands.refuse_change(error)
    else:
        commands.revise(changed)
