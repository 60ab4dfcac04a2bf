"""Runs of this session: comparisons, costs, studies, with their findings, to be reopened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from lincore import analysis
from pages.ui.session import link, specification
from pages.ui.widgets import tables, text

KEY = "share.runs"
RUNS, ASKED = "shared.runs", "shared.asked"
MOST_KEPT = 50
# What the headline of a page is about, in the words of the questions.
_HEADLINE = ("score", "rope", "loss", "method")
_NAMES = {
    "classify": "Classify",
    "compare": "Compare",
    "balance-cost": "Cost of the imbalance",
    "balance-study": "Class reduced",
    "predict": "Predict",
}


class Run(NamedTuple):
    """Something that was computed in this session.

    Attributes
    ----------
    asked : analysis.Analysis
    at : datetime
    finding : str
        The headline of the page.
    scores : mapping of str to str
        Its main numbers, such as models with their scores.
    name : str
        Given by the visitor.
    """

    asked: analysis.Analysis
    at: datetime
    finding: str
    scores: Mapping[str, str] = {}
    name: str = ""

    @property
    def label(self) -> str:
        """Time, page and data in one line, or the name."""
        kind = self.asked.question.kind
        what = self.name or f"{_NAMES.get(kind, kind)}, {_data(self.asked)}"
        return f"{self.at.strftime('%H:%M')} {what}"


def note(finding: str, scores: Mapping[str, str] | None = None) -> None:
    """Keep what the page has found out about its question; the same question is kept once."""
    asked: analysis.Analysis | None = st.session_state.get(ASKED)
    if asked is None:
        return
    runs: list[Run] = st.session_state.setdefault(RUNS, [])
    bare = _bare(asked)
    for i, run in enumerate(runs):
        if _bare(run.asked) == bare:
            runs[i] = run._replace(asked=asked, finding=finding, scores=dict(scores or {}))
            return
    runs.append(Run(asked, datetime.now(), finding, dict(scores or {})))
    del runs[:-MOST_KEPT]


def first_columns(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the first cell of each row of a table with the second one."""
    return {str(name): str(value) for name, value, *_ in (row.values() for row in rows)}


def show() -> None:
    """List the runs; show the chosen one, to be reopened, named and compared with the page."""
    runs: list[Run] = st.session_state.get(RUNS, [])
    st.markdown("**Runs of this session**")
    if not runs:
        st.caption("Comparisons and studies will be listed here.")
        return
    places = list(range(len(runs)))[::-1]
    if st.session_state.get(KEY) not in places:
        st.session_state[KEY] = places[0]
    place = st.selectbox(
        "Runs of this session",
        places,
        key=KEY,
        format_func=lambda i: f"{i + 1}: {runs[i].label}",
        help="What was computed, the latest first.",
        label_visibility="collapsed",
    )
    run = runs[place]
    st.markdown(text.escape(run.finding))
    left, right = st.columns([2, 1])
    left.text_input(
        "Name",
        run.name,
        key=f"{KEY}.name.{place}",
        max_chars=60,
        placeholder="A name for this run",
        on_change=_rename,
        args=(place,),
        label_visibility="collapsed",
    )
    if right.button(
        "Reopen",
        key=f"{KEY}.reopen",
        width="stretch",
        help="Restore all choices, and show its page.",
    ):
        link.begin(run.asked)
        st.switch_page(specification.page_of(run.asked.question))
    _differences(run)


def _rename(place: int) -> None:
    runs: list[Run] = st.session_state.get(RUNS, [])
    name = st.session_state.get(f"{KEY}.name.{place}")
    if name is not None and place < len(runs):
        runs[place] = runs[place]._replace(name=name.strip())


def _differences(run: Run) -> None:
    """Show what this run and the present page do not share: choices, then numbers."""
    now: analysis.Analysis | None = st.session_state.get(ASKED)
    if now is None or _bare(now) == _bare(run.asked):
        st.caption("These are the present choices.")
        return
    present = next((one for one in st.session_state[RUNS] if _bare(one.asked) == _bare(now)), None)
    then, here = _flat(_bare(run.asked)), _flat(_bare(now))
    lines = [
        (name, then.get(name, ""), here.get(name, ""))
        for name in dict.fromkeys((*then, *here))
        if then.get(name) != here.get(name)
    ]
    scores = present.scores if present is not None else {}
    lines += [
        (name, run.scores.get(name, ""), scores.get(name, ""))
        for name in dict.fromkeys((*run.scores, *scores))
    ]
    with st.container(key=f"{KEY}.differences"):
        tables.show(
            pd.DataFrame(lines, columns=["choice or score", "this run", "now"]),
            hide_index=True,
            alt="Choices in which this run and the present page differ, and the scores of both.",
        )


def _bare(asked: analysis.Analysis) -> analysis.Analysis:
    """Return a specification without what only chooses among the numbers that are there."""
    question: Any = asked.question
    shown = {name: None for name in _HEADLINE if hasattr(question, name)}
    return replace(asked, question=replace(question, **shown), view={}, others=())


def _data(asked: analysis.Analysis) -> str:
    return str(getattr(asked.data, "name", "generated classes"))


def _flat(asked: analysis.Analysis) -> dict[str, str]:
    """Return the choices of a specification by their path."""
    found: dict[str, str] = {}

    def visit(value: Any, path: str) -> None:
        if isinstance(value, dict):
            for name, part in value.items():
                visit(part, f"{path} {name}".strip())
        else:
            found[path] = ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    visit(json.loads(asked.to_json()), "")
    found.pop("schema")
    return found
