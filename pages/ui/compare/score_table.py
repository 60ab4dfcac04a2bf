"""The scores of a comparison: the figure of intervals, and the table of all of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import streamlit as st

from lincore import metrics, plots, report
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import Dataset
    from lincore.metrics import Interval, Results
    from pages.ui.compare.choices import CompareChoice, CompareRow

KEY = "compare"
# Pixels of the table beside the sidebar of a window 1,440 pixels wide, and of the columns that
# name a model and its group. Scores that do not fit are hidden at first, a click on the table's
# menu away.
_TABLE_WIDTH, _MODEL_WIDTH, _GROUP_WIDTH = 980, 150, 55
# The widest that a column of scores is made: a log loss without a bound, and its interval.
_WIDEST = 175


class Shown(NamedTuple):
    """A comparison and how it is looked at.

    Attributes
    ----------
    data : Dataset
    choice : CompareChoice
        With which the results were made.
    results : Results
        The best method first.
    score : str
    rope : float
        How small a difference does not matter, in the unit of the score.
    """

    data: Dataset
    choice: CompareChoice
    results: Results
    score: str
    rope: float

    @property
    def labels(self) -> list[str]:
        """Labels of the methods, in the order of the results."""
        return [self.results.settings.label(name) for name in self.results.methods]

    @property
    def as_chosen(self) -> list[int]:
        """The positions of the methods in the order of the choice, which no score changes."""
        known = list(self.results.settings.labels)
        methods = self.results.methods
        return sorted(range(len(methods)), key=lambda i: known.index(methods[i]))

    @property
    def is_share(self) -> bool:
        """True if the score reads well in per cent."""
        return metrics.SCORES[self.score].is_share


def ask(data: Dataset, choice: CompareChoice, results: Results, row: CompareRow) -> Shown:
    """Ask for the score that decides, and how small a difference does not matter."""
    leading = metrics.leading_score(results.class_counts)
    names = sorted(metrics.available_scores(results), key=lambda name: name != leading)
    with row.score:
        score = controls.choose(
            "Score",
            names,
            key=f"{KEY}.score",
            help=f"Decides the headline, the order and the groups. At first the {leading}, since "
            f"classes are {'un' * (leading != 'accuracy')}equal. "
            + " ".join(f"{name}: {metrics.SCORES[name].help}" for name in names),
        )
    share = metrics.SCORES[score].is_share
    with row.options:
        key = f"{KEY}.rope.{'points' if share else 'unit'}"
        controls.begin_with(key, 100 * metrics.ROPE if share else metrics.ROPE)
        rope = st.number_input(
            f"Region of practical equivalence{' (points)' if share else ''}",
            0.0,
            50.0 if share else 1.0,
            step=0.5 if share else 0.01,
            key=key,
            persist_state="session",
            help="Differences whose whole interval is smaller than this are called equivalent, "
            "however significant they are.",
        )
    rope = rope / 100 if share else rope
    return Shown(data, choice, metrics.rank_methods(results, score), score, rope)


def figure(shown: Shown) -> None:
    """Draw the score of each method with its interval, baselines and groups."""
    results, score = shown.results, shown.score
    group = metrics.groups(results, score, shown.rope)
    with_group = [i for i, name in enumerate(results.methods) if group[name]]
    names = [results.methods[i] for i in with_group]
    drawn = _intervals(
        tuple(shown.labels[i] for i in with_group),
        tuple(metrics.score(results, name, score) for name in names),
        score,
        tuple(metrics.baseline_scores(results, score).items()),
        tuple(group[name] for name in names),
        shown.is_share,
    )
    controls.figure(drawn, key=f"{KEY}.intervals")
    if few := report.missing_intervals_note(results, [score]):
        st.caption(text.escape(few))
    missing = {
        label: metrics.missing_score_reason(results, name, score)
        for name, label in zip(results.methods, shown.labels, strict=True)
        if not group[name]
    }
    if missing:
        listed = "; ".join(f"{label}: {why}" for label, why in missing.items())
        st.caption(text.escape(f"Without {score}: {listed}."))


@st.cache_resource(max_entries=64, ttl="2h", show_spinner=False)
def _intervals(
    labels: tuple[str, ...],
    intervals: tuple[Interval, ...],
    score: str,
    baselines: tuple[tuple[str, float], ...],
    groups: tuple[int, ...],
    is_share: bool,
) -> go.Figure:
    return plots.score_intervals(
        labels,
        intervals,
        score=score,
        baselines=dict(baselines),
        groups=groups,
        as_percent=is_share,
    )


def scores(shown: Shown) -> dict[str, str]:
    """Return each model with the score that decides."""
    return {
        f"{label}, {shown.score}": report.format_score(
            metrics.score(shown.results, name, shown.score), shown.score
        )
        for name, label in zip(shown.results.methods, shown.labels, strict=True)
    }


def _width(texts: list[object]) -> int:
    """Return the pixels of a column with a name and cells, within bounds."""
    name, *cells = map(str, texts)
    return min(max(7 * len(name), 14 + 6 * max(map(len, cells))), _WIDEST)


def table(shown: Shown) -> None:
    """Show every score of every method with its interval, and offer it as CSV."""
    results = shown.results
    lines = report.comparison_rows(results, shown.score, shown.rope)
    rarest, best = report.rarest_heading(results), metrics.best_score(results, shown.score)
    corrected = "" if best is None else report.best_heading(best, shown.score)
    widths = {column: _width([column, *(line[column] for line in lines)]) for column in lines[0]}
    widths |= {"model": _MODEL_WIDTH, "group": _GROUP_WIDTH}
    ends = itertools.accumulate(widths.values())
    with st.container(key=f"{KEY}.table"):
        tables.show(
            pd.DataFrame(lines),
            hide_index=True,
            column_order=[c for c, end in zip(widths, ends, strict=True) if end <= _TABLE_WIDTH],
            column_config={
                "model": st.column_config.TextColumn(width=_MODEL_WIDTH, pinned=True),
                "group": st.column_config.NumberColumn(
                    format="%d",
                    width=_GROUP_WIDTH,
                    help="No model of a group is shown to be worse than its best by "
                    f"{shown.score}.",
                ),
                corrected: st.column_config.TextColumn(
                    width=widths.get(corrected),
                    help="The best of several is partly best by chance: its score corrected for "
                    "the choice, by bootstrap.",
                ),
                rarest: st.column_config.TextColumn(
                    width=widths.get(rarest),
                    help="Recall of the class with the fewest test rows, in per cent.",
                ),
                **{
                    (heading := report.score_heading(name)): st.column_config.TextColumn(
                        width=widths[heading], help=score.help
                    )
                    for name, score in metrics.SCORES.items()
                },
            },
            placeholder="",
            alt="Every score of every model with its 95 % interval.",
        )
    if few := report.missing_intervals_note(results):
        st.caption(text.escape(few))
    st.download_button(
        "Scores as CSV",
        lambda: metrics.score_table_for_export(results).to_csv().encode(),
        file_name=f"{shown.data.name} comparison.csv",
        mime="text/csv",
        key=f"{KEY}.csv",
        on_click="ignore",
        help="Every score, its interval, seconds and group, in full precision.",
    )
