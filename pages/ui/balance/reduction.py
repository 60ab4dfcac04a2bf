"""Balance, second question: the effect of reducing a class, its causes and remedies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import report
from lincore.analysis import BalanceStudyQuestion
from lincore.displays import (
    CorrectionsDisplay,
    CostsDisplay,
    DecompositionDisplay,
    PriorsDisplay,
    RegionsDisplay,
    SetBoundariesDisplay,
    SetConfusionDisplay,
    StudyScoresDisplay,
    SweepDisplay,
    TrainingLossDisplay,
)
from pages.ui.balance import computation, models, study_setup
from pages.ui.frame import export_menu, sidebar
from pages.ui.jobs import page_jobs
from pages.ui.session import questions
from pages.ui.widgets import cost_table, displays, tabs, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from pages.ui.jobs.executor import Job
    from pages.ui.session.experiment import PageExperiment


KEY = "balance.tabs"
#: Keys of settings: both sets side by side, shares in deployment, sweep.
SIDES, PRIORS, SWEEP = "balance.sides", "balance.priors", "balance.sizes"
_PLANE = ("kind", "x", "y")


def show(experiment: PageExperiment, heading: DeltaGenerator, row: DeltaGenerator) -> None:
    """Reduce classes; draw losses and corrections, then the changes of the models."""
    data = experiment.data
    chosen = questions.asked(BalanceStudyQuestion, *experiment.known.values())
    setup, asked_method = study_setup.ask(experiment, row, chosen)
    repeats, loss = chosen["repeats"], chosen["loss"]
    is_waiting = page_jobs.latest(computation.FIRST, same_data_as=(data.digest,)) is None
    if is_waiting:
        title = heading.empty()
        title.header("What if a class were smaller?", anchor=False)
    # The requested study, or the previous one until it is ready.
    first = computation.first_split(setup, data)
    settings = first.setup.with_options(repeats=repeats)
    method = models.known(first.study, asked_method or first.study.methods[0])

    def draw_study(job: Any) -> None:
        _draw(job.result, models.known(job.result, method), loss)

    def write_headline(job: Any) -> None:
        is_known = job is not None and job.result is not None
        study = job.result if is_known and not job.is_stale(settings) else first.study
        decomposition = DecompositionDisplay(study, models.known(study, method), loss)
        heading.header(text.escape(displays.parts(decomposition).finding), anchor=False)

    if is_waiting:
        title.empty()
    job = computation.study(first, settings, data, draw=draw_study, above=write_headline)
    if job is None or not page_jobs.is_shown_running(job):
        write_headline(job)
    is_stale = job is not None and job.is_stale(settings)
    latest = first.study if job is None or job.result is None else job.result
    study = first.study if is_stale else latest
    _panels(ShownStudy(first, data, method, loss, latest))
    export_menu.add_results(study=study, method=models.known(study, method), loss=loss)
    if is_stale:
        heading.caption("The study below is outdated; it can be updated.")


def _draw(study: BalanceStudy, method: str, loss: str) -> None:
    """Draw waterfall and corrections side by side, and offer to apply the recommended one."""
    decomposition = DecompositionDisplay(study, method, loss)
    corrections = CorrectionsDisplay(study, method, loss)
    if not decomposition.is_possible:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        displays.figure(decomposition, key="balance.waterfall")
    with right:
        displays.figure(corrections, key="balance.remedies")
    st.markdown(text.escape(displays.parts(corrections).finding))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(text.escape(displays.parts(decomposition).scope), width="stretch")
        if corrections.recommended is not None:
            st.button(
                f"Apply {report.correction_name(corrections.recommended)}",
                key="balance.apply",
                on_click=displays.set_settings,
                args=(SIDES,),
                kwargs={"remedy": corrections.recommended},
                help="Shows its effect under “Full and reduced set” below, where any other "
                "correction can be chosen. The recommended one is the simplest that no other "
                "significantly improves on.",
            )


class ShownStudy(NamedTuple):
    """The study on one split and on many, with the selected model and loss."""

    first: computation.FirstSplit
    data: Dataset
    method: str
    loss: str
    study: BalanceStudy

    @property
    def context(self) -> dict[str, Any]:
        """The subject of displays of the first split."""
        return {"study": self.first.study, "method": self.method, "data": self.data}

    def settings(self, key: str, display: type, *names: str, **more: Any) -> dict[str, Any]:
        """Return settings whose widgets are in another panel."""
        return displays.ask(display, key, *names, draw=False, **self.context, **more)

    @property
    def remedied(self) -> dict[str, Any]:
        """The subject of displays of the first split, with the applied correction."""
        return self.context | self.settings(SIDES, RegionsDisplay, "remedy")


@sidebar.fragment
def _panels(shown: ShownStudy) -> None:
    """Draw the tabs and the content of the open one."""
    tabs.show(KEY, {title: partial(draw, shown) for title, draw in PANELS.items()})


def _decomposition(shown: ShownStudy) -> None:
    subject = shown.study, models.known(shown.study, shown.method), shown.loss
    displays.details(DecompositionDisplay(*subject), key="balance.parts")
    displays.details(CorrectionsDisplay(*subject), key="balance.remedies")
    models.offer_regularization(shown.first.study)


def _both_sets(shown: ShownStudy) -> None:
    with st.container(horizontal=True, key=f"{SIDES}.settings"):
        names = ("remedy", "drawing", "camera", *_PLANE)
        chosen = displays.ask(RegionsDisplay, SIDES, *names, width=220, **shown.context)
    pair = [RegionsDisplay(**shown.context, **chosen, side=side) for side in ("full", "reduced")]
    for column, regions in zip(st.columns(2, gap="medium"), pair, strict=True):
        with column:
            displays.body(regions, key=f"balance.{regions.side}")
    subject = shown.context | {"remedy": chosen["remedy"], "data": None}
    sides: tuple[Any, ...] = ("full", "difference", "reduced")
    for column, side in zip(st.columns(3, gap="medium"), sides, strict=True):
        with column:
            displays.figure(
                SetConfusionDisplay(**subject, side=side), key=f"balance.confusion.{side}"
            )
    st.caption(text.escape(pair[0].scope()))


def _all_models(shown: ShownStudy) -> None:
    plane = shown.settings(SIDES, RegionsDisplay, *_PLANE)
    displays.show(SetBoundariesDisplay(**shown.remedied, **plane), key="balance.multiples")


def _class_sizes(shown: ShownStudy) -> None:
    def draw(job: Job) -> None:
        context = {"sweep": job.result, "loss": shown.loss}
        chosen = displays.ask(SweepDisplay, SWEEP, "kind", width=320, **context)
        displays.show(SweepDisplay(**context, **chosen), key=SWEEP)

    computation.sweep(shown.first, shown.data, draw=draw)


def _priors(shown: ShownStudy) -> None:
    with st.container(horizontal=True, key=f"{PRIORS}.settings"):
        names = ("code", "share")
        chosen = displays.ask(PriorsDisplay, PRIORS, *names, width=220, **shown.context)
    subject = shown.remedied | {"data": None}
    displays.show(PriorsDisplay(**subject, **chosen), key=PRIORS)


def _costs(shown: ShownStudy) -> None:
    costs = cost_table.ask(shown.data, CostsDisplay.page_key)
    if costs is None:
        return
    subject = shown.remedied | {"costs": costs}
    subject |= shown.settings(PRIORS, PriorsDisplay, "code", "share")
    subject |= shown.settings(SIDES, RegionsDisplay, *_PLANE)
    cheapest = CostsDisplay(**subject)
    probable = CostsDisplay(**subject, decision="most probable class")
    st.markdown(f"**{text.escape(displays.parts(cheapest).finding)}**")
    displays.details(cheapest, key="balance.costs")
    for column, decision in zip(st.columns(2, gap="medium"), (probable, cheapest), strict=True):
        with column:
            displays.figure(decision, key=f"balance.costs.{decision.decision.split()[0]}")
    st.caption(text.escape(cheapest.scope()))


def _scores(shown: ShownStudy) -> None:
    displays.show(StudyScoresDisplay(**shown.remedied), key="balance.scores")


def _training_loss(shown: ShownStudy) -> None:
    displays.show(TrainingLossDisplay(**shown.context), key="balance.convergence")


PANELS: dict[str, Callable[[ShownStudy], None]] = {
    DecompositionDisplay.title: _decomposition,
    "Full and reduced set": _both_sets,
    SetBoundariesDisplay.title: _all_models,
    SweepDisplay.title: _class_sizes,
    PriorsDisplay.title: _priors,
    CostsDisplay.title: _costs,
    StudyScoresDisplay.title: _scores,
    TrainingLossDisplay.title: _training_loss,
}
