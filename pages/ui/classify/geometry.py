"""The model of the page Classify in a plane or along a line: what is chosen of it, and the plot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from lincore import inspection
from lincore.displays import MOST_HELD, PlaneDisplay, by_position
from pages.ui.classify import model_choice
from pages.ui.session import fitting, link, sidebar
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.model_selection import FittedClassifier
    from pages.ui.classify.model_choice import ModelRow
    from pages.ui.session import cache
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify.plane"


def show(experiment: PageExperiment) -> tuple[cache.ModelChoice, FittedClassifier]:
    """Ask for a model and how to draw it, fit it and draw it; return what was chosen and fitted."""
    return _model_and_plot(experiment, [])


@sidebar.fragment
def _model_and_plot(
    experiment: PageExperiment, chosen: list[cache.ModelChoice]
) -> tuple[cache.ModelChoice, FittedClassifier]:
    """Draw the row of controls and the plot; another plot of the same model reruns only this."""
    choice, row = model_choice.ask(experiment.data, experiment.split)
    if chosen and chosen[0] != choice:
        link.run_again()  # the headline, the scores and the panels are of the model, too
    chosen[:] = [choice]
    model = fitting.require(experiment, choice)
    _ask(model, row)
    plane = plane_of(model)
    said = displays.parts(plane)
    if said.figure is None:
        st.info(text.escape(said.finding))
    else:
        # The browser keeps the view of a plot of the same key.
        displays.body(plane, key=f"{KEY}.{plane.chosen.drawing}")
        st.caption(text.escape(said.scope))
    return choice, model


def plane_of(model: FittedClassifier) -> PlaneDisplay:
    """Return the plane that is looked at."""
    held = displays.read(PlaneDisplay, KEY, model=model)
    return PlaneDisplay(model, **{name: held[name] for name in displays.settings(KEY)})


def _ask(model: FittedClassifier, row: ModelRow) -> None:
    """Ask for a plane, where there is more than one, and how to draw it."""

    def ask(*names: str, width: int | None = None) -> None:
        known = displays.read(PlaneDisplay, KEY, model=model)
        others = {name: value for name, value in known.items() if name not in names}
        displays.ask(PlaneDisplay, KEY, *names, width=width, model=model, **others)

    with row.plane:
        ask("kind")
    with row.plot:
        ask("drawing")
    with row.options:
        st.markdown("**Plot**")
        with st.container(horizontal=True):
            ask("x", "y")
        if displays.read(PlaneDisplay, KEY, model=model)["kind"] == "features":
            _hold(model, ask)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            ask("rows", "quantity", "focus", "camera", width=190)
            ask("ellipses", "counts")


def _hold(model: FittedClassifier, ask: Callable[..., None]) -> None:
    """Ask where the other features are held."""
    data, read = model.data, displays.read(PlaneDisplay, KEY, model=model)
    others = [i for i in range(data.n_features) if i not in (read["x"], read["y"])]
    if not others or data.n_features <= 2:
        return
    with st.expander("Other features", key=f"{KEY}.others"):
        ask("rest")
        usual = inspection.median_row(data, model.split.train, read["rest"])
        held = {i: value for i, value in by_position(read["held"]).items() if i in others}

        def keep(chosen: list[int]) -> None:
            _keep({i: held.get(i, float(usual[i])) for i in chosen})

        st.multiselect(
            "Or at a value of your own",
            others,
            format_func=lambda i: str(data.feature_names[i]),
            max_selections=MOST_HELD,
            help="The features chosen here are held at the numbers that you enter.",
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
        list(range(len(levels))),
        format_func=lambda code: str(levels[code]),
        help=help,
        **controls.edits(key, code, keep),
    )


def _keep(held: dict[int, float]) -> None:
    pairs = tuple(float(part) for pair in held.items() for part in pair)
    displays.set_settings(KEY, held=pairs or None)
