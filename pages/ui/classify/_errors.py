"""Misclassified rows of a model, and its scores: two panels of the page Classify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import inspection, metrics, plots, report
from lincore.utils import percent, quoted
from pages.ui.session import cache
from pages.ui.widgets import controls, selection, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify"
_SHARES = {"Counts": None, "By row": "true", "By column": "pred"}


def confusion(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Draw the confusion matrix; a chosen cell lists its rows or images."""
    data, results = experiment.data, fitted.results
    left, right = st.columns(2, gap="large")
    with left:
        controls.begin_with(f"{KEY}.cells", "Counts")
        shares = st.segmented_control(
            "Cells",
            list(_SHARES),
            required=True,
            key=f"{KEY}.cells",
            persist_state="session",
            help="Rows of each cell, or their share of the true class (row) or of the predicted "
            "one (column).",
        )
        figure = plots.confusion(results, results.methods[0], normalize=_SHARES[shares])
        cell = selection.figure(
            figure, key=f"{KEY}.confusion", modes=("points",), read=selection.cell
        )
    # A sheet of images needs the width of the page.
    with st.container() if data.kind.is_images else right:
        if len(cell) != 2 or max(cell) >= data.n_classes:
            st.caption(
                f"Choose a cell of the matrix to see its {text.row_noun(data)}, the highest "
                "log loss first."
            )
        else:
            _cell(data, fitted, *cell)
            selection.offer_to_clear(f"{KEY}.confusion")


def scores(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Show every score with its interval, and recall and precision of each class."""
    results, noun = fitted.results, text.row_noun(experiment.data)
    method = results.methods[0]
    lines = pd.DataFrame(report.model_score_rows(results, method))
    rules = report.interval_method(results, *metrics.available_scores(results))
    st.caption(
        f"On {len(results.rows):,} test {noun}. {text.escape(rules)} Baseline: always the largest "
        "class, or the shares of the classes as posterior. "
        f"{text.escape(report.missing_intervals_note(results))}"
    )
    with st.container(key=f"{KEY}.scores"):
        tables.show(
            lines,
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format="%.3f") for name in lines.columns[1:5]
            },
            alt="Every score with its interval.",
        )
    by_class = pd.DataFrame(report.class_score_rows(results, method))
    with st.container(key=f"{KEY}.classes"):
        tables.show(
            by_class,
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format="%.3f") for name in by_class.columns[1:]
            },
            alt="Recall, precision and F1 of each class, with intervals.",
        )


def _cell(data: Dataset, fitted: Fitted, true: int, predicted: int) -> None:
    found = inspection.confusion_cell(fitted.results, fitted.pipeline, data, true, predicted)
    one, other = (quoted(data.classes[code]) for code in (true, predicted))
    verdict = "predicted correctly" if true == predicted else f"predicted as {other}"
    order = "the least certain first" if true == predicted else "the highest log loss first"
    explanation = " Above each: the posterior of the true class, and d, its distance."
    heading = f"**{text.escape(one)}** {text.escape(verdict)}, {order}."
    st.markdown(f"{heading}{explanation if data.kind.is_images else ''}")
    selection.show_rows(
        data,
        found.rows,
        key=f"{KEY}.cell",
        columns=inspection.cell_columns(data, found, true, predicted),
        captions=_captions(found, true),
        title=f"{one} {verdict}",
    )


def _captions(found: Any, true: int) -> list[str] | None:
    if found.proba is None:
        return None
    captions = []
    for place, share in enumerate(found.proba[:, true].tolist()):
        # Short: names of six images stand side by side on a phone.
        caption = percent(share)
        if found.distances is not None:
            caption += f" d {found.distances[place, true]:.1f}"
        captions.append(caption)
    return captions
