"""Balance, second question: the effect of a smaller class, its causes and remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import report
from lincore.displays import CorrectionsDisplay, DecompositionDisplay
from pages.ui.balance import computation, models, panels, study_setup
from pages.ui.jobs import page_jobs
from pages.ui.session import take_away
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from lincore.imbalance import BalanceStudy
    from pages.ui.session.sidebar import PageExperiment


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
        _draw(job.result, models.known(job.result, method), loss)

    def say(job: Any) -> None:
        is_known = job is not None and job.result is not None
        study = job.result if is_known and not job.is_stale((one.setup, repeats)) else first
        about = study, models.known(study, method), loss
        parts = DecompositionDisplay(*about)
        heading.header(text.escape(displays.parts(parts).finding), anchor=False)
        if parts.is_possible:
            heading.markdown(text.escape(displays.parts(CorrectionsDisplay(*about)).finding))

    title.empty()
    job = computation.study(one, data, repeats, draw=draw_study, above=say)
    if job is None or not page_jobs.at_work(job):
        say(job)
    is_stale = job is not None and job.is_stale((one.setup, repeats))
    study = first
    if job is not None and job.result is not None and not is_stale:
        study = job.result
    panels.show(
        panels.ShownStudy(one, data, method, loss, study if not is_stale else job.result or first)
    )
    take_away.keep(study=study, method=models.known(study, method), loss=loss)
    if is_stale:
        heading.caption("The study below is outdated: it waits to be updated.")


def _draw(study: BalanceStudy, method: str, loss: str) -> None:
    """Draw the waterfall beside what corrections recover, and offer the one to apply."""
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
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(text.escape(parts.scope()), width="stretch")
        if corrections.recommended is not None:
            st.button(
                f"Apply {report.correction_name(corrections.recommended)}",
                key="balance.apply",
                on_click=displays.set_settings,
                args=(panels.SIDES,),
                kwargs={"remedy": corrections.recommended},
                help="“Full and reduced set” below then shows it. Recommended is the simplest "
                "correction that no other significantly improves on; any other can be chosen "
                "there.",
            )


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
