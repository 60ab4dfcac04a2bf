"""The main figure of the page Classify: the model in a plane, drawn in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import inspection, plots
from lincore.plots.plane import with_ellipses
from pages.ui.classify import _planes, model_choice
from pages.ui.session import cache, fitting, link, sidebar
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import Dataset
    from lincore.inspection import View
    from pages.ui.classify._planes import Look
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify"
ALL_CLASSES = -1
# More ellipses than this hide the plot: they are then left to be asked for.
MOST_ELLIPSES = 5
_ROWS = {"test": "test ", "training": "training ", "all": ""}
_QUANTITIES = {
    "posterior": "Posterior probability",
    "density": "Class density × prior",
    "score": "Margin",
}


class Drawing(NamedTuple):
    """Options of the plot of a view; those that a kind of plot lacks keep their defaults."""

    kind: str
    quantity: str | None = None
    focus: int | None = None
    camera: str = "oblique"
    ellipses: bool = False
    counts: bool = False


def show(experiment: PageExperiment) -> tuple[cache.ModelChoice, Fitted]:
    """Ask for a model and how to draw it, fit it and draw it; return what was chosen and fitted."""
    return _model_and_plot(experiment, [])


@sidebar.fragment
def _model_and_plot(
    experiment: PageExperiment, chosen: list[cache.ModelChoice]
) -> tuple[cache.ModelChoice, Fitted]:
    """Draw the row of controls and the plot; another plot of the same model reruns only this."""
    data, choice, split = experiment
    model, row = model_choice.ask(data, split)
    if chosen and chosen[0] != model:
        link.run_again()  # the headline, the scores and the panels are of the model, too
    chosen[:] = [model]
    fitted = fitting.require(experiment, model)
    with row.options:
        st.markdown("**Plot**")
    look = _planes.ask(fitted.pipeline, data, split, row)
    with row.options:
        look = look._replace(rows=_rows())
    st.session_state[_planes.LOOK] = look
    try:
        view = _planes.view(data.digest, choice, model, look, fitted, data)
    except ValueError as error:  # such as class means that do not span a discriminant direction
        st.info(f"This plane cannot be drawn. {text.escape(str(error))}")
        return model, fitted
    with row.plot:
        kind = _kind(view)
    with row.options:
        drawing = _drawing(kind, view, data)
    figure = _figure(data.digest, choice, model, look, drawing, view)
    controls.figure(figure, key=f"{KEY}.{kind.lower()}")
    noun = text.row_noun(data)
    st.caption(
        f"{len(view.rows):,} {_ROWS[look.rows]}{noun}. {text.escape(view.fidelity)} "
        f"{text.escape(view.caption)}"
    )
    return model, fitted


def with_own_row(
    experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted, row: Any
) -> None:
    """Draw the plane that is looked at once more, with a row (1, p) of the visitor's own in it."""
    data, choice, split = experiment
    look = st.session_state.get(_planes.LOOK)
    if look is None:
        return
    try:
        view = _planes.view(data.digest, choice, model, look, fitted, data)
        plane = _planes.plane(fitted.pipeline, data, split, look)
        place = inspection.row_in_view(view, plane, fitted.pipeline, row)
    except ValueError:  # the plane above could not be drawn either, and says why
        return
    kind = "Contour" if len(view.axis_names) == 2 else "Histogram"
    quantity = view.quantities[0] if kind == "Contour" else None
    figure = _figure(data.digest, choice, model, look, Drawing(kind, quantity), view)
    controls.figure(plots.with_row(figure, place), key=f"{KEY}.whatif.plot")


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _figure(
    digest: str,
    choice: cache.SplitSettings,
    model: cache.ModelChoice,
    look: Look,
    drawing: Drawing,
    _view: View,
) -> go.Figure:
    """Draw a view; all depends on what names it, the digest of the data among it."""
    return _draw(drawing, _view)


def _rows() -> Any:
    """Ask which rows are drawn."""
    controls.begin_with(f"{KEY}.rows", "test")
    return st.segmented_control(
        "Rows",
        ["test", "training", "all"],
        format_func={"test": "Test", "training": "Training", "all": "Both"}.__getitem__,
        key=f"{KEY}.rows",
        required=True,
        persist_state="session",
        help="The model has learned from the training rows: it errs less on them.",
    )


