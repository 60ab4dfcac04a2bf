"""Pairwise comparisons of models: effect, significance, practical relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import metrics, plots, report
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    from lincore.metrics import Difference
    from pages.ui.compare.score_table import Shown

KEY = "compare"
#: Pixels of a column of names.
WIDEST_NAME = 260


def show(shown: Shown) -> None:
    """Draw the differences, and list them with their tests."""
    if len(shown.results.methods) < 2:
        st.caption("A pairwise comparison needs two models.")
        return
    found = named(shown)
    short = dict(zip(shown.labels, short_names(shown), strict=True))
    clear = [d for d in found if d.value == d.value and abs(d.value) < float("inf")]
    controls.figure(
        plots.pairwise_effects(
            [d._replace(first=short[d.first], second=short[d.second]) for d in clear],
            score=shown.score,
            rope=shown.rope,
            as_percent=shown.is_share,
        ),
        key=f"{KEY}.pairs",
    )
    _table(shown, found)
    st.caption(report.pairwise_note(shown.results, shown.score, shown.rope))
    blind = report.never_predicted_finding(shown.results, list(shown.results.methods))
    if blind and any(d.verdict == "equivalent" for d in found):
        st.caption(text.escape(f"Models can be equivalent in a fault. {' '.join(blind)}"))
    base = metrics.find_sampling_units(shown.results)
    if shown.score == "accuracy" and base.one_fit and base.independent_rows:
        some_pair = any(d.better is not None for d in found)
        omnibus = metrics.cochran_test(shown.results)
        st.caption(text.escape(report.cochran_finding(omnibus, some_pair=some_pair)))


def named(shown: Shown) -> list[Difference]:
    """Return the differences of all pairs by the labels of the models, the better named first."""
    labels = dict(zip(shown.results.methods, shown.labels, strict=True))
    return [
        d._replace(first=labels[d.first], second=labels[d.second])
        for d in metrics.pairwise_differences(shown.results, shown.score, shown.rope)
    ]


def short_names(shown: Shown) -> list[str]:
    """Return a name of at most nine characters for each model, numbered where it enters twice."""
    return text.short_names(shown.results.methods)


def _table(shown: Shown, found: list[Difference]) -> None:
    lines = report.pairwise_rows(shown.results, shown.score, shown.rope)
    form = "%.1f" if shown.is_share else "%.3f"
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(format=form) for name in list(lines[0])[2:5]
    }
    # As wide as the longest name: by itself a column is as wide as what is in view.
    longest = max((len(name) for d in found for name in (d.first, d.second)), default=0)
    width = min(WIDEST_NAME, 14 + 7 * longest)
    columns |= {name: st.column_config.TextColumn(width=width) for name in ("first", "second")}
    with st.container(key=f"{KEY}.pairs.table"):
        tables.show(
            pd.DataFrame(lines),
            hide_index=True,
            column_config=columns,
            placeholder="",
            alt="Difference of every two models, with interval, p-values and verdict.",
        )
