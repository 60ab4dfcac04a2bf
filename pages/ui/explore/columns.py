"""The views of Explore on columns: one, two, all, correlations, words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore.displays import (
    AssociationsDisplay,
    ColumnDisplay,
    ColumnPairDisplay,
    ColumnsDisplay,
    CorrelationsDisplay,
    DescriptiveDisplay,
    RowsDisplay,
    WordsDisplay,
)
from lincore.plots.base import shorten_all
from pages.ui.explore import views
from pages.ui.widgets import displays, selection, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from pages.ui.session.experiment import PageExperiment

_RANKED = "explore.ranked"
# With the usual gap, names such as "petal length (cm)" are cut at 1280 pixels.
_CLOSER = """<style>@media (min-width: 1100px) and (max-width: 1360px) {
.st-key-explore-row { gap: 0.5rem; }
}</style>"""
# Characters of a name that fit into the ranking; longer ones are shortened in the middle.
_LONGEST_NAME = 17


def show_column(experiment: PageExperiment) -> None:
    """Draw one column by class beside the ranking of all."""
    display = _ask(ColumnDisplay, "explore.column", experiment, "column", "drawing")
    ranking = AssociationsDisplay(display.data, display.split, display.rows)
    _head(ranking)
    displays.note(ranking)
    left, right = st.columns([7, 3], gap="medium")
    with left:
        displays.body(display, key="explore.column", data=display.data)
    with right:
        _ranking(ranking)


def show_pair(experiment: PageExperiment) -> None:
    """Draw a scatter of two columns, in which rows can be selected."""
    display = _ask(ColumnPairDisplay, "explore.pair", experiment, "x", "y")
    _head(display)
    displays.note(display)
    figure = displays.parts(display).figure
    if figure is not None:
        show_rows(display.data, selection.figure(figure, key="explore.pair"), "explore.pair")


def show_correlations(experiment: PageExperiment) -> None:
    """Draw the correlations of the columns."""
    display = _ask(CorrelationsDisplay, "explore.correlations", experiment, "kind", "order")
    _head(display)
    displays.body(display, key="explore.correlations")


def show_words(experiment: PageExperiment) -> None:
    """Draw the words by class."""
    display = _ask(WordsDisplay, "explore.words", experiment, "order")
    _head(display)
    displays.body(display, key="explore.words")


def show_summary(experiment: PageExperiment) -> None:
    """Show summaries of all columns, the numeric ones first."""
    asked = _ask(DescriptiveDisplay, "explore.rows", experiment)
    summaries = [
        ColumnsDisplay(asked.data, asked.split, asked.rows, kind)
        for kind in ("numeric", "categorical")
    ]
    shown = [display for display in summaries if not displays.table(display).empty]
    _head(shown[0])
    for display in shown:
        st.markdown(f"**{display.kinds[display.kind or '']} columns**")
        displays.body(display, key=f"explore.summary.{display.kind}")


def show_rows(data: Dataset, chosen: list[int], *keys: str) -> None:
    """List the rows that are selected in plots, or explain how to select some."""
    if chosen:
        st.subheader("Selected points", anchor=False)
        displays.show(RowsDisplay(data, tuple(chosen)), key=f"{keys[0]}.chosen", data=data)
        selection.offer_to_clear(*keys)
    else:
        noun = data.kind.rows
        st.caption(f"Select points by a click, a box or a lasso: their {noun} are shown here.")


def _ask(
    record_type: type[DescriptiveDisplay], key: str, experiment: PageExperiment, *beside: str
) -> DescriptiveDisplay:
    """Ask for the view, the rows and the settings of a display, some of them beside the view."""
    data, split = experiment.data, experiment.split
    st.html(_CLOSER)
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(experiment)
        at = {name: st.container() for name in beside}
        with st.popover("Options", key="explore.options", on_change="rerun") as options:
            context: dict[str, Any] = {"data": data, "split": split, "draw": options.open}
            rows = displays.ask(DescriptiveDisplay, "explore.rows", **context)
            chosen = displays.ask(record_type, key, at=at, **context, **rows)
    # "All rows" does not depend on the split.
    return record_type(data, None if rows["rows"] == "all" else split, **rows, **chosen)


def _head(display: DescriptiveDisplay) -> None:
    content = displays.parts(display)
    st.header(text.escape(content.finding), anchor=False)
    if content.scope:
        st.markdown(text.escape(content.scope))


def _ranking(ranking: AssociationsDisplay) -> None:
    """List the columns; a click on one draws it."""
    frame, notes = displays.table(ranking), displays.parts(ranking).notes
    names = frame["column"].tolist()

    def choose() -> None:
        chosen = st.session_state[_RANKED]["selection"]["rows"]
        if chosen and chosen[0] < len(names):
            displays.set_settings("explore.column", column=names[chosen[0]])

    st.markdown(f"**{ranking.title}**")
    tables.show(
        frame.assign(column=shorten_all(names, _LONGEST_NAME)),
        key=_RANKED,
        hide_index=True,
        height=min(38 + 35 * len(frame), 390),
        on_select=choose,
        selection_mode="single-row",
        column_config={
            "column": st.column_config.TextColumn(width=115),
            "association": st.column_config.ProgressColumn(
                min_value=0, max_value=1, format="%.2f", width=85
            ),
        },
        alt=f"{len(frame)} columns by their association with the class.",
    )
    st.caption(text.escape(f"{' '.join(notes)} Select a line to draw it."))
