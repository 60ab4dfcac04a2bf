"""Priors in deployment: scores under other class shares, without refitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from lincore import imbalance, metrics, plots, report
from lincore.utils import quoted
from pages.ui.balance import side_by_side
from pages.ui.session import sidebar
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from lincore.metrics import Results
    from pages.ui.balance.study_setup import Setup

CLASS, SHARE = "balance.use.class", "balance.use.share"
N_SHARES = 25


@sidebar.fragment
def show(setup: Setup, study: BalanceStudy, data: Dataset, method: str) -> None:
    """Ask for the share of a class in deployment and score every model under it."""
    condition = right_condition()
    code, new = _ask(study, data)
    results = study.example.results[condition]
    _priors_table(results, study, condition, new)
    st.caption(
        f"{trained_on_phrase(condition)}. {len(results.rows):,} test {text.row_noun(data)}, "
        "weighted to these shares; 95 % intervals. With corrected priors, posteriors are "
        "multiplied by new over old shares, without refitting."
    )
    called = side_by_side.label(study, method)
    places, curves = _curves(setup, method, condition, code, study)
    controls.figure(
        plots.sweep(
            100 * places,
            curves[..., 0],
            curves[..., 1],
            curves[..., 2],
            [f"{called}, as trained", f"{called}, corrected priors"],
            across=f"share of {quoted(data.classes[code])} in deployment (%)",
            score="error",
            title=f"Error of {called} by the share of {quoted(data.classes[code])} in deployment",
            basis="Bands: 95 % intervals over the test rows.",
        ),
        key="balance.use.curve",
    )


def right_condition() -> str:
    """Return what stands on the right; a threshold is another way to say what priors say."""
    condition = side_by_side.applied()
    return "reduced" if condition == "moved threshold" else condition


def trained_on_phrase(condition: str) -> str:
    """Return the training set of the models as a phrase."""
    if condition == "reduced":
        return "Trained on the reduced set"
    correction = "both corrections" if condition == "both" else condition
    return f"Trained on the reduced set with {correction}"


def shares(study: BalanceStudy, data: Dataset) -> tuple[int, np.ndarray]:
    """Return the class whose share was set, and the shares of all."""
    full = study.shares("full")
    code = st.session_state.get(CLASS)
    if code is None or not 0 <= code < data.n_classes:
        code = int(np.flatnonzero(study.is_reduced)[0])
    percent = st.session_state.get(f"{SHARE}.{code}")
    return int(code), full if percent is None else imbalance.priors_with_share(
        full, code, percent / 100
    )


def _ask(study: BalanceStudy, data: Dataset) -> tuple[int, np.ndarray]:
    """Ask for the share of one class; the others divide the rest as in the full set."""
    before, _ = shares(study, data)
    left, right = st.columns([1, 2], gap="large")
    with left:
        code = controls.choose(
            "Class",
            list(range(data.n_classes)),
            key=CLASS,
            index=before,
            format_func=lambda k: str(data.classes[k]),
            help="The others divide what is left as in the full training set.",
        )
    full = study.shares("full")
    with right:
        key = f"{SHARE}.{code}"
        controls.begin_with(key, min(max(round(100 * float(full[code])), 1), 99))
        share = st.slider(
            f"Share of {text.escape(quoted(data.classes[code]))} expected in deployment",
            1,
            99,
            format="%d %%",
            key=key,
            persist_state="session",
            help="Scores are updated immediately, without refitting.",
        )
    return code, imbalance.priors_with_share(full, code, share / 100)


def _priors_table(results: Results, study: BalanceStudy, condition: str, new: np.ndarray) -> None:
    adjusted = metrics.adjust_priors(results, imbalance.condition_priors(study, condition), new)
    with st.container(key="balance.use.rows"):
        tables.show(
            pd.DataFrame(report.deployment_rows(results, adjusted, new)),
            hide_index=True,
            alt="Error and log loss of every model with the shares expected in deployment.",
        )


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _curves(
    setup: Setup, method: str, condition: str, code: int, _study: BalanceStudy
) -> tuple[np.ndarray, np.ndarray]:
    """Return shares of a class, and the error of a method with learned and corrected priors."""
    position = _study.methods.index(method)
    results = _study.example.results[condition].select(method)
    old = imbalance.condition_priors(_study, condition)[position]
    shares = np.geomspace(0.01, 0.95, N_SHARES)
    curves = [
        imbalance.error_by_share(results, old, code, shares, corrected=adjusted)
        for adjusted in (False, True)
    ]
    return shares, np.vstack(curves)
