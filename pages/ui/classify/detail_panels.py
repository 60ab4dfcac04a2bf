"""The panels below the figure of the page Classify, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.classify import (
    _checks,
    _coefficients,
    _convergence,
    _curves,
    _errors,
    _learned,
    _what_if,
)
from pages.ui.session import arrival, cache, sidebar

if TYPE_CHECKING:
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

Panel = Callable[["PageExperiment", cache.ModelChoice, "Fitted"], None]

PANELS: dict[str, Panel] = {
    "Confusion": _errors.confusion,
    "Scores": _errors.scores,
    "ROC": _curves.rates,
    "Calibration": _curves.calibration,
    "Convergence": _convergence.convergence,
    "Coefficients": _coefficients.coefficients,
    "Equation": _coefficients.equation,
    "What was learned": _learned.learned,
    "Assumptions": _checks.assumptions,
    "What if": _what_if.what_if,
}


@sidebar.fragment
def show(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Draw the tabs, and in the open one what it holds; nothing else reruns with them."""
    arrival.show("classify.panels", next(iter(PANELS)))
    for tab, panel in zip(
        st.tabs(list(PANELS), key="classify.panels", on_change="rerun"),
        PANELS.values(),
        strict=True,
    ):
        if tab.open:
            with tab:
                panel(experiment, model, fitted)