def _kind(view: View) -> str:
    kinds, key = ["Contour", "Boundary", "Surface"], f"{KEY}.drawing"
    if len(view.axis_names) == 1:
        kinds, key = ["Histogram", "Curves"], f"{KEY}.drawing.line"
    elif view.ambiguous is not None:
        kinds.append("Ambiguity")
    return controls.choose(
        "Plot",
        kinds,
        key=key,
        help="Rows over filled contours or regions, a surface, or histograms along one direction.",
    )


def _drawing(kind: str, view: View, data: Dataset) -> Drawing:
    """Ask for what can be chosen of a kind of plot."""
    if kind == "Histogram":
        counts = st.toggle(
            "Counts",
            key=f"{KEY}.counts",
            persist_state="session",
            help="Heights are numbers of rows; otherwise each class has area 1.",
        )
        return Drawing(kind, counts=counts)
    if kind == "Ambiguity":
        return Drawing(kind)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if kind == "Surface":
            return Drawing(kind, _heights(view), camera=_camera())
        if kind == "Boundary":
            return Drawing(kind, ellipses=_wants_ellipses(view))
        quantity, focus = _quantity(view), _focus(data)
        return Drawing(kind, quantity, focus, ellipses=_wants_ellipses(view))


def _draw(drawing: Drawing, view: View) -> go.Figure:
    if drawing.kind == "Histogram":
        return plots.direction_histogram(view, counts=drawing.counts)
    if drawing.kind == "Surface":
        return plots.surface(view, camera=drawing.camera, **_if_any(quantity=drawing.quantity))
    if drawing.kind == "Ambiguity":
        return plots.ambiguity(view)
    if drawing.kind == "Boundary":
        figure = plots.boundary(view)
    else:
        figure = plots.contour(view, quantity=drawing.quantity, focus=drawing.focus)
    return with_ellipses(figure, view) if drawing.ellipses else figure


def _if_any(**settings: Any) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def _focus(data: Dataset) -> int | None:
    focus = controls.choose(
        "Class",
        [ALL_CLASSES, *range(data.n_classes)],
        key=f"{KEY}.focus",
        format_func=lambda k: "All classes" if k == ALL_CLASSES else str(data.classes[k]),
        help="One class alone, or each class where it is predicted.",
        width=150,
    )
    return None if focus == ALL_CLASSES else focus


def _heights(view: View) -> str | None:
    quantities = [name for name in view.quantities if name != "score"]
    if len(quantities) < 2:
        return None
    controls.begin_among(f"{KEY}.heights", quantities, quantities[-1])
    return st.segmented_control(
        "Show",
        quantities[::-1],
        required=True,
        format_func=_QUANTITIES.get,
        key=f"{KEY}.heights",
        persist_state="session",
        help="Class densities weighted by their priors, or the posterior of the predicted class.",
    )


def _quantity(view: View) -> str:
    controls.follow(f"{KEY}.quantity", view.quantities[0])
    return controls.choose(
        "Show",
        list(view.quantities),
        key=f"{KEY}.quantity",
        format_func=_QUANTITIES.__getitem__,
        help="The posterior of the predicted class, its density times its prior, or the margin: "
        "the margin of its score over the next.",
        width=190,
    )


def _camera() -> str:
    return controls.choose(
        "Seen from",
        ["oblique", "above", "front"],
        key=f"{KEY}.camera",
        format_func=str.capitalize,
        help="A place to start from; drag the plot to turn it.",
        width=140,
    )


def _wants_ellipses(view: View) -> bool:
    if view.densities is None or len(view.axis_names) != 2:
        return False
    controls.begin_with(f"{KEY}.ellipses", len(view.classes) <= MOST_ELLIPSES)
    return st.toggle(
        "Ellipses",
        key=f"{KEY}.ellipses",
        persist_state="session",
        help="The class densities of the model: their means, and ellipses that hold 95 %.",
    )
