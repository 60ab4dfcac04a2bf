"""Balance, first question: the cost of the imbalance in the file, and its remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import imbalance, imbalance_cost, report
from lincore.analysis import BalanceCostQuestion, rarest_class
from lincore.utils import percent, percent_of
from pages.ui.balance import _cost_panels, computation, models
from pages.ui.balance.study_setup import CostSetup
from pages.ui.jobs import page_jobs
from pages.ui.session import questions, runs, take_away
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.imbalance import ImbalanceCost
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.sidebar import Experiment

KEY = "balance.cost"
#: Random splits of one record.
REPEATS = questions.COST_REPEATS
#: A record of at most so many numbers follows every option; others wait to be updated.
FOLLOWED = 500_000


def show(experiment: Experiment, heading: DeltaGenerator, row: DeltaGenerator) -> None:
    """Ask for the deployment prevalence, compute the cost of the imbalance, and draw it."""
    data, choice, split = experiment
    with row:
        place = st.container(width=200)
        prevalence = _prevalence(data)
        with st.popover("Options", key="balance.options", width=140):
            cost = _cost_of_errors(data)
            loss_place = st.container()
            methods, steps = models.ask(data, split)
            repeats = models.ask_repeats(REPEATS, key="balance.cost.repeats")
    if not methods:
        st.info("Choose at least one model under Options.")
        st.stop()
    with place:
        method = models.ask_shown(methods)
    with loss_place:
        loss = _loss(data)
    models.say_what_is_seen(data, steps, split)
    setup = CostSetup(data.digest, choice, methods, steps, prevalence, cost, repeats)

    def draw(job: Any) -> None:
        found: ImbalanceCost = job.result
        _cost_panels.show(found, models.known(found, method), loss)

    job = _job(setup, data, draw)
    if job is None or job.result is None:
        heading.header("What does this imbalance cost?", anchor=False)
        return
    found = job.result
    shown = models.known(found, method)
    _cost_panels.say(found, shown, loss, heading)
    take_away.keep(cost=found, method=shown, loss=loss)
    if job.is_over and job.settings == setup:
        rows = report.cost_method_rows(found, loss)
        runs.note(report.cost_finding(found, shown, loss), runs.first_columns(rows))
    models.left_out(found)


def _job(setup: CostSetup, data: Dataset, draw: page_jobs.Draw) -> Any:
    def work(progress: Progress) -> ImbalanceCost:
        return imbalance_cost(
            **computation.common_arguments(setup, data),
            prevalence=setup.prevalence,
            costs=BalanceCostQuestion(cost=setup.cost).costs(data),
            repeats=setup.repeats,
            progress=progress,
            keep=progress.keep,
        )

    what = f"Cost of the imbalance on {setup.repeats} splits"
    if computation.n_values(data) <= FOLLOWED:
        job = page_jobs.run(KEY, setup, work, describe=what, patience=computation.PATIENCE)
        page_jobs.show(job, draw=draw, keep_outdated=True)
    else:
        job = page_jobs.on_demand(
            KEY,
            setup,
            work,
            describe=what,
            label="Compute",
            help="What is finished can be looked at meanwhile.",
            draw=draw,
            keep_outdated=True,
            unasked=computation.n_values(data) <= computation.LARGE,
        )
    if job is not None and not page_jobs.at_work(job) and job.result is not None:
        draw(job)
    return job


def _prevalence(data: Dataset) -> tuple[float, ...]:
    """Ask for the share of the rarest class in deployment; the others divide the rest equally."""
    rare, k = rarest_class(data), data.n_classes
    in_file = percent_of(data.counts[rare], data.n_rows)
    key = f"balance.cost.share.{k}"
    controls.begin_with(key, round(100 / k))
    st.slider(
        f"Share of {text.escape(data.classes[rare])} in deployment",
        1,
        99,
        key=key,
        format="%d %%",
        persist_state="session",
        help=f"The prevalence that matters. Equal classes ({percent(1 / k, 0)}) make the "
        f"loss the balanced error; the file has {in_file}. Other classes share the rest "
        "equally.",
        width=280,
    )
    shares = questions.prevalence(data)
    return (1 / k,) * k if shares == "equal" else tuple(shares)


def _cost_of_errors(data: Dataset) -> float:
    rare = text.escape(data.classes[rarest_class(data)])
    controls.begin_with("balance.cost.weight", 1.0)
    return float(
        st.number_input(
            f"Cost of an error on {rare}",
            0.01,
            1000.0,
            step=1.0,
            format="%g",
            key="balance.cost.weight",
            persist_state="session",
            help="In errors on other classes: at 5, to miss one costs as much as five false "
            "alarms, and the loss is the expected cost. At 1 all errors count the same.",
        )
    )


def _loss(data: Dataset) -> str:
    names = {
        imbalance.LOSS: "Error or cost in deployment",
        imbalance.LOG_LOSS: "Log loss in deployment",
    }
    return str(
        controls.choose(
            "Loss",
            [imbalance.LOSS, imbalance.LOG_LOSS, *imbalance.recall_names(data.classes)],
            key="balance.cost.loss",
            format_func=lambda name: names.get(name, name[:1].upper() + name[1:]),
            help="What is decomposed and recovered: by default the share of misclassified rows "
            "under the deployment prevalence.",
        )
    )
