"""Findings on data with their remedies, and decisions of the import, which can be reversed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from lincore import checks
from lincore.errors import DataError, Hint, Notice
from lincore.utils import count
from pages.ui.jobs import cache
from pages.ui.session import commands, state
from pages.ui.session.sources import ImageSource, Source
from pages.ui.widgets import displays, text, verdicts

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.checks import TableFinding
    from lincore.data import Dataset

#: Findings of features, labels or rows that falsify the scores if they are ignored.
_WRONG = {"LIN060", "LIN062", "LIN066", "LIN067", "LIN070"}
#: Guesses that are in force; the page asks about that of a target if it is doubtful.
_GUESSES = {"LIN059"}


def show_classes(data: Dataset, choice: SplitChoice | None) -> None:
    """State the class sizes, and which rows are in memory."""
    split = cache.split(data.digest, choice, data) if choice is not None else None
    counts = data.class_counts(split=split)
    displays.note(counts)
    displays.note(data.findings(split=split))
    content = displays.parts(counts)
    st.markdown(text.escape(content.finding))
    if content.scope:
        st.markdown(text.escape(content.scope))


def show_refused() -> None:
    """Explain the last refused change, and offer remedies."""
    refusal = state.notify()
    if refusal is None:
        return
    text.show_problem(refusal.notice)
    attempt = refusal.attempt
    with st.container(horizontal=True, vertical_alignment="center", key="data.refused"):
        if isinstance(attempt, Source) and attempt.table is not None:
            _buttons(attempt, refusal.remedies, key="data.refused")
        current = text.escape(state.require_dataset().name)
        st.caption(f"Current data: {current}.", width="content")
        if refusal.shown and attempt is not None:
            st.button(
                f"Back to {current}",
                key="data.refused.back",
                on_click=state.dismiss,
                help="Discard the change that was rejected.",
            )


def show(source: Source | ImageSource | None, notices: Sequence[Notice]) -> None:
    """List the findings, and in an expander the decisions of the import."""
    if isinstance(source, Source):
        # The page asks about doubtful guesses above.
        asked = source.guess is not None and source.guess.rival
        listed = source.all_findings([n for n in notices if not (asked and n.code == "LIN054")])
    else:
        listed = checks.image_decisions(notices, source.options if source is not None else None)
    questions = [
        finding for finding in listed if not finding.is_decision or finding.notice.code in _GUESSES
    ]
    decisions = [finding for finding in listed if finding not in questions]
    # Even if empty: an additional element would rebuild all that follow.
    with st.container(key="data.findings"):
        for number, finding in enumerate(questions):
            icon = verdicts.WRONG if finding.notice.code in _WRONG else verdicts.DECIDE
            _finding(source, finding, f"data.finding.{number}", f"{icon} ")
        if not decisions:
            return
        label = f"{count(len(decisions), 'decision')} made while reading"
        with st.expander(label, key="data.decisions", on_change="rerun") as panel:
            for number, finding in enumerate(decisions if panel.open else ()):
                _finding(source, finding, f"data.decision.{number}")


def _finding(
    source: Source | ImageSource | None, finding: TableFinding, key: str, icon: str = ""
) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        st.markdown(f"{icon}{_line(finding.notice)}", width="content")
        if source is not None:
            _buttons(source, finding.remedies, key=key)


def _line(notice: Notice) -> str:
    where = f"**{text.escape(notice.where)}**: " if notice.where else ""
    remedy = f" {text.escape(notice.remedy)}" if notice.remedy else ""
    code = f" `{notice.code}`" if notice.code else ""
    return f"{where}{text.escape(notice.what)}{remedy}{code}"


def _buttons(source: Source | ImageSource, remedies: Sequence[Hint], *, key: str) -> None:
    for number, remedy in enumerate(remedies):
        st.button(
            text.escape(remedy.label),
            key=f"{key}.{number}",
            on_click=_apply,
            args=(source, remedy),
            help="It can be undone.",
        )


def _apply(source: Source | ImageSource, remedy: Hint) -> None:
    if isinstance(source, ImageSource):
        for name in {"colour", "fit"} & set(remedy.images):
            # Reset the widget among the import options as well.
            st.session_state[f"data.images.{name}"] = remedy.images[name]
        commands.decode(source.with_remedy(remedy), is_new=False)
        return
    try:
        changed = source.with_remedy(remedy)
    except DataError as error:
        commands.refuse_change(error)
    else:
        commands.revise(changed)
