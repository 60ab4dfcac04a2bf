"""Choices on the page Predict: the model, and the priors in deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore.analysis import ClassShare, PredictQuestion
from lincore.utils import quoted
from pages.ui.jobs import cache
from pages.ui.predict import saved_model
from pages.ui.predict.saved_model import Saved
from pages.ui.session import fitting, questions
from pages.ui.widgets import controls, displays, model_options, text

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
        saved_model.ask()  # a file may arrive after the popover was closed
    return choice, PredictRow(source, priors, threshold, options)


def fitted(experiment: PageExperiment, model: cache.ModelChoice | Saved) -> FittedModel:
    """Return the model fitted on the training rows; without one, draw progress and end the page."""
    if isinstance(model, Saved):
        return model.file.model
    return fitting.require(experiment, model).fitted_model


def ask_priors(model: FittedModel) -> Any:
    """Ask for the source of the priors in deployment; return them."""
    held = displays.settings(questions.PREDICT).get("priors")
    if isinstance(held, ClassShare) and held.code >= len(model.classes):  # of another model
        _keep_priors(None)
    asked = displays.ask(PredictQuestion, questions.PREDICT, "priors", fitted=model)
    return asked["priors"]


def ask_share(priors: Any, model: FittedModel) -> None:
    """Ask for the share of a class, if one is set."""
    if not isinstance(priors, ClassShare):
        return
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.selectbox(
            "Class",
            **controls.named(range(len(model.classes)), model.classes),
            **controls.edits(
                f"{KEY}.priors.class",
                priors.code,
                lambda code: _keep_priors(ClassShare.of_training(model, code)),
            ),
            help="The others divide the remainder as in training.",
        )
    with right:
        st.slider(
            f"Share of {text.escape(quoted(model.classes[priors.code]))} in deployment",
            1,
            99,
            format="%d %%",
            **controls.edits(
                f"{KEY}.priors.share.{priors.code}",
                priors.per_cent,
                lambda share: _keep_priors(ClassShare(priors.code, share / 100)),
            ),
            help="Predictions are updated immediately, without refitting.",
        )


def _keep_priors(priors: Any) -> None:
    displays.set_settings(questions.PREDICT, priors=priors)
