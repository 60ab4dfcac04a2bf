"""The main figure of the page Classify: the model in a plane, drawn in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.ui import cached, classify_planes, controls, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.datasets import Dataset
    from lincore.experiments.views import View
    from pages.ui.classify_fit import Fitted
    from pages.ui.sidebar import Experiment

KEY = "classify"
ALL_CLASSES = -1
# More ellipses than this hide the picture: they are then left to be asked for.
MOST_ELLIPSES = 5
_QUANTITIES = {
    "posterior": "Posterior probability",
    "density": "Class density × prior",
    "score": "Lead of the best score",
}


def show(experiment: Experiment, model: cached.ModelChoice, fitted: Fitted) -> None:
    """Ask how to draw the model, and draw it."""
    data, choice, split = experiment
    above = st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.drawn")
    with above:
        drawing = _drawing(fitted)
        look = classify_planes.ask(fitted.pipeline, data, split)
    try:
        view = cached.view(data.digest, choice, model, look, fitted, data)
    except ValueError as error:  # such as class means that do not span a discriminant plane
        st.info(f"This plane cannot be drawn. {text.escape(str(error))}")
        return
    with above:
        figure = _draw(drawing, view, data)
    controls.figure(figure, key=f"{KEY}.{drawing.lower()}")
    st.caption(f"{len(view.rows):,} test {text.row_noun(data)}. {text.escape(view.caption)}")


def _drawing(fitted: Fitted) -> str:
    return st.segmented_control(
        "Picture",
        ["Contour", "Surface", "Boundary", *_ambiguity(fitted)],
        default="Contour",
        required=True,
        key=f"{KEY}.drawing",
        persist_state="session",
        label_visibility="collapsed",
    )


def _ambiguity(fitted: Fitted) -> list[str]:
    return ["Ambiguity"] if hasattr(fitted.pipeline.steps[-1][1], "ambiguity") else []


def _draw(drawing: str, view: View, data: Dataset) -> go.Figure:
    from lincore import plots
    from lincore.plots.class_ellipses import with_ellipses

    if drawing == "Surface":
        return plots.surface(view, camera=_camera(), **_surface_options(view))
    if drawing == "Ambiguity":
        if view.ambiguous is not None and len(view.axis_names) == 2:
            return plots.ambiguity(view)
        st.caption("Regions of ambiguity need two coordinates.")
        return plots.boundary(view)
    if drawing == "Boundary":
        figure = plots.boundary(view)
    else:
        figure = plots.contour(view, **_contour_options(view, data))
    return with_ellipses(figure, view) if _wants_ellipses(view) else figure


def _contour_options(view: View, data: Dataset) -> dict[str, Any]:
    quantity = _quantity(view)
    focus = controls.choose(
        "Class",
        [ALL_CLASSES, *range(data.n_classes)],
        key=f"{KEY}.focus",
        format_func=lambda k: "All classes" if k == ALL_CLASSES else str(data.classes[k]),
        help="Draw one class alone, or each class where it wins.",
        width=150,
    )
    return {"quantity": quantity, "focus": None if focus == ALL_CLASSES else focus}


def _surface_options(view: View) -> dict[str, Any]:
    quantities = [name for name in view.quantities if name != "score"] or ["score"]
    if len(quantities) == 1 or len(view.axis_names) == 1:
        return {}
    kind = st.segmented_control(
        "Heights",
        quantities[::-1],
        default=quantities[-1],
        required=True,
        format_func=_QUANTITIES.get,
        key=f"{KEY}.heights",
        persist_state="session",
        help="Class densities weighted by their priors, or the posterior of the class that wins.",
    )
    return {"quantity": kind}


def _quantity(view: View) -> str:
    return controls.choose(
        "Contours of",
        list(view.quantities),
        key=f"{KEY}.quantity",
        format_func=_QUANTITIES.__getitem__,
        help="How probable a class is at a place, how many of its rows lie there, or by how much "
        "its score leads.",
        width=190,
    )


def _camera() -> str:
    return controls.choose(
        "Seen from",
        ["oblique", "above", "front"],
        key=f"{KEY}.camera",
        format_func=str.capitalize,
        help="A place to start from; drag the picture to turn it.",
        width=140,
    )


def _wants_ellipses(view: View) -> bool:
    if view.densities is None or len(view.axis_names) != 2:
        return False
    return st.toggle(
        "Ellipses",
        value=len(view.classes) <= MOST_ELLIPSES,
        key=f"{KEY}.ellipses",
        persist_state="session",
        help="What the model takes each class to be: its mean, and the ellipse that holds 95 %.",
    )
