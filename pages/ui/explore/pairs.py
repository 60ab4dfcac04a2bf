"""Two raw columns as a scatter, and the correlations of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from lincore import inspection, plots, report
from pages.ui.explore import column_view, row_choice, views
from pages.ui.widgets import controls, selection, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import Dataset
    from lincore.inspection import Correlations
    from pages.ui.explore.row_choice import Rows
    from pages.ui.session.sidebar import PageExperiment

_SCOPES = {"within": "Within classes", "total": "All rows together"}
_ORDERS = {"file": "As in the file", "clustered": "Clustered"}


def scatter(experiment: PageExperiment) -> None:
    """Draw two numeric columns by class, those that separate the classes best at first."""
    data = experiment.data
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(data)
        across, up = st.empty(), st.empty()
        with st.popover("Options", key="explore.options"):
            rows = row_choice.choose(experiment)
            ellipses = st.toggle(
                "Ellipses",
                key="explore.pair.ellipses",
                persist_state="session",
                help="Draw for each class the ellipse that holds 95 % of a Gaussian class of the "
                "same mean and covariance.",
            )
        ranked = column_view.associations(rows, data)
        numeric = [one.column for one in ranked if one.measure == "eta"]
        with across:
            x = _column("x axis", numeric, data, key="explore.pair.x")
        with up:
            y = _column("y axis", [i for i in numeric if i != x], data, key="explore.pair.y")
    names = [data.feature_names[x], data.feature_names[y]]
    correlated = pair(rows, x, y, data)
    heading.header(text.escape(report.pair_finding(names, *correlated)), anchor=False)
    chosen = selection.figure(figure(rows, x, y, ellipses, data), key="explore.pair")
    if chosen:
        st.subheader("Selected points", anchor=False)
        selection.show_rows(data, chosen, key="explore.pair.chosen", title="The selected rows")
        selection.offer_to_clear("explore.pair")
    else:
        st.caption("Select points by a click, a box or a lasso: their rows are listed here.")


def correlations(experiment: PageExperiment) -> None:
    """Draw the correlations of the columns, within the classes at first."""
    data = experiment.data
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(data)
        scope = controls.choose(
            "Correlations",
            list(_SCOPES),
            key="explore.correlations.scope",
            format_func=_SCOPES.__getitem__,
            help="Within classes: of the deviations from the class means, pooled. All rows "
            "together: what separates the classes counts too.",
            width=190,
        )
        order = controls.choose(
            "Order",
            list(_ORDERS),
            key="explore.correlations.order",
            format_func=_ORDERS.__getitem__,
            help="Clustered: correlated columns are adjacent (average linkage).",
            width=150,
        )
        with st.popover("Options", key="explore.options"):
            rows = row_choice.choose(experiment)
            most = controls.number(
                "Columns shown at most",
                5,
                60,
                30,
                key="explore.correlations.most",
                help="With more columns, those with the strongest correlations are shown.",
            )
    found = correlated(rows, scope == "within", most, order == "clustered", data)
    heading.header(text.escape(report.correlation_finding(found)), anchor=False)
    kind = "within classes" if scope == "within" else "over all classes"
    plot = plots.correlation_matrix(
        found, kind=kind, subtitle=report.correlation_note(found, rows.words(data))
    )
    controls.figure(plot, key="explore.correlations")


def _column(label: str, numeric: list[int], data: Dataset, *, key: str) -> int:
    chosen: int = controls.choose(
        label,
        numeric,
        key=key,
        format_func=data.feature_names.__getitem__,
        help="A numeric column in its own units; those that separate the classes best come first.",
        width=170,
    )
    return chosen


@st.cache_resource(max_entries=16, ttl="2h", show_spinner="Computing correlations …")
def correlated(
    rows: Rows, within: bool, most: int, clustered: bool, _data: Dataset
) -> Correlations:
    """Compute the correlations that are shown."""
    return inspection.correlations(
        _data, rows.of(_data), within=within, most=most, clustered=clustered
    )


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def pair(rows: Rows, x: int, y: int, _data: Dataset) -> tuple[float, float]:
    """Return the correlation of two columns within the classes and over all rows."""
    chosen = rows.of(_data)
    values = inspection.column_values(_data, (x, y), chosen)
    codes = _data.codes if chosen is None else _data.codes[chosen]
    within = inspection.correlation_matrix(values, codes)[0, 1]
    return float(within), float(inspection.correlation_matrix(values, np.zeros_like(codes))[0, 1])


@st.cache_resource(max_entries=16, ttl="2h", show_spinner=False)
def figure(rows: Rows, x: int, y: int, ellipses: bool, _data: Dataset) -> go.Figure:
    """Draw two columns by class: the rows that have a value in both."""
    chosen = rows.of(_data)
    chosen = np.arange(_data.n_rows) if chosen is None else chosen
    values = inspection.column_values(_data, (x, y), chosen)
    present = np.isfinite(values).all(axis=1)
    names = [_data.feature_names[x], _data.feature_names[y]]
    values = values[present]
    moved = []
    for i, name in enumerate(names):
        values[:, i], is_moved = inspection.jitter(values[:, i], seed=i)
        moved += [name] * is_moved
    note = report.non_missing_note(int(present.sum()), len(chosen), rows.words(_data), "in both")
    return plots.scatter(
        values,
        _data.codes[chosen[present]],
        _data.classes,
        names,
        title=f"{names[1]} over {names[0]}",
        rows=chosen[present],
        ellipses=ellipses,
        subtitle=f"{note} {report.jitter_note(moved)}".strip(),
    )
