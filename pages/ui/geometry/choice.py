"""The chooser of the page Geometry: experiment, preset, previous and next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import laboratory
from lincore.analysis import GeometryQuestion
from pages.ui.session import questions
from pages.ui.widgets import displays

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

WORDS = tuple(laboratory.EXPERIMENTS)
# One strip of controls, then figure and words, within 720 pixels.
_PRESENTER = """<style>
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], [data-testid="stHeader"],
.st-key-geometry-heading, .st-key-geometry-away, .st-key-geometry-passage,
.st-key-geometry-row [data-testid="stSelectbox"] > label { display: none !important; }
.st-key-geometry-top { position: absolute; right: 1.25rem; width: auto; z-index: 1; }
[data-testid="stMainBlockContainer"] { padding: 0.5rem 1.25rem 0 !important; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0.5rem; }
html { font-size: 112.5% !important; }
[class*="st-key-geometry-"][class*="figure-title"] p { font-size: 1.3rem; }
.st-key-geometry-beside { gap: 0.6rem; }
</style>"""
# Without it: the figure in sight on a projector, and below the strip at the top of a phone.
_LOW = """<style>.st-key-geometry-figure { scroll-margin-top: 4rem; }
@media (min-width: 768px) and (max-height: 800px) {
.st-key-geometry-stage { --room: 24.5rem; }
.st-key-geometry-beside { gap: 0.6rem; }
.st-key-geometry-beside p { line-height: 1.35; }
.st-key-geometry-heading h2 { padding: 0 0 0.4rem !important; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0.5rem; }
}</style>"""


def ask(top: DeltaGenerator) -> tuple[str, str, bool]:
    """Draw the chooser, and the switch at the top; return experiment, preset and its state."""
    asked = questions.experiment()
    position = WORDS.index(asked.experiment)
    with st.container(horizontal=True, vertical_alignment="bottom", key="geometry.row"):
        displays.ask(GeometryQuestion, questions.GEOMETRY, "experiment", "preset", width=255)
        for label, step, key in (("Previous", -1, "P"), ("Next", 1, "N")):
            st.button(
                label,
                key=f"geometry.{label.lower()}",
                on_click=_go,
                args=(step,),
                disabled=not 0 <= position + step < len(WORDS),
                shortcut=key,
                help=f"The {label.lower()} experiment: key {key}.",
            )
        preset_key = (asked.experiment, asked.preset)
        st.button(
            "Reset",
            key="geometry.reset",
            on_click=_hide,
            args=(preset_key,),
            disabled=not (asked.revealed or asked.points),
            shortcut="H",
            help="Hide the answer, its lines and moved points: key H.",
        )
    presenter = top.toggle(
        "Presenter",
        key="geometry.presenter",
        persist_state="session",
        help="Large type, everything in one view. Keys: space plays, ← and → step, R restarts, "
        "H hides the answer, P and N change the experiment.",
    )
    st.html(_PRESENTER if presenter else _LOW)
    return asked.experiment, asked.preset, presenter


def _go(step: int) -> None:
    position = WORDS.index(questions.experiment().experiment) + step
    word = WORDS[min(max(position, 0), len(WORDS) - 1)]
    displays.set_settings(questions.GEOMETRY, experiment=word, preset=None)


def _hide(preset_key: tuple[str, str]) -> None:
    questions.choose_for_preset(preset_key, revealed=None, points=None, letter=None)
