"""The chooser of the page Geometry: experiment, preset, previous and next."""

from __future__ import annotations

import streamlit as st

from lincore import laboratory
from pages.ui.session import questions
from pages.ui.widgets import controls

WORDS = tuple(laboratory.EXPERIMENTS)
_PRESENTER = """<style>
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"] { display: none !important; }
[data-testid="stMainBlockContainer"] { padding: 3.5rem 3rem 2rem !important; }
html { font-size: 125% !important; }
</style>"""


def ask() -> tuple[str, str, bool]:
    """Draw the chooser and return experiment, preset and whether somebody presents."""
    at = WORDS.index(questions.experiment().experiment)
    with st.container(horizontal=True, vertical_alignment="bottom", key="geometry.row"):
        word = controls.choose(
            "Experiment",
            WORDS,
            key="geometry.experiment",
            format_func=lambda one: f"{WORDS.index(one) + 1}  {_title(one)}",
            help="Experiments on chapter 4, one per screen.",
            width=280,
        )
        presets = laboratory.EXPERIMENTS[word].presets
        preset = controls.choose(
            "Preset",
            list(presets),
            key="geometry.preset",
            format_func=lambda one: presets[one].title if one in presets else one,
            help="The classic case, and cases that contradict it.",
            width=280,
        )
        for label, step, key in (("Previous", -1, "P"), ("Next", 1, "N")):
            st.button(
                label,
                key=f"geometry.{label.lower()}",
                on_click=_go,
                args=(step,),
                disabled=not 0 <= at + step < len(WORDS),
                shortcut=key,
                help=f"The {label.lower()} experiment: key {key}.",
            )
        presenter = st.toggle(
            "Presenter",
            key="geometry.presenter",
            persist_state="session",
            help="Large type and no sidebar. Keys: space plays, ← and → step, R restarts, H hides "
            "the answer.",
        )
    if presenter:
        st.html(_PRESENTER)
    return word, preset, presenter


def _title(word: str) -> str:
    return laboratory.EXPERIMENTS[word].title


def _go(step: int) -> None:
    at = WORDS.index(questions.experiment().experiment) + step
    st.session_state["geometry.experiment"] = WORDS[min(max(at, 0), len(WORDS) - 1)]
    st.session_state.pop("geometry.preset", None)
