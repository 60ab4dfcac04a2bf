"""Balance, second question: the effect of a smaller class, its causes and remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import imbalance, report
from pages.ui.balance import (
    _both_scores,
    _error_costs,
    _error_decomposition,
    _sweep,
    computation,
    models,
    priors_in_deployment,
    side_by_side,
    study_setup,
)
from pages.ui.jobs import page_jobs
from pages.ui.session import arrival, sidebar, take_away
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from pages.ui.session.sidebar import PageExperiment

WHY, PLOTS, SWEEP, PRIORS, COSTS, SCORES, OBJECTIVE = TABS = (
    "Error decomposition",
    "Full and reduced set",
    "Class-size sweep",
    "Priors in deployment",
    "Costs",
    "Scores",
    "Training loss",
)


def show(experiment: PageExperiment, heading: DeltaGenerator, row: DeltaGenerator) -> None:
    """Reduce classes; draw what was lost and recovered first, then how the models changed."""
    data = experiment.data
    asked = study_setup.ask(experiment, row)
    repeats = study_setup.repeats()
    title = heading.empty()
    if page_jobs.latest(computation.FIRST, about=(data.digest,)) is None:
        title.header("What if a class were smaller?", anchor=False)
    # What was asked for, or the former while that is at work.
    one = computation.first(asked.setup, data)
    first = one.study
    models.left_out(first)
    method = models.known(first, asked.method or first.methods[0])
    with asked.loss_place:
        loss = _loss(first)

    def draw_study(job: Any) -> None:
        _error_decomposition.show(job.result, models.known(job.result, method), loss)

    def say(job: Any) -> None:
        is_known = job is not None and job.result is not None
        study = job.result if is_known and not job.is_stale((one.setup, repeats)) else first
        _say(heading, study, models.known(study, method), loss)

    title.empty()
    job = computation.study(one, data, repeats, draw=draw_study, above=say)
    if job is None or not page_jobs.at_work(job):
        say(job)
    is_stale = job is not None and job.is_stale((one.setup, repeats))
    study = first
    if job is not None and job.result is not None and not is_stale:
        study = job.result
    _panels(one, data, method, loss, study if not is_stale else job.result or first)
    take_away.keep(study=study, method=models.known(study, method), loss=loss)
    if is_stale:
        heading.caption("The study below is outdated: it waits to be updated.")


def _say(place: DeltaGenerator, study: Any, method: str, loss: str) -> None:
    full = study.attribution(method, loss).full.value
    place.header(text.escape(report.balance_finding(study, method, loss)), anchor=False)
    if full == full:
        finding = report.remedy_finding(imbalance.choose_remedy(study, method, loss), loss)
        place.markdown(text.escape(finding))


def _loss(first: Any) -> str:
    return str(
        controls.choose(
            "Loss",
            first.loss_names,
            key="balance.loss",
            index=first.loss_names.index(first.leading_loss),
            format_func=lambda name: name[:1].upper() + name[1:],
            help="What is counted: errors, errors by class, log loss, or the recall of one class.",
        )
    )


@sidebar.fragment
def _panels(one: Any, data: Dataset, method: str, loss: str, study: Any) -> None:
    """Draw the panel that is open; nothing else reruns with it."""
    setup, first = one.setup, one.study
    arrival.show("balance.tabs", TABS[0])
    tabs = dict(zip(TABS, st.tabs(list(TABS), key="balance.tabs", on_change="rerun"), strict=True))
    name = next(name for name, tab in tabs.items() if tab.open)
    with tabs[name]:
        if name == WHY:
            _error_decomposition.show_details(study, models.known(study, method), loss)
        elif name == PLOTS:
            drawing, camera = side_by_side.looks()
            side_by_side.show(setup, first, data, method, drawing, camera)
        elif name == SWEEP:
            computation.sweep(one, data, draw=lambda job: _sweep.show(job.result, loss))
        elif name == PRIORS:
            priors_in_deployment.show(setup, first, data, method)
        elif name == COSTS:
            _error_costs.show(setup, first, data, method, _error_costs.axes())
        elif name == SCORES:
            _both_scores.show_scores(setup, first, data)
        else:
            _both_scores.show_training_loss(setup, first, data)
        if name in (PLOTS, PRIORS, COSTS, SCORES, OBJECTIVE) and len(study.seeds) > 1:
            st.caption(
                f"For the first split only; headline and decomposition are means of "
                f"{len(study.seeds)} splits."
            )
        st.caption(side_by_side.learned_from(study if name == WHY else first, data))
