"""The model of the page Predict: any classifier with the steps and options of the experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore import model_selection
from pages.ui.predict import saved_model
from pages.ui.predict.saved_model import Saved
from pages.ui.session import cache, fitting
from pages.ui.widgets import model_options

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.analysis import SplitChoice
    from lincore.data import Dataset
    from lincore.model_selection import FittedClassifier, FittedModel
    from pages.ui.session.sidebar import PageExperiment

KEY = "predict"
# The classifier of the page Classify: what is chosen on one of them holds on both.
CLASSIFIER = "classify"
_WIDTH, _OPTIONS_WIDTH = 260, 130


class PredictRow(NamedTuple):
    """Places in the row of controls that are filled once the model is known."""

    source: DeltaGenerator
    priors: DeltaGenerator
    options: DeltaGenerator


def ask(
    experiment: PageExperiment, saved: Saved | None
) -> tuple[cache.ModelChoice | Saved, PredictRow]:
    """Ask for a classifier and, in a popover, for its options and the steps before it.

    A saved model takes their place.
    """
    data, _, split = experiment
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.row"):
        source = st.container(width="content")
        with st.container(width=_WIDTH):
            if saved is None:
                word = model_options.word(data, key=f"{CLASSIFIER}.word")
            else:
                st.selectbox("Classifier", [f"{saved.file.model.label} (saved)"], disabled=True)
        priors = st.container(width=_WIDTH)
        options = st.popover("Options", key=f"{KEY}.options", width=_OPTIONS_WIDTH)
    row = PredictRow(source, priors, options)
    with options:
        if saved is not None:
            saved_model.ask()
            return saved, row
        st.markdown("**Classifier**")
        line = model_options.line(word, model_options.options(word))
        st.markdown("**Steps before it**")
        if model_selection.as_method(line).counts:
            st.caption("The model is of counts: they are neither standardised nor projected.")
            steps = model_selection.Steps(standardize=False)
        else:
            steps = model_options.steps(data, split)
        saved_model.ask()
    return cache.ModelChoice(line, steps), row


def fitted(experiment: PageExperiment, model: cache.ModelChoice | Saved) -> FittedModel:
    """Fit the model on the training rows; draw progress and end the page while there is none."""
    if isinstance(model, Saved):
        return model.file.model
    data, choice, _ = experiment
    return _of(data.digest, choice, model, fitting.require(experiment, model), data)


@cache.by_bytes("Summarising the training rows …")
def _of(
    digest: str,
    choice: SplitChoice,
    model: cache.ModelChoice,
    _fitted: FittedClassifier,
    _data: Dataset,
) -> FittedModel:
    rows = cache.split(digest, choice, _data).train
    return model_selection.FittedModel.of(_data, _fitted.pipeline, _fitted.name, rows)
