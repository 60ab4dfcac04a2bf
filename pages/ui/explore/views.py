"""The views of Explore: columns, pairs, correlations, summary, words, projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import inspection
from pages.ui.widgets import controls

if TYPE_CHECKING:
    from lincore.data import Dataset

VIEW = "explore.view"
_NAMES = {
    "columns": "Columns",
    "pairs": "Scatter",
    "correlations": "Correlations",
    "summary": "Summary",
    "words": "Words",
    "projections": "PCA and Fisher",
}


def offered(data: Dataset) -> list[str]:
    """Return the views that make sense for some data, the first of which is shown first."""
    if data.kind.is_images:
        return ["projections"]
    columns = data.n_table_columns
    views = []
    if columns:
        levels = [inspection.level_names(data, j) for j in range(columns)]
        views.append("columns")
        if sum(names is None for names in levels) >= 2:
            views.append("pairs")
        if sum(names is None or len(names) == 2 for names in levels) >= 2:
            views.append("correlations")
        views.append("summary")
    return [*views, *(["words"] if data.kind.is_sparse else []), "projections"]


def current(data: Dataset) -> str:
    """Return the view that is shown."""
    views = offered(data)
    if st.session_state.get(VIEW) not in views:
        st.session_state.pop(VIEW, None)
    return str(st.session_state.get(VIEW, views[0]))


def choose(data: Dataset) -> None:
    """Offer the views, in the row of the controls of the one that is shown."""
    views = offered(data)
    if len(views) == 1:
        return
    controls.begin_with(VIEW, current(data))
    st.segmented_control(
        "View",
        views,
        required=True,
        format_func=_NAMES.__getitem__,
        key=VIEW,
        persist_state="session",
        help="One column by class, two columns, correlations, numbers, or projections of all "
        "columns.",
    )
