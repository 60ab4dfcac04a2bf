"""The model of the page Predict: a classifier with the steps and options of the experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.ui.jobs import cache
from pages.ui.predict import saved_model
from pages.ui.predict.saved_model import Saved
from pages.ui.session import fitting, questions
from pages.ui.widgets import model_options

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.model_selection import FittedModel
    from pages.ui.session.experiment import PageExperiment

KEY = "predict"
_OPTIONS_WIDTH = 115


class PredictRow(NamedTuple):
    """Containers in the row of controls that are filled once the model is known."""

    source: DeltaGenerator
    priors: DeltaGenerator
    threshold: DeltaGenerator
    options: Any  # a popover


def ask(
    experiment: PageExperiment, saved: Saved | None
) -> tuple[cache.ModelChoice | Saved, PredictRow]:
    """Ask for a classifier and, in a popover, for its options and the steps before it.

    A saved model replaces them.
    """
    data, _, split = experiment
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.row"):
        source = st.container(width="content")
        with st.container():
            if saved is None:
                word = questions.ask_classifier(data)
            else:
                st.selectbox("Classifier", [f"{saved.file.model.label} (saved)"], disabled=True)
        priors, threshold = st.container(), st.container()
        options = st.popover(
            "Options", key=f"{KEY}.options", width=_OPTIONS_WIDTH, on_change="rerun"
        )
    choice: cache.ModelChoice | Saved
    with options:
        if saved is None:
            choice = cache.ModelChoice(*model_options.model(word, data, split, draw=options.open))
        else:
            choice = saved
        saved_model.ask()  # a file may arrive after it was closed
    return choice, PredictRow(source, priors, threshold, options)


def fitted(experiment: PageExperiment, model: cache.ModelChoice | Saved) -> FittedModel:
    """Return the model fitted on the training rows; without one, draw progress and end the page."""
    if isinstance(model, Saved):
        return model.file.model
    return fitting.require(experiment, model).fitted_model
