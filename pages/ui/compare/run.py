"""The comparison of the page Compare as a job that fills a table while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import utils
from lincore.displays import ScoresDisplay
from pages.ui.jobs import page_jobs
from pages.ui.widgets import displays, model_options

if TYPE_CHECKING:
    from lincore.analysis import CompareQuestion, Experiment
    from lincore.data import Dataset
    from lincore.metrics import Results
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.experiment import Setup

KEY = "compare.run"
_AGAIN = "compare.again"


def to_show(data: Dataset, choice: Setup) -> Job | None:
    """Return the comparison to show: the current one, or the former until that has a result."""
    job = requested(data, choice)
    if job is None or page_jobs.needs_drawing(job):
        return job
    before = page_jobs.outdated(job)
    if before is not None:
        page_jobs.note_outdated(job)
    return before


def requested(data: Dataset, choice: Setup) -> Job | None:
    """Return the most recently requested comparison of these data."""
    while (latest := page_jobs.current(KEY)) is not None and latest.settings[0] != data.digest:
        page_jobs.discard(latest)
    question, experiment = choice.question, choice.experiment(data)
    describe = question.plan(experiment)

    def work(progress: Progress) -> Results | None:
        return _compare(question, experiment, progress)

    # The first comparison starts by itself: for large data the default methods are fast.
    if st.session_state.pop(_AGAIN, False) or latest is None:
        page_jobs.run(KEY, choice, work, describe=describe)
    return page_jobs.on_demand(
        KEY,
        choice,
        work,
        describe=describe,
        label="Compare",
        help="Fit all models on the same training rows, and evaluate them on the same test rows.",
        draw=_draw_partial,
    )


def offer_regularization(results: Results) -> None:
    """Offer a remedy if QDA could not be fitted."""
    if "regularization" in results.settings.failed.get("qda", ""):
        model_options.offer_regularization(
            key=f"{KEY}.regularise", then=", and compare again", flag=_AGAIN
        )


def add_yardsticks() -> None:
    """Compare again, with flexible models beside those chosen."""
    displays.set_settings("compare", yardsticks=True)
    st.session_state[_AGAIN] = True


def _compare(
    question: CompareQuestion, experiment: Experiment, progress: Progress
) -> Results | None:
    """Compare, and compute every score with its interval, in the job."""
    with utils.captured_warnings():  # warnings are part of the settings of the results
        results = question.run(experiment, progress=progress, keep=progress.keep)
        if not results.methods:
            return None
        if not results.settings.stopped:
            progress(progress.total, progress.total, "intervals")
        shown = ScoresDisplay(results)  # the results keep what the page shows first
        shown.finding(), shown.scope(), shown.table()
    return results


def _draw_partial(job: Job) -> None:
    """Show the scores of the models that are finished so far."""
    done, total = len(job.result.methods), len(job.settings.methods)
    st.markdown(f"**{done} of {total} models so far**")
    displays.body(ScoresDisplay(job.result), key="compare.live")
