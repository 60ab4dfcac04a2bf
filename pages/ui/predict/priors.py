"""Priors in deployment and the level of "unlike the training data"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import analysis
from lincore.utils import quoted
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from lincore.model_selection import FittedModel

KEY = "predict.priors"
LEVEL = "predict.level"
_KINDS = {
    "training": "As in training",
    "equal": "Equal",
    "estimate": "Estimate from these rows",
    "set": "Set a share",
}
_LEVELS = {0.05: "5 %", 0.01: "1 %", 0.001: "0.1 %"}


class Priors(NamedTuple):
    """Priors in deployment and the level.

    Attributes
    ----------
    values : "equal", "estimate", ClassShare, or None for those of training
    level : float
    """

    values: Any
    level: float


def ask_kind(model: FittedModel) -> str:
    """Ask where the priors in deployment come from."""
    kinds = list(_KINDS) if model.priors is not None else ["training"]
    return str(
        controls.choose(
            "Priors in deployment",
            kinds,
            key=KEY,
            format_func=_KINDS.__getitem__,
            help="Class shares in the population of these rows. Posteriors are multiplied by new "
            "over old shares, without refitting. Estimated by expectation maximisation.",
        )
    )


def ask_share(kind: str, model: FittedModel) -> Any:
    """Ask for the share of a class where one is set; return the priors."""
    learned = model.priors
    if kind == "training" or learned is None:
        return None
    if kind != "set":
        return kind
    left, right = st.columns([1, 2], gap="large")
    with left:
        code = controls.choose(
            "Class",
            list(range(len(model.classes))),
            key=f"{KEY}.class",
            index=int(learned.argmin()),
            format_func=lambda k: str(model.classes[k]),
            help="The others divide what is left as in training.",
        )
    with right:
        key = f"{KEY}.share.{code}"
        controls.begin_with(key, min(max(round(100 * float(learned[code])), 1), 99))
        share = st.slider(
            f"Share of {text.escape(quoted(model.classes[code]))} in deployment",
            1,
            99,
            format="%d %%",
            key=key,
            persist_state="session",
            help="Predictions are updated immediately, without refitting.",
        )
    return analysis.ClassShare(code, share / 100)


def ask_level() -> float:
    """Ask for the level of "unlike the training data"."""
    return float(
        controls.choose(
            "Unlike the training data",
            list(_LEVELS),
            key=LEVEL,
            index=1,
            format_func=_LEVELS.__getitem__,
            help="Flagged rows are further from each class than all but this share of a normal "
            "class, and than all but this share of the training rows.",
        )
    )
