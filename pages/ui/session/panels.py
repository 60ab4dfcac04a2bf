"""Panels used on more than one page, or too long for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from lincore import inspection, metrics, plots, report
from lincore.utils import percent, quoted
from pages.ui.session import cache
from pages.ui.widgets import image_sheets, tables, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.metrics import Interval, Results

SHOWN_ROWS = 200
SHEET_COLUMNS, MOST_SHEET_COLUMNS = 6, 10
SHEET_CLASSES = 10


def table_head(data: Dataset) -> None:
    """Show the first rows with their classes."""
    shown = min(SHOWN_ROWS, data.n_rows)
    frame = inspection.row_table(data, np.arange(shown))
    st.subheader("Rows", anchor=False)
    with st.container(key="data.head"):
        tables.show(
            frame,
            height=320,
            hide_index=True,
            alt=f"The first {shown} rows and their classes.",
        )
    part = f"The first {shown:,} of" if shown < data.n_rows else "All"
    st.caption(f"{part} {data.n_rows:,} rows.")


def contact_sheet(data: Dataset) -> None:
    """Show some images of each class, and offer all of them as a zip."""
    shown = range(min(SHEET_CLASSES, data.n_classes))
    # One line for each class, where each has enough to fill one.
    fewest = int(data.counts.min())
    columns = min(fewest, MOST_SHEET_COLUMNS) if fewest > 2 else SHEET_COLUMNS
    rows = np.concatenate([np.flatnonzero(data.codes == k)[:columns] for k in shown])
    stack = data.X[rows].reshape(-1, *data.image_shape)
    titles = [str(data.classes[code]) for code in data.codes[rows]]
    whose = "each class"
    if data.n_classes > SHEET_CLASSES:
        whose = f"the first {SHEET_CLASSES} classes"
    sheet = plots.images(
        stack,
        titles,
        columns=columns,
        title=f"The first images of {whose}",
    )
    image_sheets.show(sheet, key="data.sheet")
    st.download_button(
        "Download as a zip of images",
        lambda: cache.image_zip(data.digest, data),
        file_name=f"{data.name}.zip",
        mime="application/zip",
        key="data.sheet.zip",
        on_click="ignore",
        help="One folder for each class. Upload it again to try the way of the images.",
    )


def scores_row(results: Results, method: str, data: Dataset, *, noun: str = "") -> None:
    """Show the leading score and those that belong beside it, with their intervals.

    Where classes are unequal these are MCC, accuracy and the recall of the rarest class; the log
    loss elsewhere.
    """
    leading = metrics.leading_score(results.class_counts)
    unequal = leading != "accuracy"
    names = report.headline_score_names(results)
    n = f"{len(results.rows):,} {noun or f'test {text.row_noun(data)}'}"
    columns = iter(st.columns(len(names) + 1 + unequal))
    for name in names:
        found, few = (
            metrics.score(results, method, name),
            report.missing_interval_note(results, name, method),
        )
        _metric(
            next(columns),
            name,
            found,
            name,
            f"{metrics.SCORES[name].help} Over {n}, "
            f"{text.escape(few) or 'with its 95 % interval'}.",
            few and "too few rows",
        )
    if unequal:
        rarest = report.rarest_class(results)
        _metric(
            next(columns),
            f"recall of {text.escape(quoted(results.classes[rarest]))}",
            metrics.recall(results, method)[rarest],
            "accuracy",
            "Share of the test rows of the rarest class that are predicted as such, with its 95 % "
            "interval.",
        )
    next(columns).metric(
        "Majority-class baseline",
        percent(metrics.majority_baseline_score(results, leading)),
        delta=leading,
        delta_color="off",
        delta_arrow="off",
        help=f"The {leading} of always predicting the class that is largest in training.",
    )
    st.caption(text.escape(report.interval_method(results, *names)))


def _metric(
    column: DeltaGenerator, label: str, found: Interval, score: str, help: str, no_ends: str = ""
) -> None:
    """Show a score with its interval or why it has none; "none" where there is no such score."""
    value, _, ends = report.format_score(found, score).partition(" (")
    column.metric(
        label[:1].upper() + label[1:],
        value or "none",
        delta=ends.removesuffix(")") or ((no_ends or None) if value else "no posteriors"),
        delta_color="off",
        delta_arrow="off",
        help=help,
    )
