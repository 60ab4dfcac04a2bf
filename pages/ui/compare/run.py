"""The comparison of the page Compare as a job: it fills a table while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import metrics, model_selection, utils
from lincore.displays import ScoresDisplay
from pages.ui.jobs import page_jobs
from pages.ui.widgets import displays, model_options

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.metrics import Results
    from pages.ui.compare.choices import CompareChoice
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress

KEY = "compare.run"
_AGAIN = "compare.again"
#: Numbers in data that are compared without being asked: a few seconds' work, every sample's.
AT_ONCE = 400_000
#: The schemes with which that still holds.
_QUICK = ("holdout", "last", "given", "holdout by group", "5-fold", "10-fold", "by-group")


def shown(data: Dataset, choice: CompareChoice) -> Job | None:
    """Return the comparison to look at, which has a result; the former while another is at work."""
    job = of(data, choice)
    if job is None or (job.result is not None and not page_jobs.at_work(job)):
        return job
    before = page_jobs.outdated(job)
    if before is not None:
        page_jobs.note_outdated(job)
    return before


def of(data: Dataset, choice: CompareChoice) -> Job | None:
    """Return the comparison of these data that was asked for last, at work or over."""
    while (latest := page_jobs.current(KEY)) is not None and latest.settings[0] != data.digest:
        page_jobs.discard(latest)
    n_models = len(choice.lines)
    describe = f"Comparing {n_models} model{'s' if n_models != 1 else ''}"

    def work(progress: Progress) -> Results | None:
        return compare(data, choice, progress)

    at_once = latest is None and data.X.size <= AT_ONCE and choice.scheme in _QUICK
    if st.session_state.pop(_AGAIN, False) or at_once:
        page_jobs.run(KEY, choice, work, describe=describe)
    return page_jobs.on_demand(
        KEY,
        choice,
        work,
        describe=describe,
        label="Compare",
        help="Fit all models on the same training rows, and evaluate them on the same test rows.",
        draw=live,
    )


def offer_regularization(results: Results) -> None:
    """Offer the remedy at a click where QDA could not be fitted."""
    if "regularization" in results.settings.failed.get("qda", ""):
        model_options.offer_regularization(
            key=f"{KEY}.regularise", then=", and compare again", flag=_AGAIN
        )


def compare(data: Dataset, choice: CompareChoice, progress: Progress) -> Results | None:
    """Compare, and compute every score with its interval, away from the page."""
    with utils.captured_warnings():  # what a fit has to say stands in the settings of the results
        results = model_selection.compare(
            data,
            choice.lines,
            choice.scheme,
            steps=choice.steps,
            seed=choice.split.seed,
            test_size=choice.split.test_size,
            progress=progress,
            keep=progress.keep,
        )
        if not results.methods:
            return None
        if not results.settings.stopped:
            progress(progress.total, progress.total, "intervals")
        leading = metrics.leading_score(data.counts)
        metrics.score_table(
            metrics.rank_methods(results, leading), leading
        )  # as the page looks at them first
    return results


def live(job: Job) -> None:
    """Show the scores of the models that are finished so far."""
    done, of = len(job.result.methods), len(job.settings.lines)
    st.markdown(f"**{done} of {of} models so far**")
    displays.body(ScoresDisplay(job.result), key="compare.live")
