"""Predictions as a table, images and files; what matched; drift; scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from lincore import plots, prediction
from pages.ui.predict import new_rows
from pages.ui.session import panels, sidebar
from pages.ui.widgets import controls, image_sheets, tables, text

if TYPE_CHECKING:
    from lincore.prediction import Predictions
    from pages.ui.predict.new_rows import RowsToPredict
    from pages.ui.session.sidebar import PageExperiment

KEY = "predict"
MOST_ROWS, MOST_COLUMNS, MOST_CLASSES = 1_000, 30, 10
MOST_IMAGES, SHEET_COLUMNS = 24, 6
_ORDERS = {
    "row": "All",
    "far": "Unlike the training data",
    "uncertain": "Least certain first",
    "misclassified": "Misclassified",
}


def show(experiment: PageExperiment, rows: RowsToPredict, found: Predictions) -> None:
    """Show the predictions, the rows that matter first where that is asked for."""
    if rows.kind == new_rows.BY_HAND:
        _one(found)
        return
    _table(experiment, rows, found)
    _downloads(found)


def _one(found: Predictions) -> None:
    """Show the prediction of a single row, class by class."""
    with st.container(key=f"{KEY}.one"):
        tables.show(
            prediction.class_table(found),
            hide_index=True,
            column_config={
                "posterior": st.column_config.ProgressColumn(
                    format="%.1f %%", min_value=0, max_value=100
                ),
                "distance": st.column_config.NumberColumn(
                    format="%.2f", help="Mahalanobis distance from the class."
                ),
            },
            alt="Posterior and distance of every class.",
        )


@sidebar.fragment
def _table(experiment: PageExperiment, rows: RowsToPredict, found: Predictions) -> None:
    orders = [
        order
        for order in _ORDERS
        if (order != "far" or (found.far is not None and found.far.any()))
        and (order != "uncertain" or found.has_posteriors)
        and (order != "misclassified" or found.truth is not None)
    ]
    key = f"{KEY}.order"
    # Always through the session: where the list is another one, the browser forgets the choice.
    former = st.session_state.get(key)
    st.session_state[key] = former if former in orders else "row"
    order = st.segmented_control(
        "Show",
        orders,
        required=True,
        format_func=_ORDERS.__getitem__,
        key=key,
        help="Rows of the table; the downloads hold all of them.",
    )
    chosen = found.ranked(order or "row")
    if found.model.image_shape is not None:
        _sheet(found, chosen[:MOST_IMAGES])
    shown = chosen[:MOST_ROWS]
    numbers = experiment.split.test if rows.kind == new_rows.TEST else np.arange(1, len(found) + 1)
    with st.container(key=f"{KEY}.table"):
        tables.show(
            _lines(found, shown, numbers),
            hide_index=True,
            height=420 if len(shown) > 10 else "auto",
            column_config={
                name: st.column_config.NumberColumn(format="%.3f") for name in _numbers(found)
            },
            alt="Predictions of the rows.",
        )
    part = f"{len(shown):,} of {len(chosen):,} rows" if len(shown) < len(chosen) else ""
    note = text.escape(prediction.far_note(found))
    st.caption(f"{part}. {note}" if part else note)


def _lines(found: Predictions, shown: np.ndarray, numbers: np.ndarray) -> pd.DataFrame:
    """Return the lines of the table: what was computed first, then the file's own columns."""
    added = found.added(shown)
    if len(found.classes) > MOST_CLASSES:
        added = added.drop(columns=[f"P({label})" for label in found.classes.tolist()])
        if found.has_posteriors:
            added.insert(1, "posterior", found.posteriors[shown].max(axis=1))
    own = found.rows.iloc[shown, :MOST_COLUMNS].reset_index(drop=True)
    own.columns = pd.Index([str(name) for name in own.columns])
    # A column of the file may be called as one of ours.
    own = own.rename(columns={name: f"{name} (file)" for name in own.columns if name in added})
    table = pd.concat([added, own], axis=1)
    table.insert(0, "row", numbers[shown], allow_duplicates=True)
    return table.loc[:, ~table.columns.duplicated()]


