"""The model of the page Classify in a plane or along a line, beside its scores and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import streamlit as st

from lincore import inspection
from lincore.displays import (
    MOST_HELD,
    ConfusionCellDisplay,
    ConfusionDisplay,
    PlaneDisplay,
    by_position,
)
from pages.ui.classify import model_choice
from pages.ui.frame import sidebar
from pages.ui.session import fitting, link
from pages.ui.widgets import controls, displays, selection, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.model_selection import FittedClassifier
    from pages.ui.classify.model_choice import ModelRow
    from pages.ui.jobs import cache
    from pages.ui.session.experiment import PageExperiment

KEY = "classify.plane"


def show(experiment: PageExperiment) -> tuple[cache.ModelChoice, FittedClassifier]:
    """Ask for a model and its plot, fit it and draw it; return choices and model."""
    return _model_and_plot(experiment, [])


@sidebar.fragment
def _model_and_plot(
    experiment: PageExperiment, chosen: list[cache.ModelChoice]
) -> tuple[cache.ModelChoice, FittedClassifier]:
    """Draw the controls and the plot; other plots of the same model rerun only this fragment."""
    choice, row = model_choice.ask(experiment.data, experiment.split)
    if chosen and chosen[0] != choice:
        link.run_again()  # headline, scores and panels depend on the model, too
    chosen[:] = [choice]
    model = fitting.require(experiment, choice)
    _ask(model, row)
    with st.container(key="classify.model"):
        _draw(model)
    return choice, model


def _draw(model: FittedClassifier) -> None:
    """Draw the plot beside scores and errors; the rows of a chosen cell follow."""
    plane = plane_of(model)
    if plane.chosen.drawing == "surface":  # needs the width of the page
        _plot(plane)
        left, right = st.columns([3, 2], gap="large")
        with left:  # the same from above
            contour = replace(plane, drawing="contour", quantity=plane.chosen.quantity)
            displays.figure(contour, key=f"{KEY}.contour")
    else:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _plot(plane)
    with right:
        displays.metrics(model.main_scores())
        cell = _confusion(model)
    if len(cell) == 2 and max(cell) < model.data.n_classes:
        displays.show(ConfusionCellDisplay(model, *cell), key="classify.cell", data=model.data)
        selection.offer_to_clear(ConfusionDisplay.page_key)


def _plot(plane: PlaneDisplay) -> None:
    content = displays.parts(plane)
    if content.figure is None:
        st.info(text.escape(content.finding))
        return
    # The browser keeps the view of a plot of the same key.
    displays.body(plane, key=f"{KEY}.{plane.chosen.drawing}")
    st.caption(text.escape(content.scope))


def _confusion(model: FittedClassifier) -> list[int]:
    """Draw the confusion matrix; return the codes of the chosen cell, or nothing."""
    key = ConfusionDisplay.page_key
    matrix = ConfusionDisplay(model, **displays.read(ConfusionDisplay, key, model=model))
    displays.note(matrix, key=key)
    figure = displays.parts(matrix).figure
    cell = selection.figure(figure, key=key, modes=("points",), read=selection.cell)
    if not cell:
        st.caption(f"Choose a cell to see its {model.data.kind.rows}.")
    return cell


def plane_of(model: FittedClassifier) -> PlaneDisplay:
    """Return the chosen plane."""
    held = displays.read(PlaneDisplay, KEY, model=model)
    return PlaneDisplay(model, **{name: held[name] for name in displays.settings(KEY)})


def _ask(model: FittedClassifier, row: ModelRow) -> None:
    """Ask for a plane, if there is more than one, and for the kind of plot."""

    def ask(width: int | None = None, **at: DeltaGenerator) -> None:
        displays.ask(PlaneDisplay, KEY, width=width, draw=False, at=at, model=model)

    ask(kind=row.plane, drawing=row.plot)
    if row.options.open:
        with row.options:
            st.markdown("**Plot**")
            axes = st.container(horizontal=True)
            ask(x=axes, y=axes)
            _hold(model, ask)
            others = st.container(horizontal=True, vertical_alignment="bottom")
            names = ("rows", "quantity", "focus", "camera", "ellipses", "counts")
            ask(190, **dict.fromkeys(names, others))
            st.markdown("**Confusion matrix**")
            displays.ask(ConfusionDisplay, ConfusionDisplay.page_key, width=190, model=model)


def _hold(model: FittedClassifier, ask: Callable[..., None]) -> None:
    """Ask for the values of the other features."""
    data, read = model.data, displays.read(PlaneDisplay, KEY, model=model)
    others = [i for i in range(data.n_features) if i not in (read["x"], read["y"])]
    if read["kind"] != "features" or not others or data.n_features <= 2:
        return
    with st.expander("Other features", key=f"{KEY}.others", on_change="rerun") as panel:
        if not panel.open:
            return
        ask(rest=panel)
        median = inspection.median_row(data, model.split.train, read["rest"])
        held = {i: value for i, value in by_position(read["held"]).items() if i in others}

        def keep(chosen: list[int]) -> None:
            _keep({i: held.get(i, float(median[i])) for i in chosen})

        st.multiselect(
            "Or at a chosen value",
            **controls.named(others, (data.feature_names[i] for i in others)),
            max_selections=MOST_HELD,
            help="The features chosen here are held at the entered values.",
            **controls.edits(f"{KEY}.features", list(held), keep),
        )
        for i in list(held):
            _value(data, i, held)


def _value(data: Dataset, column: int, held: dict[int, float]) -> None:
    """Ask for the value at which a feature is held."""

    def keep(value: float) -> None:
        now = by_position(displays.settings(KEY).get("held", ()))
        _keep({**now, column: value})

    name, key = text.escape(data.feature_names[column]), f"{KEY}.{data.digest}.{column}"
    help = "The value at which this feature is held."
    levels = inspection.level_names(data, column)
    if levels is None:
        value = held[column] if held[column] == held[column] else 0.0
        st.number_input(name, format="%.6g", help=help, **controls.edits(key, value, keep))
        return
    code = int(held[column]) if held[column] in range(len(levels)) else 0
    st.selectbox(
        name,
        **controls.named(range(len(levels)), levels),
        help=help,
        **controls.edits(key, code, keep),
    )


def _keep(held: dict[int, float]) -> None:
    pairs = tuple(map(float, chain.from_iterable(held.items())))
    displays.set_settings(KEY, held=pairs or None)
