"""Findings on data, each with what puts it right or overrules it at one click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from lincore import checks
from lincore.errors import DataError, Hint, Notice
from pages.ui.session import cache, commands, state
from pages.ui.session.sources import ImageSource, Source
from pages.ui.widgets import displays, text

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.data import Dataset


def target(data: Dataset, choice: SplitChoice | None) -> None:
    """Say which column is the target, how the classes compare, and which rows are in memory."""
    found = state.source() or state.sample_source()
    whose = f"Target: **{text.escape(found.name_of(found.target))}**. " if found is not None else ""
    split = cache.split(data.digest, choice, data) if choice is not None else None
    classes = data.class_counts(split=split)
    displays.note(classes)
    displays.note(data.findings(split=split))
    said = displays.parts(classes)
    st.markdown(f"{whose}{text.escape(said.finding)}")
    if said.scope:
        st.markdown(text.escape(said.scope))


def refused() -> None:
    """Explain the last change that was refused, and offer what would help."""
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


def findings(found: Source | ImageSource | None, notices: Sequence[Notice]) -> None:
    """List what was found: what is to be looked at, then what was decided and can be overruled."""
    if isinstance(found, Source):
        # A guess that is in doubt is asked about above.
        asked = found.guess is not None and found.guess.rival
        listed = found.all_findings([n for n in notices if not (asked and n.code == "LIN054")])
    else:
        listed = checks.image_decisions(notices, found.options if found is not None else None)
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


def _buttons(found: Source | ImageSource, remedies: Sequence[Hint], *, key: str) -> None:
    for number, remedy in enumerate(remedies):
        st.button(
            text.escape(remedy.label),
            key=f"{key}.{number}",
            on_click=_apply,
            args=(found, remedy),
            help="It can be undone.",
        )


def _apply(found: Source | ImageSource, remedy: Hint) -> None:
    if isinstance(found, ImageSource):
        for name in {"colour", "fit"} & set(remedy.images):
            # The control among the import options goes with it.
            st.session_state[f"data.images.{name}"] = remedy.images[name]
        commands.decode(found.with_remedy(remedy), is_new=False)
        return
    try:
        changed = found.with_remedy(remedy)
    except DataError as error:
        commands.refuse_change(error)
    else:
        commands.revise(changed)
