"""Principal components beside Fisher's discriminant, with their findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from lincore import plots, report
from lincore.errors import DataError
from pages.ui.explore import _images, compute, projection_options, scores, views
from pages.ui.session import sidebar
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from pages.ui.explore.compute import ProjectionChoice
    from pages.ui.explore.projection_options import Options
    from pages.ui.explore.scores import Seen
    from pages.ui.session.sidebar import PageExperiment

SHOWN_COMPONENTS = 10


def show(experiment: PageExperiment) -> None:
    """Draw where the training rows vary, where the classes part, and that these differ."""
    data, split = experiment.data, experiment.split
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore.row"):
        views.choose(data)
        dimensions, part = projection_options.view(split)
        with st.popover("Options", key="explore.options"):
            options = projection_options.units(data, dimensions, part)
            choice = compute.ProjectionChoice(data.digest, experiment.choice, options.standardize)
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
    heading.header(text.escape(finding), anchor=False)
    if seen.fisher is not None:
        training, test = compute.separations(choice, seen.n_components, data)
        component = "singular vector" if seen.projection.is_sparse else "component"
        finding = report.separation_finding(
            training, test, len(split.test), rows=rows, component=component
        )
        heading.markdown(text.escape(finding))
    chosen = scores.show(experiment, choice, options, seen)
    _panels(experiment, choice, options, seen, chosen)


@sidebar.fragment
def _panels(
    experiment: PageExperiment,
    choice: ProjectionChoice,
    options: Options,
    seen: Seen,
    chosen: list[int],
) -> None:
    """Draw the tabs of a table, of words or of images."""
    data = experiment.data
    panels: dict[str, Callable[[], None]] = {"Variance": lambda: _variance(experiment, seen)}
    if data.kind.is_images:
        panels |= {
            "Eigen-images": lambda: _images.eigen_images(experiment, options, seen),
            "Class means": lambda: _images.means(experiment, choice),
            "Reconstruction": lambda: _images.reconstruction(experiment, choice, seen, chosen),
        }
    else:
        panels["Loadings"] = lambda: _loadings(experiment, options, seen)
        if len(seen.axes) > 1:
            panels["Biplot"] = lambda: _biplot(experiment, choice, options, seen)
    # Tabs of another kind of data are other tabs: the one that was open is not among them.
    kind = "images" if data.kind.is_images else f"table{len(panels)}"
    tabs = st.tabs(list(panels), key=f"explore.panels.{kind}", on_change="rerun")
    for tab, draw in zip(tabs, panels.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def _variance(experiment: PageExperiment, seen: Seen) -> None:
    n_rows = f"{len(experiment.split.train):,} training {text.row_noun(experiment.data)}"
    if seen.projection.is_sparse:
        controls.figure(plots.vector_shares(seen.projection.shares), key="explore.scree")
        st.caption(f"Of the {n_rows}. Further vectors are not computed, so 95 % is not marked.")
        return
    pca = seen.projection.pipeline.named_steps["pca"]
    controls.figure(plots.scree(pca, show_kept=False), key="explore.scree")
    st.caption(f"Of the {n_rows}. Bars: each component; line: all up to it.")


def _loadings(experiment: PageExperiment, options: Options, seen: Seen) -> None:
    weights, names = _directions(seen)
    position = controls.choose(
        "Coefficients of",
        list(range(len(names))),
        key="explore.direction",
        format_func=names.__getitem__,
        help="A row’s score is the sum of its features times these weights.",
        width=320,
    )
    plot = plots.coefficients(
        list(seen.projection.names),
        weights[position],
        unit="weight",
    )
    controls.figure(plot, key="explore.loadings")
    units = (
        "standardised features: comparable with each other"
        if options.standardize
        else "the features’ own units: a feature with large values has a small weight"
    )
    if experiment.data.kind.is_sparse:
        units = "words: how much one more of it in a row adds to its score"
    st.caption(f"{text.escape(names[position])}. Weights are for {units}.")


def _directions(seen: Seen) -> tuple[list, list[str]]:
    """Return weights and names of the components and of Fisher's directions."""
    weights = list(seen.projection.components[:SHOWN_COMPONENTS])
    names = projection_options.component_names(seen.projection)[:SHOWN_COMPONENTS]
    if seen.fisher is not None:
        weights += list(seen.projection.weights(seen.fisher)[:SHOWN_COMPONENTS])
        found = projection_options.fisher_names(seen.fisher)
        names += [f"Fisher’s {name[0].lower()}{name[1:]}" for name in found[:SHOWN_COMPONENTS]]
    return weights, names


def _biplot(
    experiment: PageExperiment, choice: ProjectionChoice, options: Options, seen: Seen
) -> None:
    data, axes = experiment.data, seen.axes[:2]
    rows = compute.part_rows(experiment.split, options.part)
    names = projection_options.component_axes(seen.projection, axes)
    plot = plots.biplot(
        compute.scores(choice, options.part, axes, options.whiten, data),
        data.codes[rows],
        data.classes,
        seen.projection.components[list(axes)],
        seen.projection.names,
        names,
        rows=rows,
    )
    controls.figure(plot, key="explore.biplot")
    shown = min(8, len(seen.projection.names))
    st.caption(
        f"Arrows: the {shown} features with the largest weights, pointing towards larger values of "
        f"the feature; all have the same scale."
    )
