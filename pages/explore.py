"""Explore: columns by class, correlations, summary; where rows vary and where classes part."""

import streamlit as st

from pages.ui import (
    checks_line,
    explore_columns,
    explore_pairs,
    explore_projections,
    explore_summary,
    explore_views,
    sidebar,
)
from pages.ui.sidebar import Experiment

DRAW = {
    "columns": explore_columns.show,
    "pairs": explore_pairs.scatter,
    "correlations": explore_pairs.correlations,
    "summary": explore_summary.summary,
    "words": explore_summary.words,
    "projections": explore_projections.show,
}


@st.fragment
def show(experiment: Experiment) -> None:
    """Draw the view that is chosen: nothing else on the page depends on it."""
    DRAW[explore_views.current(experiment.data)](experiment)


experiment = sidebar.show()
st.caption("Explore")
checks_line.show(experiment)
show(experiment)