def _numbers(found: Predictions) -> list[str]:
    return [*(f"P({label})" for label in found.classes.tolist()), "posterior", "distance"]


def _sheet(found: Predictions, shown: np.ndarray) -> None:
    """Show images with what they are predicted as."""
    if not len(shown):
        return
    stack = found.new.X[shown].reshape(-1, *(found.model.image_shape or ()))
    figure = plots.images(
        stack,
        prediction.image_titles(found, shown),
        columns=min(SHEET_COLUMNS, len(shown)),
        title="Predicted class, with its posterior" if found.has_posteriors else "Predicted class",
    )
    image_sheets.show(figure, key=f"{KEY}.images")


def _downloads(found: Predictions) -> None:
    """Offer all rows with their predictions as files."""
    stem = f"{found.name.rpartition('/')[2].partition('.')[0] or 'rows'} predictions"
    with st.container(horizontal=True, key=f"{KEY}.downloads"):
        for name, mime, make in (
            ("CSV", "text/csv", found.to_csv),
            ("Parquet", "application/vnd.apache.parquet", found.to_parquet),
        ):
            st.download_button(
                f"Download {name}",
                make,
                file_name=f"{stem}.{name.lower()}",
                mime=mime,
                key=f"{KEY}.download.{name.lower()}",
                on_click="ignore",
                help="The file's own columns, with prediction, posteriors and distance added."
                + (" Safe to open in a spreadsheet." if name == "CSV" else ""),
            )


def matching(found: Predictions) -> None:
    """Say what did and did not match between the columns of the file and the features."""
    match, new = found.match, found.new
    unscored = bool(new.unknown_labels or new.n_unlabelled)
    matters = bool(match.missing or match.unseen or unscored or new.has_lost_rows)
    if not (new.findings or new.skipped):
        st.caption(text.escape(prediction.match_finding(found)))
        return
    with st.expander(
        text.escape(prediction.match_finding(found)), expanded=matters, key=f"{KEY}.match"
    ):
        lines = prediction.match_notes(found)
        if lines:
            st.markdown("\n".join(f"- {text.escape(line)}" for line in lines))
        if new.skipped:
            tables.show(pd.DataFrame(new.skipped), hide_index=True, alt="Files skipped.")


def scores(experiment: PageExperiment, rows: RowsToPredict, found: Predictions) -> None:
    """Show scores and the confusion matrix where the classes of the rows are known."""
    if found.truth is None:
        return
    results = found.scores()
    st.subheader("Scores", anchor=False)
    panels.scores_row(results, results.methods[0], experiment.data, noun=rows.noun)
    if counted := prediction.counting_note(found):
        st.caption(text.escape(counted))
    left, _ = st.columns(2, gap="large")
    with left:
        controls.figure(plots.confusion(results, results.methods[0]), key=f"{KEY}.confusion")


def drift(table: pd.DataFrame) -> None:
    """Show how the columns differ from those of the training rows, folded."""
    finding = prediction.drift_finding(table)
    st.subheader("Drift", anchor=False)
    st.markdown(text.escape(finding))
    with st.expander("Column by column", key=f"{KEY}.drift"):
        tables.show(
            table,
            hide_index=True,
            column_config={
                "effect": st.column_config.ProgressColumn(
                    format="%.2f",
                    min_value=0,
                    max_value=1,
                    help="Numbers: largest difference of the distribution functions. Categories: "
                    "share of rows that would have to change level.",
                ),
                "p": st.column_config.NumberColumn(format="%.3g"),
                "p (Holm)": st.column_config.NumberColumn(
                    format="%.3g", help="Adjusted over all lines."
                ),
            },
            alt="Drift of every column.",
        )
        st.caption(
            "Training rows against these rows: Kolmogorov–Smirnov for numbers, chi-square for "
            "categories. With many rows small differences are significant; compare the effect with "
            "that expected by chance."
        )
