"""Error decomposition of a reduced training set, and recovery by remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lincore import imbalance, plots, report
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
        parts = tuple((name, *interval) for name, interval in split.parts.items())
        is_recall = study.named(loss).greater_is_better
        figure = _waterfall(parts, split.full.value, loss, is_recall, len(study.seeds))
        controls.figure(figure, key="balance.waterfall")
    with right:
        controls.figure(_corrections(study, method, loss), key="balance.remedies")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_basis(study), width="content")
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
            alt="What each loss was, became, and to what it was lost, with 95 % intervals.",
        )
    with st.container(key="balance.remedy_rows"):
        tables.show(
            pd.DataFrame(report.remedy_rows(study, method, loss)),
            hide_index=True,
            alt=f"What each correction recovers of the {loss}, with 95 % intervals.",
        )
    st.caption(
        f"{'In nats' if loss == 'log loss' else 'In points'}. {_basis(study)} Corrected priors are "
        "applied after training; weights, under- and oversampling train again on the same reduced "
        "rows."
    )


# Kept, for it is drawn again as the former one when settings change.
@st.cache_resource(max_entries=64, ttl="2h", show_spinner=False)
def _waterfall(
    parts: tuple[tuple[str, float, float, float], ...],
    start: float,
    loss: str,
    is_recall: bool,
    n_seeds: int,
) -> go.Figure:
    in_nats = loss == "log loss"
    return plots.waterfall(
        {name: (value, low, high) for name, value, low, high in parts},
        start,
        loss=loss,
        unit="" if in_nats else "points",
        scale=1.0 if in_nats else 100.0,
        greater_is_better=is_recall,
        basis="95 % intervals over splits." if n_seeds > 1 else "One split.",
    )


def _corrections(study: BalanceStudy, method: str, loss: str) -> go.Figure:
    found, in_nats = study.remedies(method, loss), loss == "log loss"
    is_alone = in_nats or bool(study.is_reduced.all())
    return plots.remedies(
        [report.REMEDY_NAMES.get(remedy.name, remedy.name) for remedy in found],
        [remedy.recovered for remedy in found],
        None if is_alone else [remedy.others for remedy in found],
        whole=abs(study.attribution(method, loss).total.value),
        score=loss,
        unit="" if in_nats else "points",
        scale=1.0 if in_nats else 100.0,
        title=f"What corrections recover: {loss}",
        height=430,
        basis="95 % intervals, paired." if len(study.seeds) > 1 else "One split.",
    )


def _has(study: BalanceStudy, method: str, loss: str) -> bool:
    split = study.attribution(method, loss)
    if split.full.value != split.full.value:
        st.info(text.escape(report.balance_finding(study, method, loss)))
        return False
    return True


def _basis(study: BalanceStudy) -> str:
    n = len(study.seeds)
    if n == 1:
        return "One split so far, hence no intervals."
    what = "splits" if study.new_splits else "choices of the training rows, one test set"
    wanted = study.settings.repeats
    of = f"{n} of {wanted}" if n < wanted else str(n)
    return f"Mean of {of} {what} ({study.n_test:,} test rows each), with 95 % intervals."
