"""Scores of the full and the reduced set, training loss, and true parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import imbalance, metrics, model_selection, plots, report
from lincore.utils import interval, percent
from pages.ui.balance import side_by_side, true_parameters
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from pages.ui.balance.study_setup import Setup


def show_scores(setup: Setup, study: BalanceStudy, data: Dataset) -> None:
    """List the scores of every model, full and reduced, and the least error there can be."""
    known = true_parameters.known(setup, study, data)
    truth = None if known is None else known.results
    conditions = list(dict.fromkeys(("full", "reduced", side_by_side.applied())))
    with st.container(key="balance.scores"):
        tables.show(
            pd.DataFrame(report.score_rows(study, conditions, truth)),
            hide_index=True,
            alt="Scores of every model trained on the full and on the reduced set.",
        )
    st.caption("One split, with 95 % intervals over its test rows.")
    _equal_priors(study, data)
    _truth(setup, study, data)


def _equal_priors(study: BalanceStudy, data: Dataset) -> None:
    """Say of the first model with priors what equal ones bring, as in the text on faces."""
    generative = ("lda", "qda", "naive-bayes")
    named = [m for m in study.methods if model_selection.as_method(m).word in generative]
    note = report.equal_priors_note(study, named[0]) if named and data.kind.is_images else ""
    if note:
        st.caption(text.escape(note))


def show_training_loss(setup: Setup, study: BalanceStudy, data: Dataset) -> None:
    """Draw the way down of the models that iterate, and say what their last value means."""
    for name, full, reduced in _errors(setup, study, data):
        totals, counts = (full.total, reduced.total), (full.n, reduced.n)
        finding = report.training_loss_finding(name, totals, counts, text.row_noun(data))
        st.markdown(text.escape(finding))
    for note in study.notices:
        st.caption(f"Note while fitting: {text.escape(note)}")
    traces = {}
    names = report.short_names(study.methods)
    for method, name in zip(study.methods, names, strict=True):
        for subset in ("full", "reduced"):
            model = study.example.pipelines[method, subset].steps[-1][1]
            trace = getattr(model, "trace_", None)
            if trace and len(trace) > 1:
                traces[f"{subset.capitalize()}: {name}"] = trace
    if not traces:
        st.caption("No model here iterates: all have closed forms.")
        return
    controls.figure(plots.convergence(traces), key="balance.convergence")
    st.caption(
        "The training loss is what a model minimises: for logistic regression the log "
        f"loss summed over the training {text.row_noun(data)}, in nats, and its penalty. Sums "
        f"over unequal numbers of {text.row_noun(data)} are not comparable."
    )


@st.cache_resource(max_entries=16, ttl="2h", show_spinner=False)
def _errors(setup: Setup, _study: BalanceStudy, _data: Dataset) -> list[tuple[str, Any, Any]]:
    """Return the training log losses of models with posteriors, full and reduced."""
    found = []
    for method in _study.methods:
        if metrics.has_posteriors(_study.example.results["full"], method):
            pair = (
                imbalance.training_error(_study, _data, method, subset)
                for subset in ("full", "reduced")
            )
            found.append((side_by_side.label(_study, method), *pair))
    return found


def _truth(setup: Setup, study: BalanceStudy, data: Dataset) -> None:
    """Say what the best possible classifier reaches, where the distribution is known."""
    known = true_parameters.known(setup, study, data)
    if known is None:
        return
    on_test = known.on_test
    st.markdown(
        f"**The true parameters are known here.** No classifier can have an error below "
        f"{percent(known.least.value)} with the shares of the test set ({known.least.method})"
        f"; the Bayes classifier, which knows means and covariances, has "
        f"{percent(on_test.value)} ({interval(on_test.low, on_test.high)}) on these "
        f"{study.n_test:,} test rows."
        + ("" if known.is_clean else " Outliers and wrong labels add to this.")
    )
    view = true_parameters.view(setup, study, data)
    if view is not None:
        controls.figure(
            plots.boundary(view, title="The Bayes classifier: the best there can be"),
            key="balance.truth",
        )
