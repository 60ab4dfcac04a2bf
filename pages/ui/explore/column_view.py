"""One column by class, in its own units, beside the columns ranked by their association."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from lincore import inspection, plots, report
from pages.ui.explore import row_choice, views
from pages.ui.session import state
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import Dataset
    from lincore.inspection import Association, LargestAssociation
    from pages.ui.explore.row_choice import Rows
    from pages.ui.session.sidebar import PageExperiment

_NUMERIC = {"histogram": "Histogram", "density": "Density", "box": "Box plot"}
_LEVELS = {"of_class": "Levels by class", "of_level": "Classes by level"}
# Classes whose bars stand side by side at first.
_FEW_CLASSES = 3
_BINS = (None, 10, 20, 30, 60)
COLUMN, RANKED = "explore.column", "explore.ranked"


def show(experiment: PageExperiment) -> None:
    """Draw one column by class; the one with the largest association at first."""
    data = experiment.data
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(data)
        names, chooser, kinds = data.feature_names, st.empty(), st.empty()
        with st.popover("Options", key="explore.options"):
            rows = row_choice.choose(experiment)
            bins, shares = _bins()
        ranked = associations(rows, data)
        with chooser:
            column = controls.choose(
                "Column",
                [one.column for one in ranked],
                key=COLUMN,
                format_func=names.__getitem__,
                help="The columns that go with the class most stand first.",
                width=190,
            )
        with kinds:
            kind = _kind(data, column)
    test = largest_association_test(rows, ranked[0].column, data) if ranked else None
    finding = report.association_finding(ranked, test, data.n_classes, state.target())
    heading.header(text.escape(finding), anchor=False)
    left, right = st.columns([7, 3], gap="medium")
    with left:
        plot = figure(rows, column, kind, bins, shares, data)
        controls.figure(plot, key="explore.distribution")
    with right:
        _ranking(rows, ranked, data)
    _summary(rows, column, data)


def _kind(data: Dataset, column: int) -> str:
    """Ask how to draw a column: numbers and categories have their own ways."""
    is_numeric = inspection.level_names(data, column) is None
    ways = _NUMERIC if is_numeric else _LEVELS
    # Bars of many classes side by side are mostly gaps; stacked ones are not.
    first = list(ways)[::-1] if not is_numeric and data.n_classes > _FEW_CLASSES else list(ways)
    chosen: str = controls.choose(
        "Plot",
        first,
        key="explore.plot.numeric" if is_numeric else "explore.plot.levels",
        format_func=ways.__getitem__,
        help="The distribution of the column within each class."
        if is_numeric
        else "The share of each level among the rows of a class, or of each class among the rows "
        "of a level.",
        width=160,
    )
    return chosen


def _bins() -> tuple[int | None, bool]:
    bins = st.selectbox(
        "Bins of the histogram",
        _BINS,
        format_func=lambda n: "Automatic" if n is None else str(n),
        key="explore.bins",
        persist_state="session",
        help="Automatic follows the rule of Freedman and Diaconis within the classes; a few whole "
        "numbers get one bar each.",
    )
    controls.begin_with("explore.heights", "shares")
    shares = st.segmented_control(
        "Heights",
        ["shares", "rows"],
        required=True,
        format_func={"shares": "Share of the class", "rows": "Rows"}.__getitem__,
        key="explore.heights",
        persist_state="session",
        help="Shares make classes of unequal size comparable.",
    )
    return bins, shares != "rows"


def _ranking(rows: Rows, ranked: list[Association], data: Dataset) -> None:
    st.markdown("**Association with the class**")
    frame = pd.DataFrame(
        {
            "column": [one.name for one in ranked],
            "association": [one.value for one in ranked],
        }
    )

    def choose() -> None:
        chosen = st.session_state[RANKED]["selection"]["rows"]
        if chosen and chosen[0] < len(ranked):
            st.session_state[COLUMN] = ranked[chosen[0]].column

    tables.show(
        frame,
        key=RANKED,
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
    st.caption(
        "Correlation ratio η of numeric columns, Cramér’s V of categorical ones, both from 0 to 1 "
        f"and adjusted for chance. {row_choice.note(rows, data)} Select a line to draw it."
    )


def _summary(rows: Rows, column: int, data: Dataset) -> None:
    numbers, levels = summary(rows, (column,), data)
    frame = numbers if len(numbers) else levels
    st.markdown(f"**{text.escape(data.feature_names[column])}, by class**")
    show_summary(frame.drop(columns="column"), key="explore.column.summary")


def show_summary(frame: pd.DataFrame, *, key: str, height: int | str = "content") -> None:
    """Show a summary table: four digits, per cent of missing and of the most frequent level."""
    config = st.column_config
    number = config.NumberColumn(format="%.4g", width="small")
    count = config.NumberColumn(format="localized", width="small")
    percent = config.NumberColumn(format="%.1f %%", width="small")
    with st.container(key=key):
        tables.show(
            frame,
            hide_index=True,
            height=height,
            column_config=dict.fromkeys(
                ("mean", "sd", "min", "q25", "median", "q75", "max"), number
            )
            | {"missing": percent, "share": percent, "n": count},
            alt="Summary by class: rows with a value, per cent missing, location and spread.",
        )


@st.cache_resource(max_entries=16, ttl="2h", show_spinner="Comparing the columns …")
def associations(rows: Rows, _data: Dataset) -> list[Association]:
    """Rank the columns by their association with the class."""
    return inspection.associations(_data, rows.of(_data))


@st.cache_resource(max_entries=16, ttl="2h", show_spinner="Permuting the labels …")
def largest_association_test(rows: Rows, column: int, _data: Dataset) -> LargestAssociation:
    """Test the largest association as a maximum."""
    return inspection.largest_association_test(_data, column, rows.of(_data))


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def summary(
    rows: Rows, columns: tuple[int, ...], _data: Dataset
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Summarise columns by class."""
    return inspection.summarise_columns(_data, columns, rows.of(_data))


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def figure(
    rows: Rows, column: int, kind: str, bins: int | None, shares: bool, _data: Dataset
) -> go.Figure:
    """Draw a column by class."""
    chosen = rows.of(_data)
    values = inspection.column_values(_data, column, chosen)
    codes = _data.codes if chosen is None else _data.codes[chosen]
    present = np.isfinite(values)
    name, classes, K = _data.feature_names[column], _data.classes, _data.n_classes
    note = report.non_missing_note(int(present.sum()), len(values), rows.words(_data))
    levels = inspection.level_names(_data, column)
    if levels is not None:
        counted = inspection.level_counts(values, codes, K, levels)
        of_class = kind == "of_class"
        return plots.share_bars(
            counted.levels,
            counted.of_class() if of_class else counted.of_level(),
            classes,
            title=f"{name}: levels by class" if of_class else f"{name}: classes by level",
            unit="share of the class" if of_class else "share of the level",
            stacked=not of_class,
            subtitle=note,
        )
    if kind == "density":
        sizes = np.bincount(codes[present], minlength=K)
        found = inspection.class_densities(values, codes, K)
        return plots.densities(found, classes, name, sizes=sizes, subtitle=note)
    if kind == "box":
        return plots.box_plot(
            inspection.box_plot_statistics(values, codes, K), classes, name, subtitle=note
        )
    drawn = inspection.class_histograms(values, codes, K, bins)
    return plots.histogram(drawn, classes, name, shares=shares, subtitle=note)
