"""The model of the page Classify: classifier, options and steps, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.ui.jobs import cache
from pages.ui.session import questions
from pages.ui.widgets import displays, model_options, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset, Split
    from lincore.model_selection import FittedClassifier

KEY = "classify"
# Widths in pixels; the others share the rest of the row.
_OPTIONS_WIDTH = 130


class ModelRow(NamedTuple):
    """Containers of the controls above the plot that are filled once the model is fitted."""

    plot: DeltaGenerator
    plane: DeltaGenerator
    options: Any  # a popover


def ask(data: Dataset, split: Split) -> tuple[cache.ModelChoice, ModelRow]:
    """Ask for a classifier and, in a popover, for its options and the steps before it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.row"):
        word = questions.ask_classifier(data)
        plot, plane = st.container(), st.container()
        options = st.popover(
            "Options", key=f"{KEY}.options", width=_OPTIONS_WIDTH, on_change="rerun"
        )
    with options:
        line, steps = model_options.model(word, data, split, draw=options.open)
    return cache.ModelChoice(line, steps), ModelRow(plot, plane, options)


def show_steps(model: FittedClassifier, choice: cache.ModelChoice) -> None:
    """Describe in one line the inputs of the model, and how the fit ended."""
    model_options.show_projection(model.data, choice.steps, model.split, who="The model sees")
    steps = model.steps()
    displays.note(steps, key=f"{KEY}.steps")
    content, end = displays.parts(steps), steps.end
    fine = end.sentence if end.is_fine else ""
    st.caption(text.escape(" ".join(filter(None, (content.finding, content.scope, fine)))))
    if not end.is_fine:
        st.warning(text.escape(f"{end.sentence} {end.remedy}"))
    for note in content.notes:
        if note not in (end.sentence, end.remedy):
            st.caption(text.escape(note))
