"""The panel Operating point: a threshold by slider, costs, folds or a click, or a cost table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore.displays import (
    SETS,
    ConfusionDisplay,
    DecisionCurveDisplay,
    OperatingPointDisplay,
    RejectOptionDisplay,
)
from pages.ui.session import fitting
from pages.ui.widgets import cost_table, displays, selection, text

if TYPE_CHECKING:
    from lincore.displays import Display
    from lincore.model_selection import FittedClassifier

KEY = OperatingPointDisplay.page_key


def show(model: FittedClassifier, job_settings: Any) -> None:
    """Draw the operating point, and below it decision curve and reject option."""
    _point(model, job_settings)
    st.markdown("##### Reject option")
    key = RejectOptionDisplay.page_key
    reject_option = displays.chosen(RejectOptionDisplay, width=200, model=model)
    if reject_option.reject not in SETS or fitting.has_held_out(
        f"{key}.folds", model, job_settings
    ):
        displays.show(reject_option, key=key)


def _point(model: FittedClassifier, job_settings: Any) -> None:
    """Ask for the operating point, and draw matrix, scores and curves at it."""
    kind = OperatingPointDisplay
    if kind(model).has_threshold:
        display = displays.chosen(kind, width=200, model=model)
    else:
        costs = cost_table.ask(model.data, KEY)
        display = displays.chosen(kind, width=200, model=model, costs=costs or ())
    if not _is_known(display, job_settings, KEY):
        return
    displays.note(display, key=KEY)
    content = displays.parts(display)
    st.markdown(f"**{text.escape(content.finding)}**")
    st.caption(text.escape(content.scope))
    left, right = st.columns([3, 2], gap="large")
    with left:
        displays.details(display, key=KEY)
    with right:
        displays.figure(ConfusionDisplay(display.decided), key=f"{KEY}.confusion")
    if display.has_threshold:
        st.caption("Choose a point on one of the first two curves to decide there.")
        left, middle, right = st.columns(3, gap="medium")
        with left:
            _curve(display, display.roc(), "roc")
        with middle:
            _curve(display, display.precision_recall(), "precision_recall")
        with right:
            displays.figure(display, key=KEY)
    else:
        displays.figure(display, key=KEY)
    st.markdown(f"##### {DecisionCurveDisplay.title}")
    displays.show(DecisionCurveDisplay(model, display.code), key=DecisionCurveDisplay.page_key)


def current(model: FittedClassifier, job_settings: Any, key: str) -> FittedClassifier | None:
    """Return the model at the chosen operating point; None, with a job's progress, until known."""
    kind = OperatingPointDisplay
    if kind(model).obstacle:
        return model
    known = displays.read(kind, KEY, model=model)
    chosen = {name: known[name] for name in displays.settings(KEY) if name in known}
    display = kind(model, **chosen)
    return display.decided if _is_known(display, job_settings, key) else None


def _is_known(display: OperatingPointDisplay, job_settings: Any, key: str) -> bool:
    """Fit the models of the folds if they choose the threshold; return whether this is over."""
    needs_folds = display.has_threshold and display.by == "cross-validation"
    return not needs_folds or fitting.has_held_out(f"{key}.folds", display.model, job_settings)


def _curve(display: OperatingPointDisplay, curve: Display, word: Any) -> None:
    """Draw a curve; choosing one of its points chooses its threshold."""
    key = f"{KEY}.{word}"

    def choose(event: Any) -> list[int]:
        if rows := selection.rows(event):
            chosen = display.threshold_of(word, rows[-1])
            displays.set_settings(KEY, by=None, threshold=chosen)
        return []

    displays.note(curve, key=key)
    figure = displays.parts(curve).figure
    if figure is not None:
        selection.figure(figure, key=key, modes=("points",), read=choose)
