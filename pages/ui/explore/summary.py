"""All columns in numbers by class, and the words of a text by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import inspection, plots, report
from pages.ui.explore import column_view, row_choice, views
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import Dataset
    from pages.ui.explore.row_choice import Rows
    from pages.ui.session.sidebar import PageExperiment

# Lines of the table: more are slow in a browser, and nobody reads them.
MOST_LINES = 600
_ORDERS = {"characteristic": "Most characteristic", "frequent": "Most frequent"}


def summary(experiment: PageExperiment) -> None:
    """Show the summary of every column by class."""
    data = experiment.data
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(data)
        with st.popover("Options", key="explore.options"):
            rows = row_choice.choose(experiment)
    columns = tuple(inspection.summary_columns(data, MOST_LINES))
    numbers, levels = column_view.summary(rows, columns, data)
    heading.header(text.escape(report.missing_finding(numbers, levels)), anchor=False)
    both = len(numbers) > 0 and len(levels) > 0
    if len(numbers):
        st.markdown("**Numeric columns**")
        height = min(38 + 35 * len(numbers), 380 if both else 620)
        column_view.show_summary(numbers, key="explore.summary.numeric", height=height)
    if len(levels):
        st.markdown("**Categorical columns**")
        height = min(38 + 35 * len(levels), 380 if both else 620)
        column_view.show_summary(levels, key="explore.summary.levels", height=height)
    part = ""
    if len(columns) < data.n_table_columns:
        part = f"The first {len(columns):,} of {data.n_table_columns:,} columns. "
    st.caption(
        f"{part}{row_choice.note(rows, data)} n counts the rows with a value; sd has the "
        "divisor n − 1; q25 and q75 are the quartiles."
    )


def words(experiment: PageExperiment) -> None:
    """Draw the share of each class's rows in which words occur."""
    data = experiment.data
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(data)
        order = controls.choose(
            "Words",
            list(_ORDERS),
            key="explore.words.order",
            format_func=_ORDERS.__getitem__,
            help="Characteristic words are those whose share differs most between the classes, by "
            "the χ² statistic.",
            width=220,
        )
        with st.popover("Options", key="explore.options"):
            rows = row_choice.choose(experiment)
            most = controls.number(
                "Words shown", 5, 60, 15, key="explore.words.most", help="The first of the list."
            )
    plot, first = word_figure(rows, order, most, data)
    heading.header(text.escape(report.words_finding(first, data.classes, order)), anchor=False)
    controls.figure(plot, key="explore.words")


@st.cache_resource(max_entries=16, ttl="2h", show_spinner="Counting words …")
def word_figure(
    rows: Rows, order: str, most: int, _data: Dataset
) -> tuple[go.Figure, list[tuple[str, list[float]]]]:
    """Draw words by class; with the first words and their shares by class."""
    found = inspection.word_shares(
        _data,
        rows.of(_data),
        order="frequent" if order == "frequent" else "characteristic",
        most=most,
    )
    plot = plots.share_bars(
        found.words,
        found.shares,
        _data.classes,
        title="Words by class",
        unit="share of the rows of the class that have the word",
        subtitle=f"{_ORDERS[order]} words of {rows.words(_data)}.",
    )
    first = [(word, found.shares[:, i].tolist()) for i, word in enumerate(found.words[:3])]
    return plot, first
