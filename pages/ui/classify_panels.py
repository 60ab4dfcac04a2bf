"""The panels below the figure of the page Classify, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from pages.ui import (
    cached,
    classify_checks,
    classify_convergence,
    classify_curves,
    classify_errors,
    classify_weights,
    classify_whatif,
)

if TYPE_CHECKING:
    from pages.ui.classify_fitting import Fitted
    from pages.ui.sidebar import Experiment

Panel = Callable[["Experiment", cached.ModelChoice, "Fitted"], None]

PANELS: dict[str, Panel] = {
    "Confusion": classify_errors.confusion,
    "Scores": classify_errors.scores,
    "ROC": classify_curves.rates,
    "Calibration": classify_curves.calibration,
    "Convergence": classify_convergence.convergence,
    "Coefficients": classify_weights.coefficients,
    "Equation": classify_weights.equation,
    "Assumptions": classify_checks.assumptions,
    "What if": classify_whatif.what_if,
}


@st.fragment
def show(experiment: Experiment, model: cached.ModelChoice, fitted: Fitted) -> None:
    """Draw the tabs, and in the open one what it holds; nothing else reruns with them."""
    for tab, panel in zip(
        st.tabs(list(PANELS), key="classify.panels", on_change="rerun"),
        PANELS.values(),
        strict=True,
    ):
        if tab.open:
            with tab:
                panel(experiment, model, fitted)
