"""Why a score fell when rows were left out, and what buys it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui import balance_pictures, controls, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.experiments.study import BalanceStudy


def show_parts(study: BalanceStudy, method: str, loss: str) -> None:
    """Draw the waterfall of one loss, say its parts in words, and list the other losses."""
    import pandas as pd

    from lincore.report import balance_rows, balance_words

    if not _has(study, method, loss):
        return
    split = study.attribution(method, loss)
    left, right = st.columns([3, 2], gap="large")
    with left:
        parts = tuple((name, *interval) for name, interval in split.parts.items())
        controls.figure(_waterfall(parts, split.full.value, loss), key="balance.waterfall")
    with right:
        for sentence in balance_words.parts_in_words(study, method, loss).values():
            st.markdown(f"- {text.escape(sentence)}")
        st.caption(_basis(study))
    recalls = [name for name, cut in zip(study.recall_names, study.is_reduced, strict=True) if cut]
    rows = balance_rows.parts_rows(study, method, ["error", "balanced error", "log loss", *recalls])
    with st.container(key="balance.parts"):
        tables.show(
            pd.DataFrame(rows),
            hide_index=True,
            alt="What each loss was, became, and to what it was lost, with 95 % intervals.",
        )


# Kept, for it is drawn again as the former one when settings change.
@st.cache_resource(max_entries=64, ttl="2h", show_spinner=False)
def _waterfall(
    parts: tuple[tuple[str, float, float, float], ...], start: float, loss: str
) -> go.Figure:
    from lincore import plots

    in_nats = loss == "log loss"
    return plots.waterfall(
        {name: (value, low, high) for name, value, low, high in parts},
        start,
        loss=loss,
        unit="" if in_nats else "points",
        scale=1.0 if in_nats else 100.0,
        higher_is_better=loss.startswith("recall of "),
    )


def show_remedies(study: BalanceStudy, method: str, loss: str) -> None:
    """Draw and list what each remedy recovers, and offer to apply the one to be proposed."""
    import pandas as pd

    from lincore import plots
    from lincore.experiments.remedies import advice
    from lincore.report import balance_rows, balance_words

    if not _has(study, method, loss):
        return
    found = study.remedies(method, loss)
    in_nats = loss == "log loss"
    st.markdown(text.escape(balance_words.remedies_finding(study, method, loss)))
    advised = advice(study, method, loss)
    name = advised.remedy.name
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Apply {balance_rows.REMEDY_NAMES.get(name, name)}",
            key="balance.apply",
            on_click=balance_pictures.apply,
            args=(name,),
            help="The right-hand picture and matrix above then show it. Proposed is the simplest "
            "remedy that no other is shown to better; any other can be chosen above.",
        )
        said = balance_words.advice_in_words(advised, loss)
        st.caption(text.escape(said), width="content")
    everybody = bool(study.is_reduced.all())
    controls.figure(
        plots.remedies(
            [balance_rows.REMEDY_NAMES.get(remedy.name, remedy.name) for remedy in found],
            [remedy.recovered for remedy in found],
            None if everybody or in_nats else [remedy.others for remedy in found],
            whole=abs(study.attribution(method, loss).total.value),
            score=loss,
            unit="" if in_nats else "points",
            scale=1.0 if in_nats else 100.0,
        ),
        key="balance.remedies",
    )
    with st.container(key="balance.remedy_rows"):
        tables.show(
            pd.DataFrame(balance_rows.remedy_rows(study, method, loss)),
            hide_index=True,
            alt=f"What each remedy recovers of the {loss}, with 95 % intervals.",
        )
    st.caption(
        f"{'In nats' if in_nats else 'In points'}. {_basis(study)} Corrected priors are applied "
        "after training; weights, under- and oversampling train again on the same reduced rows."
    )


def _has(study: BalanceStudy, method: str, loss: str) -> bool:
    from lincore.report import balance_words

    split = study.attribution(method, loss)
    if split.full.value != split.full.value:
        st.info(text.escape(balance_words.balance_finding(study, method, loss)))
        return False
    return True


def _basis(study: BalanceStudy) -> str:
    n = len(study.seeds)
    if n == 1:
        return "One split so far, hence no intervals."
    what = "splits" if study.new_splits else "choices of the training rows, one test part"
    wanted = study.settings["repeats"]
    of = f"{n} of {wanted}" if n < wanted else str(n)
    return f"Mean of {of} {what} ({study.n_test:,} test rows each), with 95 % intervals."
