"""The panel Operating point: a threshold by slider, costs, folds or a click, or a cost table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore.displays import (
    ConfusionDisplay,
    OperatingPointDisplay,
    held_out,
)
from pages.ui.jobs import page_jobs
from pages.ui.widgets import cost_table, displays, selection, text

if TYPE_CHECKING:
    from lincore.displays import Display
    from lincore.model_selection import FittedClassifier
    from pages.ui.jobs.progress import Progress

KEY = OperatingPointDisplay.place
#: Values of the training rows of a model solved from moments that are fitted in folds at once.
AT_ONCE = 100_000


def show(model: FittedClassifier, about: Any) -> None:
    """Ask for the operating point, and draw matrix, scores and curves at it."""
    kind = OperatingPointDisplay
    if kind(model).has_threshold:
        found = displays.chosen(kind, width=210, model=model)
    else:
        costs = cost_table.ask(model.data, KEY)
        found = displays.chosen(kind, width=210, model=model, costs=costs or ())
    if found.has_threshold and found.by == "cross-validation" and not _has_folds(model, about):
        return
    displays.note(found, key=KEY)
    said = displays.parts(found)
    st.markdown(f"**{text.escape(said.finding)}**")
    st.caption(text.escape(said.scope))
    left, right = st.columns([3, 2], gap="large")
    with left:
        displays.details(found, key=KEY)
    with right:
        displays.figure(ConfusionDisplay(found.decided), key=f"{KEY}.confusion")
    if not found.has_threshold:
        displays.figure(found, key=KEY)
        return
    st.caption("Choose a point on one of the first two curves to decide there.")
    left, middle, right = st.columns(3, gap="medium")
    with left:
        _curve(found, found.roc(), "roc")
    with middle:
        _curve(found, found.precision_recall(), "precision_recall")
    with right:
        displays.figure(found, key=KEY)


def current(model: FittedClassifier) -> FittedClassifier:
    """Return the model at the chosen operating point, for its exports."""
    kind = OperatingPointDisplay
    if kind(model).obstacle:
        return model
    known = displays.read(kind, KEY, model=model)
    chosen = {name: known[name] for name in displays.settings(KEY) if name in known}
    return kind(model, **chosen).decided


def _has_folds(model: FittedClassifier, about: Any) -> bool:
    """Fit the models of the folds, as a job if this takes long; return whether they are there."""

    def work(progress: Progress) -> Any:
        found = model.held_out(progress=progress)
        return found if len(found.rows) == len(model.split.train) else None  # stopped

    job = page_jobs.run(
        f"{KEY}.folds",
        about,
        work,
        describe="Fitting the models of five folds",
        here=hasattr(model.classifier, "fit_moments")
        and len(model.split.train) * model.data.n_features <= AT_ONCE,
    )
    page_jobs.show(job)
    if job.result is None:
        return False
    held_out(model, job.result)
    return True


def _curve(found: OperatingPointDisplay, shown: Display, word: Any) -> None:
    """Draw a curve; choosing one of its points chooses its threshold."""
    key = f"{KEY}.{word}"

    def choose(event: Any) -> list[int]:
        if rows := selection.rows(event):
            chosen = found.threshold_of(word, rows[-1])
            displays.set_settings(KEY, by=None, threshold=chosen)
        return []

    displays.note(shown, key=key)
    drawn = displays.parts(shown).figure
    if drawn is not None:
        selection.figure(drawn, key=key, modes=("points",), read=choose)
