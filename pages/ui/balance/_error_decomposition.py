"""Error decomposition of a reduced training set, and recovery by remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lincore import imbalance, report
from pages.ui.balance import side_by_side
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.imbalance import BalanceStudy


def show(study: BalanceStudy, method: str, loss: str) -> None:
    """Draw the waterfall of one loss beside what each correction recovers of it."""
    if not _has(study, method, loss):
        return
    split = study.attribution(method, loss)
    left, right = st.columns(2, gap="medium")
    with left:
        numbers = (split.full.value, *(n for part in split.parts.values() for n in part))
        figure = _waterfall(numbers, method, loss, len(study.seeds), study)
        controls.figure(figure, key="balance.waterfall")
    with right:
        controls.figure(report.balance_corrections(study, method, loss), key="balance.remedies")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(report.balance_basis(study), width="content")
        _offer(study, method, loss)


def _offer(study: BalanceStudy, method: str, loss: str) -> None:
    """Offer to apply the recommended correction, if there is one."""
    chosen = imbalance.choose_remedy(study, method, loss).remedy
    if not chosen.recovered.low > 0:
        return
    st.button(
        f"Apply {report.REMEDY_NAMES.get(chosen.name, chosen.name)}",
        key="balance.apply",
        on_click=side_by_side.apply,
        args=(chosen.name,),
        help="“Full and reduced set” below then shows it. Recommended is the simplest "
        "correction that no other significantly improves on; any other can be chosen there.",
    )


def show_details(study: BalanceStudy, method: str, loss: str) -> None:
    """Say the parts in words, and list them and the corrections for other losses too."""
    if not _has(study, method, loss):
        return
    for sentence in report.decomposition_sentences(study, method, loss).values():
        st.markdown(f"- {text.escape(sentence)}")
    recalls = [name for name, cut in zip(study.recall_names, study.is_reduced, strict=True) if cut]
    rows = report.decomposition_rows(
        study, method, ["error", "balanced error", "log loss", *recalls]
    )
    with st.container(key="balance.parts"):
        tables.show(
            pd.DataFrame(rows),
            hide_index=True,
            alt="Each loss before and after, and its decomposition, with 95 % intervals.",
        )
    with st.container(key="balance.remedy_rows"):
        tables.show(
            pd.DataFrame(report.remedy_rows(study, method, loss)),
            hide_index=True,
            alt=f"What each correction recovers of the {loss}, with 95 % intervals.",
        )
    st.caption(
        f"{'In nats' if loss == 'log loss' else 'In points'}. {report.balance_basis(study)} "
        "Corrected priors are applied after training; weights, under- and oversampling are trained "
        "on the same reduced rows."
    )


# Kept, for it is drawn again as the former one when settings change.
@st.cache_resource(max_entries=64, ttl="2h", show_spinner=False)
def _waterfall(
    numbers: tuple[float, ...], method: str, loss: str, n_seeds: int, _study: BalanceStudy
) -> go.Figure:
    return report.balance_waterfall(_study, method, loss)


def _has(study: BalanceStudy, method: str, loss: str) -> bool:
    split = study.attribution(method, loss)
    if split.full.value != split.full.value:
        st.info(text.escape(report.balance_finding(study, method, loss)))
        return False
    return True
