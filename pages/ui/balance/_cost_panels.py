"""Panels of the cost of the imbalance: parts, corrections, gains from more rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from lincore import imbalance, plots, report
from lincore.utils import listed, percent
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from streamlit.delta_generator import DeltaGenerator

    from lincore.imbalance import ImbalanceCost


def say(found: ImbalanceCost, method: str, loss: str, heading: DeltaGenerator) -> None:
    """Write the finding and the recommendation above everything."""
    heading.header(text.escape(report.cost_finding(found, method, loss)), anchor=False)
    heading.markdown(text.escape(report.cost_recommendation(found, method, loss)))


def show(found: ImbalanceCost, method: str, loss: str) -> None:
    """Draw the parts beside the corrections, and below them tables and the class-size sweep."""
    if found.decomposition(method, loss).uncorrected.value != (
        found.decomposition(method, loss).uncorrected.value
    ):
        st.info(text.escape(report.cost_finding(found, method, loss)))
        return
    left, right = st.columns(2, gap="medium")
    with left:
        controls.figure(_waterfall(found, method, loss), key="balance.cost.waterfall")
    with right:
        controls.figure(_corrections(found, method, loss), key="balance.cost.corrections")
    st.caption(f"{report.cost_basis(found)} {_trained_on(found)}")
    details, rows, models = st.tabs(["Corrections", "More rows", "All models"])
    with details:
        _details(found, method, loss)
    with rows:
        _more_rows(found, method, loss)
    with models, st.container(key="balance.cost.models"):
        frame = _frame(report.cost_method_rows(found, loss))
        tables.show(frame, hide_index=True, alt="The loss of every model and its parts.")


def _waterfall(found: ImbalanceCost, method: str, loss: str) -> go.Figure:
    split = found.decomposition(method, loss)
    known = {name: part for name, part in split.parts.items() if part.value == part.value}
    shares = report.is_share_of_rows(found, loss)
    name, label = report.loss_name(found, loss), report.cost_method_label(found, method)
    return plots.waterfall(
        {part: (-value, -high, -low) for part, (value, low, high) in known.items()},
        split.uncorrected.value,
        start_name="uncorrected",
        end_name="many rows, corrected" if "small class" in known else "corrected",
        loss=name,
        unit="points" if shares else "",
        scale=100.0 if shares else 1.0,
        greater_is_better=found.named(loss).greater_is_better,
        title=f"Error decomposition: {name} of {label}",
        basis="95 % intervals over splits." if len(found.seeds) > 1 else "The first split.",
    )


def _corrections(found: ImbalanceCost, method: str, loss: str) -> go.Figure:
    shares = report.is_share_of_rows(found, loss)
    corrections = found.corrections(method, loss)
    name = report.loss_name(found, loss)
    return plots.remedies(
        [report.correction_name(correction.name) for correction in corrections],
        [correction.recovered for correction in corrections],
        [correction.others for correction in corrections] if shares else None,
        score=name,
        unit="points" if shares else "",
        scale=100.0 if shares else 1.0,
        title=f"What corrections recover: {name}",
        height=430,
        basis="95 % intervals, paired." if len(found.seeds) > 1 else "The first split.",
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


@st.fragment
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
    k, i = found.loss_names.index(loss), found.methods.index(method)
    values = found.size_losses[i, :, :, k]
    seen = np.isfinite(values).all(axis=1)
    if seen.sum() < imbalance.FEWEST_SIZES:
        return
    low, high = np.quantile(values[seen], [0.1, 0.9], axis=1)
    shares = report.is_share_of_rows(found, loss)
    controls.figure(
        plots.sweep(
            found.sizes[seen],
            values[seen].mean(axis=1)[None],
            low[None],
            high[None],
            [report.cost_method_label(found, method)],
            across=f"training rows of {found.classes[found.rare]}",
            score=report.loss_name(found, loss),
            as_percent=shares,
            title="Class-size sweep, with balanced weights + corrected priors",
            basis="Line: mean over splits; band: their middle 80 %.",
        ),
        key="balance.cost.sweep",
    )


def _frame(rows: tuple[dict[str, str], ...]) -> pd.DataFrame:
    return pd.DataFrame(rows).fillna("")


def _trained_on(found: ImbalanceCost) -> str:
    """Say how many training rows each class has, and what the loss is weighted to."""
    each = [
        f"“{text.escape(label)}” {int(n):,} ({percent(share)})"
        for n, label, share in zip(found.counts, found.classes, found.prevalence, strict=True)
    ]
    return f"Training rows, and share in deployment: {listed(each, most=8)}."
