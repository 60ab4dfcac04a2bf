"""Controls for a classifier, its options and the preprocessing steps, on any page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import analysis, fields, model_selection, report
from pages.ui.widgets import displays, experiment_record
from pages.ui.widgets.experiment_record import SHARED

if TYPE_CHECKING:
    from lincore.data import Dataset, Split

#: Regularisation with which QDA can be fitted to classes with few rows or constant categories.
_ENOUGH = 0.1
# Width of a widget in pixels.
_WIDTH = 220


def model(
    word: str, data: Dataset, split: Split, *, draw: bool | None
) -> tuple[str, model_selection.Steps]:
    """Ask for the options of a classifier; return its line and the steps before it.

    Without `draw` no widgets are drawn: their popover is closed.
    """
    if draw:
        st.markdown("**Classifier**")
        options(word)
    line = analysis.method_line(word, experiment_record.chosen_options(word))
    if model_selection.as_method(line).counts:
        if draw:
            st.caption("The model expects counts: they are neither standardised nor projected.")
        return line, model_selection.Steps(standardize=False)
    return line, experiment_record.chosen_steps(data, len(split.train))


def options(name: str, *, key: str = SHARED) -> dict[str, Any]:
    """Ask for the main options of a classifier, and for the others in an expander."""
    record, settings_key = model_selection.CLASSIFIER_OPTIONS[name], f"{key}.{name}"
    known = fields.options(record)
    main = [option.name for option in known if option.field.main]
    rest = [option.name for option in known if not option.field.main]
    if main:
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{settings_key}.main"):
            displays.ask(record, settings_key, *main, width=_WIDTH)
    if rest:
        with st.expander(
            "More options of the classifier", key=f"{settings_key}.rest", on_change="rerun"
        ) as panel:
            if panel.open:
                displays.ask(record, settings_key, *rest, width=_WIDTH)
    return experiment_record.chosen_options(name, key=key)


def offer_regularization(*, key: str, then: str = "", flag: str | None = None) -> None:
    """Offer to regularise QDA at a click."""

    def regularise() -> None:
        displays.set_settings(f"{SHARED}.qda", regularization=_ENOUGH)
        if flag is not None:
            st.session_state[flag] = True

    st.button(
        f"Regularise QDA by {_ENOUGH}",
        key=key,
        on_click=regularise,
        help=f"Shrink the covariance of each class by this weight towards the pooled one{then}.",
    )


def show_projection(data: Dataset, steps: model_selection.Steps, split: Split, *, who: str) -> None:
    """Describe the inputs of the models, if they are not the features."""
    sentence = report.projection_sentence(data, steps, len(split.train), who=who)
    if sentence:
        st.caption(sentence)
