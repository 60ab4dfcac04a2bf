"""The winners on the last rows of each class and on random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lincore import model_selection, report
from lincore.utils import percent
from pages.ui.jobs import page_jobs
from pages.ui.session import arrival
from pages.ui.widgets import tables, text

if TYPE_CHECKING:
    from lincore.model_selection import SplitVariation
    from pages.ui.compare.score_table import Shown

KEY = "compare.splits"
REPEATS = 10


def show(shown: Shown) -> None:
    """Offer the comparison of splits, and say what came of it."""
    data, choice = shown.data, shown.choice
    lines = tuple(shown.results.methods[i] for i in shown.as_chosen)
    test_size = choice.split.test_size
    job = page_jobs.on_demand(
        KEY,
        (data.digest, lines, choice.steps, test_size),
        lambda progress: model_selection.compare_splits(
            data,
            list(lines),
            steps=choice.steps,
            test_size=test_size,
            seeds=range(REPEATS),
            progress=progress,
        ),
        describe="Comparing splits",
        label="Compare the last of each class with random rows",
        help=f"Each model is tested on the last {percent(test_size, 0)} of each class, and on "
        f"{REPEATS} random test sets of that size.",
        unasked=arrival.is_fresh("compare.panels"),
    )
    if job is not None and not page_jobs.at_work(job) and job.result is not None:
        _draw(job.result)


def _draw(found: SplitVariation) -> None:
    st.markdown(text.escape(report.split_choice_finding(found)))
    with st.container(key=f"{KEY}.table"):
        tables.show(
            pd.DataFrame(report.split_choice_rows(found)),
            hide_index=True,
            alt="Accuracy of every model on the last rows of each class and on random rows.",
        )
