"""Priors in deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore.analysis import ClassShare, PredictQuestion
from lincore.utils import quoted
from pages.ui.session import questions
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from lincore.model_selection import FittedModel

KEY = "predict.priors"


def ask(model: FittedModel) -> Any:
    """Ask for the source of the priors in deployment; return them."""
    held = displays.settings(questions.PREDICT).get("priors")
    if isinstance(held, ClassShare) and held.code >= len(model.classes):  # of another model
        _keep(None)
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
                f"{KEY}.class",
                priors.code,
                lambda code: _keep(ClassShare.of_training(model, code)),
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
                f"{KEY}.share.{priors.code}",
                priors.per_cent,
                lambda share: _keep(ClassShare(priors.code, share / 100)),
            ),
            help="Predictions are updated immediately, without refitting.",
        )


def _keep(priors: Any) -> None:
    displays.set_settings(questions.PREDICT, priors=priors)
