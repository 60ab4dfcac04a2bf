"""Convergence of an iterative fit, alone and beside other solvers, on Classify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import inspection, model_selection, plots, report
from pages.ui.jobs import page_jobs
from pages.ui.session import cache
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.fitting import Fitted
    from pages.ui.session.sidebar import PageExperiment

KEY = "classify.solvers"
CHOSEN = f"{KEY}.chosen"
#: Solvers and rates that are drawn, for scripts.
SHOWN = f"{KEY}.shown"
_SOLVERS = inspection.SOLVER_NAMES
# Rates to try: the text's own, and one at which the error goes up and down.
RATES = (0.002, 0.02)


def convergence(experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted) -> None:
    """Draw how the error fell, with its final value, and offer to run other solvers beside it."""
    classifier = fitted.pipeline.steps[-1][1]
    traces = inspection.fit_traces(classifier)
    if traces:
        quantity, across = _quantity()
        figure = plots.convergence(traces, quantity=quantity, across=across)
        controls.figure(figure, key="classify.convergence")
        _final(classifier, experiment)
    elif hasattr(classifier, "mistakes_"):
        mistakes = {"mistakes": classifier.mistakes_}
        figure = plots.error_curves(mistakes, across="epoch", error="mistakes")
        controls.figure(figure, key="classify.convergence")
    else:
        st.caption(
            f"{text.escape(fitted.results.methods[0])} is solved in one step, without iterations."
        )
    if hasattr(classifier, "trace_") and hasattr(classifier, "solver"):
        _compare(experiment, model, fitted, quantity, across)


def _quantity() -> tuple[Any, Any]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.begin_with("classify.convergence.quantity", "training loss")
        quantity = st.segmented_control(
            "What",
            ["training loss", "excess", "gradient norm"],
            required=True,
            key="classify.convergence.quantity",
            persist_state="session",
            format_func={
                "training loss": "Training loss",
                "excess": "Above the least",
                "gradient norm": "Gradient",
            }.__getitem__,
            help="The penalised training loss in nats, its excess over the least, or the largest "
            "entry of its gradient.",
        )
        controls.begin_with("classify.convergence.across", "iteration")
        across = st.segmented_control(
            "Against",
            ["iteration", "seconds"],
            required=True,
            key="classify.convergence.across",
            persist_state="session",
            help="Iterations differ in cost; seconds depend on this machine.",
        )
    return quantity, across


def _final(classifier: Any, experiment: PageExperiment) -> None:
    if not hasattr(classifier, "log_loss_"):
        return
    rows = f"{len(experiment.split.train):,} training {text.row_noun(experiment.data)}"
    st.caption(
        f"Final log loss, without the penalty: **{classifier.log_loss_:.4f}** nats, summed over "
        f"{rows}. It stopped because {text.escape(classifier.reason_.words)}."
    )


def _compare(
    experiment: PageExperiment, model: cache.ModelChoice, fitted: Fitted, quantity: Any, across: Any
) -> None:
    """Offer to run several solvers on the same error, and draw their race."""
    data, choice, split = experiment
    classifier, pipeline = fitted.pipeline.steps[-1][1], fitted.pipeline
    st.markdown("##### Several solvers on the same error")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.begin_among(CHOSEN, list(_SOLVERS), list(_SOLVERS)[:4])
        chosen = st.multiselect(
            "Solvers",
            list(_SOLVERS),
            format_func=_SOLVERS.__getitem__,
            key=CHOSEN,
            persist_state="session",
            help="All start at the same point and minimise the same error.",
        )
        first = _rate(0)
        second = _rate(1)
    rates = tuple(dict.fromkeys((first, second)))
    C = classifier.C

    def work(progress: Progress) -> Any:
        rows = model_selection.transform_for_classifier(pipeline, data.X[split.train])
        return inspection.compare_solvers(
            rows,
            data.codes[split.train],
            solvers=chosen,
            rates=rates,
            C=C,
            sample_weight=data.weights_of(split.train),
            progress=progress,
            keep=progress.keep,
        )

    def draw(job: Job) -> None:
        traces = {line.title: line.trace for line in job.result}
        figure = plots.convergence(traces, quantity=quantity, across=across)
        controls.figure(figure, key=f"{KEY}.figure")

    settings = (data.digest, choice, model.steps, C, tuple(chosen), rates)
    job = page_jobs.on_demand(
        KEY,
        settings,
        work,
        describe="Comparing solvers",
        label="Compare solvers",
        help="Fits the same model with each solver and learning rate.",
        draw=draw,
    )
    st.session_state.pop(SHOWN, None)
    if job is not None and not page_jobs.at_work(job) and job.result:
        st.session_state[SHOWN] = [*chosen, *rates]
        draw(job)
        _table(job.result)
        notes = _rates(data.digest, choice, model, fitted, data)
        notes = (*notes, report.coinciding_solvers_note(job.result))
        st.caption(text.escape(" ".join(note for note in notes if note)))


@cache.by_bytes("Computing learning rates …")
def _rates(
    digest: str,
    choice: cache.SplitSettings,
    model: cache.ModelChoice,
    _fitted: Fitted,
    _data: Dataset,
) -> tuple[str, ...]:
    """Say which learning rates are safe; nothing where they are too costly to compute."""
    train = cache.split(digest, choice, _data).train
    rows = model_selection.transform_for_classifier(_fitted.pipeline, _data.X[train])
    try:
        return (report.learning_rates_note(_fitted.pipeline.steps[-1][1].learning_rates(rows)),)
    except ValueError:
        return ()


def _rate(place: int) -> float:
    key = f"{KEY}.rate{place}"
    controls.begin_with(key, RATES[place])
    return st.number_input(
        "Learning rate" if place == 0 else "Another rate",
        min_value=1e-9,
        format="%.6g",
        key=key,
        persist_state="session",
        help="For gradient descent with a fixed step: too large a rate makes the error oscillate.",
        width=150,
    )


def _table(lines: Any) -> None:
    with st.container(key=f"{KEY}.table"):
        tables.show(
            pd.DataFrame(report.solver_rows(lines)),
            hide_index=True,
            column_config={
                "training loss": st.column_config.NumberColumn(format="%.4f"),
                "gradient": st.column_config.NumberColumn(format="%.2e"),
                "seconds": st.column_config.NumberColumn(format="%.3f"),
            },
            alt="Final training loss, gradient, iterations and seconds of each solver.",
        )
