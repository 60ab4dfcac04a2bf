"""Panels of the cost of the imbalance: parts, corrections, gains from more rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lincore import report
from pages.ui.session import sidebar
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.imbalance import ImbalanceCost


def say(found: ImbalanceCost, method: str, loss: str, place: DeltaGenerator) -> None:
    """Write the finding and the recommendation in a place above everything."""
    place.header(text.escape(report.cost_finding(found, method, loss)), anchor=False)
    place.markdown(text.escape(report.cost_recommendation(found, method, loss)))


def show(found: ImbalanceCost, method: str, loss: str) -> None:
    """Draw the cost curve, the parts beside the corrections, and below them tables and sweep."""
    if found.decomposition(method, loss).uncorrected.value != (
        found.decomposition(method, loss).uncorrected.value
    ):
        st.info(text.escape(report.cost_finding(found, method, loss)))
        return
    has_curve = method in found.curves
    if has_curve:
        controls.figure(report.cost_curve(found, method), key="balance.cost.curve")
    left, right = st.columns(2, gap="medium")
    with left:
        controls.figure(report.cost_waterfall(found, method, loss), key="balance.cost.waterfall")
    with right:
        controls.figure(
            report.cost_corrections(found, method, loss), key="balance.cost.corrections"
        )
    st.caption(text.escape(f"{report.cost_basis(found)} {report.cost_training_rows(found)}"))
    details, rows, models, costs = st.tabs(["Corrections", "More rows", "All models", "Costs"])
    with details:
        _details(found, method, loss)
    with rows:
        _more_rows(found, method, loss)
    with models, st.container(key="balance.cost.models"):
        frame = _frame(report.cost_method_rows(found, loss))
        tables.show(frame, hide_index=True, alt="The loss of every model and its parts.")

    with costs:
        if not has_curve:
            label = text.escape(report.cost_method_label(found, method))
            st.info(f"{label} has no posterior probabilities, so other priors cannot be used.")
            return
        with st.container(key="balance.cost.costs"):
            tables.show(
                _frame(report.cost_curve_rows(found, method)),
                hide_index=True,
                alt="Expected cost of 100 rows at every ratio of the costs, by three decisions.",
            )
        st.caption(
            "Expected cost of 100 rows at the class shares of the file; a false alarm costs 1. All "
            "decisions are those of one model: with its learned priors, with equal priors, and "
            "with the priors that minimise the expected cost."
        )


def _details(found: ImbalanceCost, method: str, loss: str) -> None:
    with st.container(key="balance.cost.rows"):
        tables.show(
            _frame(report.cost_correction_rows(found, method, loss)),
            hide_index=True,
            alt="What each correction recovers and what it costs the other classes.",
        )
    for sentence in report.cost_decomposition_sentences(found, method, loss):
        st.markdown(f"- {text.escape(sentence)}")
    for name, why in found.unavailable.get(method, {}).items():
        st.caption(
            f"{report.correction_name(name).capitalize()}: not available. {text.escape(why)}"
        )
    st.caption(
        "Balanced weights + corrected priors is scikit-learn's class_weight, aimed at the "
        "deployment prevalence. The tuned threshold is chosen by cross-validation inside the "
        "training set. Changes against uncorrected, in points, paired by split."
    )


@sidebar.fragment
def _more_rows(found: ImbalanceCost, method: str, loss: str) -> None:
    if found.rare is None:
        st.info("No class is rarer in the file than in deployment.")
        return
    n = int(found.counts[found.rare])
    more = controls.number(
        "More training rows",
        1,
        100 * n,
        n,
        key="balance.cost.more",
        help="Rows of the rarest class that might be collected.",
        width=200,
    )
    st.markdown(text.escape(report.more_rows_finding(found, method, more, loss)))
    sweep = report.cost_sweep(found, method, loss)
    if sweep is not None:
        controls.figure(sweep, key="balance.cost.sweep")


def _frame(rows: tuple[dict[str, str], ...]) -> pd.DataFrame:
    return pd.DataFrame(rows).fillna("")
