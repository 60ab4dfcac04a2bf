"""Displays of predictions: rows, a single row, matched columns, scores, drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore.displays import PredictedRowsDisplay
from pages.ui.frame import sidebar
from pages.ui.widgets import displays, text

if TYPE_CHECKING:
    from lincore.displays import DriftDisplay, MatchedColumnsDisplay, PredictionScoresDisplay
    from lincore.prediction import Predictions

KEY = "predict"


@sidebar.fragment
def show_rows(predictions: Predictions) -> None:
    """Show the predictions, flagged rows first if chosen, and their downloads."""
    key = f"{KEY}.rows"
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}.settings"):
        chosen = displays.ask(PredictedRowsDisplay, key, width=260, predictions=predictions)
        stem = predictions.name.rpartition("/")[2].partition(".")[0] or "rows"
        for name, mime, make in (
            ("CSV", "text/csv", predictions.to_csv),
            ("Parquet", "application/vnd.apache.parquet", predictions.to_parquet),
        ):
            st.download_button(
                f"Download {name}",
                make,
                file_name=f"{stem} predictions.{name.lower()}",
                mime=mime,
                key=f"{KEY}.download.{name.lower()}",
                on_click="ignore",
                help="The columns of the file, with prediction, posteriors and distance."
                + (" Safe to open in a spreadsheet." if name == "CSV" else ""),
            )
    displays.body(PredictedRowsDisplay(predictions, **chosen), key=key)


def show_matching(columns: MatchedColumnsDisplay) -> None:
    """State which columns of the file matched the features, and which did not."""
    finding = text.escape(displays.parts(columns).finding)
    if not columns.predictions.new.findings and not columns.predictions.new.skipped:
        st.caption(finding)
        return
    with st.expander(finding, expanded=columns.matters, key=f"{KEY}.match"):
        displays.body(columns, key=f"{KEY}.columns")


def show_scores(scores: PredictionScoresDisplay) -> None:
    """Show scores and the confusion matrix, if the classes of the rows are known."""
    if scores.predictions.truth is None:
        return
    left, right = st.columns(2, gap="large")
    with left:
        displays.show(scores, key=f"{KEY}.scores")
    with right:
        displays.body(scores.predictions.confusion(), key=f"{KEY}.confusion")


def show_drift(drift: DriftDisplay) -> None:
    """Show how the columns differ from those of the training rows, in an expander."""
    st.subheader(drift.title, anchor=False)
    st.markdown(text.escape(displays.parts(drift).finding))
    displays.note(drift, key=f"{KEY}.drift")
    with st.expander("Column by column", key=f"{KEY}.drift", on_change="rerun") as panel:
        if panel.open:
            displays.body(drift, key=f"{KEY}.drift")
