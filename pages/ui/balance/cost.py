"""Balance, first question: from which cost of an error balancing pays, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import imbalance, imbalance_cost, report
from lincore.analysis import BalanceCostQuestion, rarest_class
from lincore.displays import (
    CostCorrectionsDisplay,
    CostCurveDisplay,
    CostDecompositionDisplay,
    Display,
    MoreRowsDisplay,
)
from lincore.utils import percent_of
from pages.ui.balance import computation, models
from pages.ui.balance.study_setup import CostSetup
from pages.ui.jobs import page_jobs
from pages.ui.session import questions, sidebar, take_away
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.imbalance import ImbalanceCost
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.sidebar import PageExperiment

KEY, MORE = "balance.cost", "balance.more"
#: Random splits of one record.
REPEATS = questions.COST_REPEATS
#: A record of at most so many numbers follows every option; others wait to be updated.
FOLLOWED = 500_000


def show(experiment: PageExperiment, heading: DeltaGenerator, row: DeltaGenerator) -> None:
    """Ask what an error costs, compute the cost of the imbalance, and draw it."""
    data, choice, split = experiment
    with row:
        _ask_cost(data)
        place = st.container(width=165)
        with st.popover("Options", key="balance.options", width=115):
            _ask_share(data)
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
    setup = CostSetup(
        data.digest, choice, methods, steps, *questions.deployment(data), repeats=repeats
    )

    def draw(job: Any) -> None:
        _draw(job.result, models.known(job.result, method), loss)

    def say(job: Any) -> None:
        if job is None or job.result is None or job.settings != setup:
            heading.header("What does this imbalance cost?", anchor=False)
            return
        shown = job.result, models.known(job.result, method), loss
        heading.header(text.escape(displays.parts(_leading(*shown)).finding), anchor=False)
        if CostDecompositionDisplay(*shown).is_possible:
            advice = displays.parts(CostCorrectionsDisplay(*shown)).finding
            heading.markdown(text.escape(advice))

    job = _job(setup, data, draw, say)
    if job is None or not page_jobs.at_work(job):
        say(job)
    if job is None or job.result is None:
        return
    found = job.result
    take_away.keep(cost=found, method=models.known(found, method), loss=loss)
    models.left_out(found)


def _leading(found: ImbalanceCost, method: str, loss: str) -> Display:
    """Return the display of the headline: the cost curve, or the loss that was asked for."""
    if loss == imbalance.LOSS and method in found.curves:
        return CostCurveDisplay(found, method)
    return CostDecompositionDisplay(found, method, loss)


def _draw(found: ImbalanceCost, method: str, loss: str) -> None:
    """Draw the figures of all displays, and below them their tables and notes."""
    curve = CostCurveDisplay(found, method)
    parts = CostDecompositionDisplay(found, method, loss)
    corrections = CostCorrectionsDisplay(found, method, loss)
    if not parts.is_possible:
        return
    displays.figure(curve, key=f"{KEY}.curve")
    left, right = st.columns(2, gap="medium")
    with left:
        displays.figure(parts, key=f"{KEY}.waterfall")
    with right:
        displays.figure(corrections, key=f"{KEY}.corrections")
    st.caption(text.escape(parts.scope()))
    tabs = st.tabs([one.title for one in (corrections, parts, MoreRowsDisplay, curve)])
    for tab, one in zip(tabs, (corrections, parts, None, curve), strict=True):
        with tab:
            if one is None:
                _more_rows(found, method, loss)
            else:
                displays.details(one, key=f"{KEY}.{type(one).__name__}")
    if curve.curve is None:
        tabs[-1].caption(text.escape(curve.finding()))


@sidebar.fragment
def _more_rows(found: ImbalanceCost, method: str, loss: str) -> None:
    settings = {}
    if found.rare is not None:
        settings = displays.ask(MoreRowsDisplay, MORE, "more", width=200, cost=found)
    shown = MoreRowsDisplay(found, method, loss, **settings)
    st.markdown(text.escape(displays.parts(shown).finding))
    displays.body(shown, key=MORE)


def _job(setup: CostSetup, data: Dataset, draw: page_jobs.Draw, say: page_jobs.Draw) -> Any:
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
        page_jobs.show(job, draw=draw, keep_outdated=True, above=say)
    else:
        job = page_jobs.on_demand(
            KEY,
            setup,
            work,
            describe=what,
            label="Compute",
            help="Finished parts can be viewed meanwhile.",
            draw=draw,
            keep_outdated=True,
            above=say,
            unasked=computation.n_values(data) <= computation.LARGE,
        )
    if job is not None and not page_jobs.at_work(job) and job.result is not None:
        draw(job)
    return job


def _ask_cost(data: Dataset) -> None:
    """Ask how many errors of the other kind an error on the rarest class is worth."""
    key, ratios = "balance.cost.weight", imbalance.CostRatios.of(data)
    rare, class_ratio = text.escape(data.classes[ratios.rare]), ratios.class_ratio
    others, missed = ("false alarms", f"a missed '{rare}'")
    if data.n_classes > 2:
        others, missed = "other errors", f"an error on '{rare}'"
    controls.begin_with(key, class_ratio)
    st.select_slider(
        f"How many {others} does {missed} cost?",
        sorted({*ratios.ratios.tolist(), float(st.session_state[key])}),
        key=key,
        format_func=report.cost_ratio,
        persist_state="session",
        help=f"At 1 all errors cost the same. At {report.cost_ratio(class_ratio)}, the class "
        f"ratio, costs are inversely proportional to class sizes: the balanced error.",
        width=235,
    )


def _ask_share(data: Dataset) -> None:
    """Ask for the share of the rarest class in deployment, if it is not the file's."""
    rare = rarest_class(data)
    st.number_input(
        f"Share of '{text.escape(data.classes[rare])}' in deployment (%)",
        1,
        99,
        None,
        key=f"balance.cost.share.{data.n_classes}",
        placeholder=f"as in the file: {percent_of(data.counts[rare], data.n_rows)}",
        persist_state="session",
        help="The other classes share the remainder equally. Empty: the class shares of the file.",
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
            help="The decomposed loss: by default the share of misclassified rows under the "
            "deployment prevalence.",
        )
    )
