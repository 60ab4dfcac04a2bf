"""The panels below the scores of the page Compare, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lincore import metrics, plots, report
from pages.ui.compare import _learning_curve, _pairs, _planes, _rows, _split_choice
from pages.ui.session import arrival, sidebar
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    from pages.ui.compare.score_table import Shown

KEY = "compare"


@sidebar.fragment
def show(shown: Shown) -> None:
    """Draw the tabs, and in the open one what it holds, under the rows that it is of."""
    panels: dict[str, Callable[[Shown], None]] = {
        "Pairwise comparisons": _pairs.show,
        "Disagreements": _rows.show,
        "Recall by class": _recall,
        "Boundaries": _planes.show,
        "Training size": _learning_curve.show,
        "Choice of split": _split_choice.show,
        "Time": _seconds,
    }
    arrival.show(f"{KEY}.panels", next(iter(panels)))
    tabs = st.tabs(list(panels), key=f"{KEY}.panels", on_change="rerun")
    for tab, draw in zip(tabs, panels.values(), strict=True):
        if tab.open:
            with tab:
                if draw in _OF_THE_RESULTS:
                    st.caption(report.evaluation_scope(shown.results, text.row_noun(shown.data)))
                draw(shown)


def _recall(shown: Shown) -> None:
    results = shown.results
    recalls = [[found.value for found in metrics.recall(results, m)] for m in results.methods]
    controls.figure(
        plots.recall_map(recalls, _pairs.short_names(shown), results.classes),
        key=f"{KEY}.recall",
    )
    n_blank = len(results.classes) - len(set(results.truth.tolist()))
    of = f"{n_blank} of {len(results.classes)} classes"
    blank = f" Blank: {of}, without test {text.row_noun(shown.data)}." if n_blank else ""
    st.caption(f"In per cent. Models from left to right as above, the best first.{blank}")
    _recall_table(shown)


def _recall_table(shown: Shown) -> None:
    with st.container(key=f"{KEY}.recall.table"):
        tables.show(
            pd.DataFrame(report.recall_rows(shown.results)),
            hide_index=True,
            alt="Recall of every class by every model, with 95 % intervals.",
        )


def _seconds(shown: Shown) -> None:
    results = shown.results
    kept = [
        i
        for i, name in enumerate(results.methods)
        if shown.score in metrics.available_scores(results.select(name))
    ]
    names = [results.methods[i] for i in kept]
    controls.figure(
        plots.seconds_and_score(
            [float(results.seconds[i]) for i in kept],
            [metrics.score(results, name, shown.score) for name in names],
            [shown.labels[i] for i in kept],
            looks=[shown.as_chosen.index(i) for i in kept],
            score=shown.score,
            as_percent=shown.is_share,
        ),
        key=f"{KEY}.seconds",
    )
    fits = len({*zip(results.repetition.tolist(), results.fold.tolist(), strict=True)})
    st.caption(
        f"Time to fit a model {f'{fits:,} times' if fits > 1 else 'once'}, the steps before it "
        f"included, on {text.escape(shown.data.name)}; measured here, so they vary a little."
    )


# The other panels say of which rows they are themselves.
_OF_THE_RESULTS = (_pairs.show, _rows.show, _recall, _seconds)
