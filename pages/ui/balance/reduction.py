"""Balance, second question: the effect of reducing a class, its causes and remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import report
from lincore.analysis import BalanceStudyQuestion
from lincore.displays import CorrectionsDisplay, DecompositionDisplay
from pages.ui.balance import computation, models, panels, study_setup
from pages.ui.frame import export_menu
from pages.ui.jobs import page_jobs
from pages.ui.session import questions
from pages.ui.widgets import displays, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.imbalance import BalanceStudy
    from pages.ui.session.experiment import PageExperiment


def show(experiment: PageExperiment, heading: DeltaGenerator, row: DeltaGenerator) -> None:
    """Reduce classes; draw losses and corrections, then the changes of the models."""
    data = experiment.data
    chosen = questions.asked(BalanceStudyQuestion, *experiment.known.values())
    asked = study_setup.ask(experiment, row, chosen)
    repeats, loss = chosen["repeats"], chosen["loss"]
    is_waiting = page_jobs.latest(computation.FIRST, about=(data.digest,)) is None
    if is_waiting:
        title = heading.empty()
        title.header("What if a class were smaller?", anchor=False)
    # The requested study, or the former until that is ready.
    one = computation.first(asked.setup, data)
    first = one.study
    settings = one.setup.asking(repeats=repeats)
    method = models.known(first, asked.method or first.methods[0])

    def draw_study(job: Any) -> None:
        _draw(job.result, models.known(job.result, method), loss)

    def say(job: Any) -> None:
        is_known = job is not None and job.result is not None
        study = job.result if is_known and not job.is_stale(settings) else first
        parts = DecompositionDisplay(study, models.known(study, method), loss)
        heading.header(text.escape(displays.parts(parts).finding), anchor=False)

    if is_waiting:
        title.empty()
    job = computation.study(one, settings, data, draw=draw_study, above=say)
    if job is None or not page_jobs.at_work(job):
        say(job)
    is_stale = job is not None and job.is_stale(settings)
    study = first
    if job is not None and job.result is not None and not is_stale:
        study = job.result
    panels.show(
        panels.ShownStudy(one, data, method, loss, study if not is_stale else job.result or first)
    )
    export_menu.keep(study=study, method=models.known(study, method), loss=loss)
    models.offer_regularization(first)
    if is_stale:
        heading.caption("The study below is outdated; it can be updated.")


def _draw(study: BalanceStudy, method: str, loss: str) -> None:
    """Draw waterfall and corrections side by side, and offer to apply the recommended one."""
    parts, corrections = (
        display(study, method, loss) for display in (DecompositionDisplay, CorrectionsDisplay)
    )
    if not parts.is_possible:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        displays.figure(parts, key="balance.waterfall")
    with right:
        displays.figure(corrections, key="balance.remedies")
    st.markdown(text.escape(displays.parts(corrections).finding))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(text.escape(displays.parts(parts).scope), width="stretch")
        if corrections.recommended is not None:
            st.button(
                f"Apply {report.correction_name(corrections.recommended)}",
                key="balance.apply",
                on_click=displays.set_settings,
                args=(panels.SIDES,),
                kwargs={"remedy": corrections.recommended},
                help="Shows its effect under “Full and reduced set” below, where any other "
                "correction can be chosen. The recommended one is the simplest that no other "
                "significantly improves on.",
            )
