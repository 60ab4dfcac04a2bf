"""The finished example of the start view: the cost of an imbalance, and what recovers it.

The first page of a server shows it before scikit-learn is imported, so it is stored:
``python -m pages.ui.start.finished_example`` computes and writes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st

from lincore import data, displays, imbalance, report
from pages.ui.session import commands
from pages.ui.widgets import controls, text

STORED = Path(__file__).with_name("finished_example.json")
METHOD, RARE = "lda", "class 3"
LOSS = f"recall of {RARE}"
#: The rare class lies between two others; all have the same number of rows before it is reduced.
MEANS = [[0.0, 0.0], [3.0, 0.0], [1.5, 1.4]]
ROWS, RARE_ROWS = 400, 28
WORDS = """
**Recall** of a class: the share of its test rows that are predicted as this class.  
**Priors**: the share of each class that the model expects, learned from the training rows.  
**Prior shift**: the loss because the model has learned that the class is rare.
"""


class FinishedExample(NamedTuple):
    """A finished study: where its loss comes from, what recovers it, and both as figures."""

    finding: str
    scope: str
    advice: str
    regions: go.Figure
    corrections: go.Figure


def compute() -> FinishedExample:
    """Return the example as the library computes it."""
    rows = data.gaussian_classes(MEANS, sizes=[ROWS] * len(MEANS))
    study = imbalance.balance(rows, {RARE: RARE_ROWS}, METHOD)
    decomposition = displays.DecompositionDisplay(study, METHOD, LOSS)
    corrections = displays.CorrectionsDisplay(study, METHOD, LOSS)
    remedy = imbalance.choose_remedy(study, METHOD, LOSS).remedy
    regions = displays.SetBoundariesDisplay(study, METHOD, rows, "corrected priors", kind="inputs")
    return FinishedExample(
        decomposition.finding(),
        decomposition.scope(),
        f"{remedy.name.capitalize()} recover {corrections.change(remedy.recovered)} without "
        f"refitting; {report.recall_of_others(remedy.others)}.",
        regions.plot(),
        corrections.plot(),
    )


# Shared by all visitors: it depends on nothing.
@st.cache_resource(show_spinner=False)
def stored() -> FinishedExample:
    """Return the example as it is stored."""
    finding, scope, advice, *figures = json.loads(STORED.read_text("utf-8"))
    return FinishedExample(finding, scope, advice, *map(go.Figure, figures))


def store(example: FinishedExample) -> None:
    """Write the example."""
    stored = [field if isinstance(field, str) else json.loads(field.to_json()) for field in example]
    STORED.write_text(json.dumps(stored, ensure_ascii=False) + "\n", "utf-8")


def show() -> None:
    """Draw the example, and offer to continue with its data."""
    example = stored()
    with st.container(key="start.example"):
        st.caption("A finished example · what class imbalance costs, and what recovers it")
        st.subheader(text.escape(example.finding), anchor=False)
        st.markdown(text.escape(example.advice))
        st.caption(WORDS)
        left, right = st.columns([5, 3], gap="large")
        with left:
            controls.figure(example.regions, key="start.regions")
        with right:
            controls.figure(example.corrections, key="start.recalls")
        st.caption(text.escape(example.scope))
    if st.button(
        "Open such classes on Balance",
        key="start.example.open",
        icon=":material/balance:",
        help="Generate these classes with a rare third one, and experiment with them.",
    ):
        commands.generate({"means": MEANS, "sizes": [ROWS, ROWS, ROWS // 10]})
        st.switch_page("pages/balance.py")


if __name__ == "__main__":
    store(compute())
