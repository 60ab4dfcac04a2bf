"""Balance, first question: the cost of the imbalance, and when balancing pays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import imbalance
from lincore.analysis import BalanceCostQuestion
from lincore.displays import (
    CostCorrectionsDisplay,
    CostCurveDisplay,
    CostDecompositionDisplay,
    CostDifferenceDisplay,
    Display,
    MoreRowsDisplay,
)
from pages.ui.balance import computation, models
from pages.ui.frame import export_menu, sidebar
from pages.ui.jobs import page_jobs
from pages.ui.session import questions
from pages.ui.session.experiment import Setup
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.imbalance import ImbalanceCost
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.experiment import PageExperiment

KEY, MORE, PAIR = "balance.cost", "balance.more", CostDifferenceDisplay.page_key
ASKED = BalanceCostQuestion
#: Up to this many values in the data, the result follows every option; otherwise by a button.
FOLLOWED = 500_000


def show(experiment: PageExperiment, heading: DeltaGenerator, row: DeltaGenerator) -> None:
    """Ask for the cost of an error, compute the cost of the imbalance, and draw it."""
    data, _, split = experiment
    chosen = questions.asked(ASKED, *experiment.known.values())
    ask = partial(displays.ask, ASKED, questions.BALANCE, **experiment.known)
    with row:
        with st.container(width="content", gap=None):
            ask("miss_cost", width=300)
        model_column = st.container(width=165)
        with st.popover("Options", key="balance.options", width=115, on_change="rerun") as options:
            if options.open:
                _ask_share(data, chosen["prevalence"])
                ask("loss")
                models.ask(ASKED, experiment)
    setup = Setup.from_page(questions.BALANCE, experiment)
    if not setup.methods:
        st.info("Choose at least one model under Options.")
        st.stop()
    with model_column:
        method = models.ask_shown(ASKED, experiment, chosen)
    loss = chosen["loss"]
    models.describe_inputs(data, setup.steps, split)

    def draw(job: Any) -> None:
        _draw(job.result, models.known(job.result, method), loss)

    def write_headline(job: Any) -> None:
        if job is None or job.result is None or job.settings != setup:
            heading.header("What does this imbalance cost?", anchor=False)
            return
        leading = _leading(job.result, models.known(job.result, method), loss)
        heading.header(text.escape(displays.parts(leading).finding), anchor=False)

    job = _job(setup, data, draw, write_headline)
    if job is None or not page_jobs.is_shown_running(job):
        write_headline(job)
    if job is None or job.result is None:
        return
    cost = job.result
    export_menu.add_results(cost=cost, method=models.known(cost, method), loss=loss)


def _leading(cost: ImbalanceCost, method: str, loss: str) -> Display:
    """Return the display of the headline: the cost curve, or the decomposition of a chosen loss."""
    if loss == imbalance.LOSS and method in cost.curves:
        return CostCurveDisplay(cost, method)
    return CostDecompositionDisplay(cost, method, loss)


def _draw(cost: ImbalanceCost, method: str, loss: str) -> None:
    """Draw the figures of all displays, and below them their tables and notes."""
    curve = CostCurveDisplay(cost, method)
    decomposition = CostDecompositionDisplay(cost, method, loss)
    corrections = CostCorrectionsDisplay(cost, method, loss)
    if not decomposition.is_possible:
        return
    displays.figure(curve, key=f"{KEY}.curve")
    leading = _leading(cost, method, loss)
    more = [leading.effect()] if isinstance(leading, CostCurveDisplay) else []
    st.markdown("\n\n".join(map(text.escape, [*more, displays.parts(corrections).finding])))
    left, right = st.columns(2, gap="medium")
    with left:
        displays.figure(decomposition, key=f"{KEY}.waterfall")
    with right:
        displays.figure(corrections, key=f"{KEY}.corrections")
    st.caption(text.escape(displays.parts(decomposition).scope))
    shown: tuple[Any, ...] = (
        corrections,
        decomposition,
        MoreRowsDisplay,
        curve,
        CostDifferenceDisplay,
    )
    for tab, display in zip(st.tabs([display.title for display in shown]), shown, strict=True):
        with tab:
            if display is MoreRowsDisplay:
                _more_rows(cost, method, loss)
            elif display is CostDifferenceDisplay:
                _two_models(cost, method)
            else:
                displays.details(display, key=f"{KEY}.{type(display).__name__}")
                if display is curve and curve.curve is None:
                    st.caption(text.escape(curve.finding()))
            if display is corrections:  # whose notes name what is left out
                models.offer_regularization(cost)


@sidebar.fragment
def _more_rows(cost: ImbalanceCost, method: str, loss: str) -> None:
    settings = {}
    if cost.rare is not None:
        settings = displays.ask(MoreRowsDisplay, MORE, "more", width=200, cost=cost)
    shown = MoreRowsDisplay(cost, method, loss, **settings)
    displays.show(shown, key=MORE)


@sidebar.fragment
def _two_models(cost: ImbalanceCost, method: str) -> None:
    subject: dict[str, Any] = {"cost": cost, "method": method}
    with st.container(horizontal=True, key=f"{PAIR}.settings"):
        settings = displays.ask(CostDifferenceDisplay, PAIR, width=260, **subject)
    displays.show(CostDifferenceDisplay(**subject, **settings), key=PAIR)


def _job(setup: Setup, data: Dataset, draw: page_jobs.Draw, write_headline: page_jobs.Draw) -> Any:
    def work(progress: Progress) -> ImbalanceCost:
        return setup.question.run(experiment, progress=progress, keep=progress.keep)

    experiment = setup.experiment(data)
    return computation.follow(
        KEY,
        setup,
        work,
        setup.question.plan(experiment),
        data,
        follows=computation.n_values(data) <= FOLLOWED,
        label="Compute",
        help="Finished parts can be viewed meanwhile.",
        draw=draw,
        above=write_headline,
        patience=computation.PATIENCE,
    )


def _ask_share(data: Dataset, prevalence: Any) -> None:
    """Ask for the share of the rarest class in deployment; empty for that of the file."""
    ratios = imbalance.CostRatios.of(data)

    def keep(share: int | None) -> None:
        displays.set_settings(questions.BALANCE, prevalence=ratios.prevalence(share))

    key = f"balance.cost.share.{data.n_classes}"
    st.number_input(
        f"Share of '{text.escape(data.classes[ratios.rare])}' in deployment (%)",
        1,
        99,
        None,
        **controls.edits(key, ratios.per_cent(prevalence), keep, or_none=True),
        help="The other classes share the remainder equally. Empty: the class shares of the file.",
    )
    controls.marks(f"{KEY}.share", ratios.share_marks, keep)
