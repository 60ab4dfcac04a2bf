"""Principal components beside Fisher's discriminant, with their findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import report
from lincore.errors import DataError
from pages.ui.explore import compute, panels, projection_options, scores, views
from pages.ui.widgets import text

if TYPE_CHECKING:
    from pages.ui.session.sidebar import Experiment


def show(experiment: Experiment) -> None:
    """Draw where the training rows vary, where the classes part, and that these differ."""
    data, split = experiment.data, experiment.split
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(data)
        dimensions, part = projection_options.view(split)
        with st.popover("Options", key="explore.options"):
            options = projection_options.units(data, dimensions, part)
            choice = compute.Choice(data.digest, experiment.choice, options.standardize)
            try:
                seen = scores.choose(experiment, choice, options)
            except DataError as error:
                heading.header("These rows cannot be projected.", anchor=False)
                with heading:
                    text.show_problem(error.notice)
                return
    n_train, rows = int(seen.projection.moments.count.sum()), text.row_noun(data)
    if seen.projection.is_sparse:
        finding = report.vectors_finding(seen.projection.shares, n_train)
    else:
        finding = report.variance_finding(seen.projection.shares, n_train, rows=rows)
    heading.header(finding, anchor=False)
    if seen.fisher is not None:
        training, test = compute.separations(choice, seen.n_components, data)
        component = "singular vector" if seen.projection.is_sparse else "component"
        finding = report.separation_finding(
            training, test, len(split.test), rows=rows, component=component
        )
        heading.markdown(text.escape(finding))
    chosen = scores.show(experiment, choice, options, seen)
    panels.show(experiment, choice, options, seen, chosen)
