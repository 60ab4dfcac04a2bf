"""Component scores: PCA beside Fisher, and the rows selected in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore import inspection, plots
from pages.ui.explore import compute, projection_options
from pages.ui.widgets import controls, selection, text

if TYPE_CHECKING:
    import numpy as np

    from lincore.estimators import FisherDiscriminant
    from lincore.inspection import Projection
    from pages.ui.explore.compute import ProjectionChoice
    from pages.ui.explore.projection_options import Options
    from pages.ui.session.sidebar import PageExperiment

_PART = {"train": "training", "test": "test"}


class Seen(NamedTuple):
    """Both projections and the axes of each that are drawn.

    Attributes
    ----------
    projection : Projection
    fisher : FisherDiscriminant or None
    reason : str
        Why there is no Fisher's discriminant.
    n_components : int
        How many components it sees.
    axes, fisher_axes : tuple of int
    """

    projection: Projection
    fisher: FisherDiscriminant | None
    reason: str
    n_components: int
    axes: tuple[int, ...]
    fisher_axes: tuple[int, ...]


def choose(experiment: PageExperiment, choice: ProjectionChoice, options: Options) -> Seen:
    """Ask for axes and fit Fisher's discriminant behind the components."""
    data = experiment.data
    projection = compute.projection(choice, data)
    names = projection_options.component_names(projection)
    noun = "Singular vector" if projection.is_sparse else "Component"
    axes = projection_options.axes(names, options.dimensions, key="explore", what=noun)
    n_components = projection_options.n_fisher_components(data, projection)
    fisher, reason = compute.directions(choice, n_components, data)
    fisher_axes: tuple[int, ...] = ()
    if fisher is not None:
        names = projection_options.fisher_names(fisher)
        fisher_axes = projection_options.axes(
            names, options.dimensions, key="explore.fisher", what="Direction"
        )
    return Seen(projection, fisher, reason, n_components, axes, fisher_axes)


def show(
    experiment: PageExperiment, choice: ProjectionChoice, options: Options, seen: Seen
) -> list[int]:
    """Draw both projections side by side; return the rows that are chosen in either."""
    left, right = st.columns(2, gap="medium")
    with left:
        chosen = _components(experiment, choice, options, seen)
    with right:
        chosen += _fisher(experiment, choice, options, seen)
    rows = compute.part_rows(experiment.split, options.part)
    known = set(rows.tolist()) if chosen else set()
    chosen = [row for row in dict.fromkeys(chosen) if row in known]
    if chosen:
        st.subheader("Selected points", anchor=False)
        selection.show_rows(
            experiment.data, chosen, key="explore.chosen", title="The selected rows"
        )
        selection.offer_to_clear("explore.scores", "explore.fisher.scores")
    elif options.dimensions == 2:
        noun = text.row_noun(experiment.data)
        st.caption(f"Select points by a click, a box or a lasso: their {noun} are shown here.")
    return chosen


def _components(
    experiment: PageExperiment, choice: ProjectionChoice, options: Options, seen: Seen
) -> list[int]:
    names = projection_options.component_axes(seen.projection, seen.axes)
    points = compute.scores(choice, options.part, seen.axes, options.whiten, experiment.data)
    sparse = seen.projection.is_sparse
    title = "Most variance: " + ("SVD" if sparse else "PCA")
    if options.whiten:
        title += ", whitened"
    chosen = _figure(experiment, options, points, names, title, key="explore.scores")
    if sparse:
        st.caption(
            "Truncated SVD maximises the sum of squares along every vector. It replaces PCA "
            "because word counts are sparse and centring would make them dense."
        )
    else:
        st.caption(
            "PCA maximises the variance of all rows along every component; it ignores the classes."
        )
    return chosen


def _fisher(
    experiment: PageExperiment, choice: ProjectionChoice, options: Options, seen: Seen
) -> list[int]:
    if seen.fisher is None:
        st.info(f"Fisher’s projection cannot be drawn. {text.escape(seen.reason)}")
        return []
    names = projection_options.fisher_axes(seen.fisher, seen.fisher_axes)
    points = compute.fisher_scores(
        choice, options.part, seen.fisher_axes, seen.n_components, experiment.data
    )
    if len(seen.fisher.directions_) == 1 and experiment.data.n_classes == 2:
        chosen = []
        _along_one(experiment, options, seen.fisher, points[:, 0], names[0])
    else:
        chosen = _figure(
            experiment,
            options,
            points,
            names,
            "Best separation: Fisher",
            key="explore.fisher.scores",
        )
    most = experiment.data.n_classes - 1
    number = "one direction" if most == 1 else f"{most} directions at most"
    behind = ""
    if seen.n_components < len(seen.projection.shares):
        behind = f" It sees {projection_options.first_components(seen.n_components)}."
    st.caption(
        f"Fisher’s discriminant maximises J, the ratio of between-class to within-class scatter; "
        f"{experiment.data.n_classes} classes have {number}.{behind}"
    )
    return chosen


def _along_one(
    experiment: PageExperiment,
    options: Options,
    fisher: FisherDiscriminant,
    along: np.ndarray,
    name: str,
) -> None:
    """Draw the histograms and densities of two classes, with the threshold between them."""
    data, rows = experiment.data, compute.part_rows(experiment.split, options.part)
    view = inspection.fisher_view(
        fisher, along, data.codes[rows], rows, data.classes, axis_name=name
    )
    figure = plots.direction_histogram(view, title="Best separation: Fisher, with the midpoint")
    controls.figure(figure, key="explore.fisher.line")


def _figure(
    experiment: PageExperiment,
    options: Options,
    points: np.ndarray,
    names: list[str],
    title: str,
    *,
    key: str,
) -> list[int]:
    """Draw rows along two axes, in which they can be chosen, or along three."""
    data = experiment.data
    rows = compute.part_rows(experiment.split, options.part)
    noun = text.row_noun(data)
    what = f"{len(rows):,} {_PART[options.part]} {noun}."
    if len(names) == 3:
        plot = plots.scatter_3d(
            points, data.codes[rows], data.classes, names, title=title, rows=rows, subtitle=what
        )
        controls.figure(plot, key=f"{key}.3d")
        return []
    plot = plots.scatter(
        points,
        data.codes[rows],
        data.classes,
        names,
        title=title,
        rows=rows,
        ellipses=True,
        subtitle=what,
    )
    return selection.figure(plot, key=key)
