"""Jobs of the page Balance: the study on one split, then on many, and the class-size sweep."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import displays, imbalance, model_selection, utils
from pages.ui.jobs import page_jobs

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress, Work
    from pages.ui.session.experiment import Setup

FIRST, STUDY, SWEEP = "balance.first", "balance.study", "balance.sweep"
#: Up to SMALL values in the data, and for models that can be fitted in batches, a study follows
#: every change of options. Up to LARGE, the first one starts by itself, and later ones with a
#: button; above LARGE, all start with a button. Run times are no criterion, as they depend on load.
SMALL, LARGE = 50_000, 5_000_000
#: Approximate cost of a split of a sweep, relative to one of a study.
SWEEP_FACTOR = 9.0
#: Seconds to wait for the first split, on which the whole page depends. There is no wait for the
#: others: partial results are drawn meanwhile.
PATIENCE, NO_PATIENCE = 0.5, 0.0


class FirstSplit(NamedTuple):
    """The study on one split, its setup, and its run time.

    `is_former` is true if the setup has changed since.
    """

    setup: Setup
    study: BalanceStudy
    seconds: float
    is_former: bool = False


def first_split(setup: Setup | None, data: Dataset) -> FirstSplit:
    """Return the study on the first split.

    Until it is ready, draw progress and return the former one on the same data; without one, end
    the page.
    """
    note = st.container()
    if setup is None:
        last = page_jobs.latest(FIRST, same_data_as=(data.digest,))
        if last is None:
            st.stop()
        with note:
            page_jobs.note_outdated(last)
        return last.result._replace(is_former=True)

    question, experiment = setup.question, setup.experiment(data)

    def work(progress: Progress) -> FirstSplit:
        progress(0, 1, "full set, reduced set and corrections")
        start = time.perf_counter()
        study = question.run(experiment)
        return FirstSplit(setup, study, time.perf_counter() - start)

    job = page_jobs.run(
        FIRST,
        setup,
        work,
        describe="Fitting on one split",
        patience=PATIENCE,
        at_once=_is_small(setup, data),
    )
    before = None if job.is_over and job.result is not None else page_jobs.outdated(job)
    if before is None:
        return page_jobs.require(job)
    page_jobs.show(job)
    if page_jobs.needs_drawing(job):
        return job.result
    with note:
        page_jobs.note_outdated(job)
    for key in (STUDY, SWEEP):
        page_jobs.make_room(key)
    return before.result._replace(is_former=True)


def study(
    first: FirstSplit,
    settings: Setup,
    data: Dataset,
    *,
    draw: page_jobs.Draw | None = None,
    above: page_jobs.Draw | None = None,
) -> Job | None:
    """Run the study on many splits, and draw it; a long one needs a click."""
    question, experiment = settings.question, settings.experiment(data)

    def work(progress: Progress) -> BalanceStudy:
        study = question.run(experiment, progress=progress, keep=progress.keep)
        corrections = displays.CorrectionsDisplay(study)
        if corrections.is_possible:  # the study keeps what the page shows first
            corrections.finding(), corrections.table(), displays.DecompositionDisplay(study).table()
        return study

    if first.is_former:
        return _draw_existing(STUDY, settings, draw)
    return follow(
        STUDY,
        settings,
        work,
        question.plan(experiment),
        data,
        follows=_is_small(first.setup, data),
        label="Run the study",
        help=_duration_help(question.repeats * first.seconds),
        draw=draw,
        above=above,
    )


def sweep(first: FirstSplit, data: Dataset, *, draw: page_jobs.Draw) -> Job | None:
    """Run the sweep over sizes of the reduced classes, and draw it; a long one needs a click."""
    sizes = dict.fromkeys(first.setup.question.sizes, 0)  # only the classes matter
    settings = first.setup.with_options(sizes=sizes, repeats=imbalance.SWEEP_REPEATS)
    question, experiment = settings.question, settings.experiment(data)

    def work(progress: Progress) -> Any:
        return question.sweep(experiment, progress=progress, keep=progress.keep)

    if first.is_former:
        return _draw_existing(SWEEP, settings, draw)
    return follow(
        SWEEP,
        settings,
        work,
        f"Class-size sweep, {imbalance.SWEEP_REPEATS} splits",
        data,
        follows=_is_small(first.setup, data),
        label="Run the sweep",
        help=_duration_help(imbalance.SWEEP_REPEATS * SWEEP_FACTOR * first.seconds),
        draw=draw,
    )


def _draw_existing(key: str, settings: Any, draw: page_jobs.Draw | None) -> Job | None:
    """Draw an existing result, and start nothing."""
    job = page_jobs.existing_job(key, settings)
    if job is not None and job.result is not None and draw is not None:
        draw(job)
    return job


def follow(
    key: str,
    settings: Any,
    work: Work,
    describe: str,
    data: Dataset,
    *,
    follows: bool,
    label: str,
    help: str,
    draw: page_jobs.Draw | None,
    above: page_jobs.Draw | None = None,
    patience: float = NO_PATIENCE,
) -> Job | None:
    """Run a job at once if it `follows` every change, or offer it; draw it."""
    job: Job | None
    if follows:
        job = page_jobs.run(key, settings, work, describe=describe, patience=patience)
        page_jobs.show(job, draw=draw, keep_outdated=True, above=above)
    else:
        job = page_jobs.on_demand(
            key,
            settings,
            work,
            describe=describe,
            label=label,
            help=help,
            draw=draw,
            keep_outdated=True,
            above=above,
            unasked=n_values(data) <= LARGE,
        )
    if page_jobs.needs_drawing(job) and draw is not None:
        draw(job)
    return job


def _duration_help(seconds: float) -> str:
    return f"About {utils.seconds(seconds, whole=True)}. Finished parts can be viewed meanwhile."


def _is_small(setup: Setup, data: Dataset) -> bool:
    """Return whether a study is quick."""
    return n_values(data) <= SMALL and _can_be_batched(setup.methods)


@cache
def _can_be_batched(methods: tuple[str, ...]) -> bool:
    return imbalance.can_be_batched(model_selection.as_methods(methods))


def n_values(data: Dataset) -> int:
    """Return the number of values in the data; of sparse data the nonzero ones."""
    return int(data.X.nnz) if data.kind.is_sparse else data.n_rows * data.n_features
