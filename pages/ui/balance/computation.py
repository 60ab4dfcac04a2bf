"""Jobs of the page Balance: one split at once, then many, and the class-size sweep."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import balance, imbalance, model_selection
from pages.ui.jobs import page_jobs

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.imbalance import BalanceStudy
    from pages.ui.balance.study_setup import CostSetup, Setup
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress

FIRST, STUDY, SWEEP = "balance.first", "balance.study", "balance.sweep"
#: A study on at most so many numbers, of models that are solved many at once, follows every option.
#: Another is made unasked once; with other options it is stale until it is asked for. On more
#: numbers than are large it begins with a button. Not on seconds: they hang on who else works.
SMALL, LARGE = 50_000, 5_000_000
#: One split of a sweep takes about so many times one of a study.
SWEEP_FACTOR = 9.0
SWEEP_REPEATS = 10
#: Seconds to wait for the first split, which all on the page is about; of many, none: what there is
#: so far is drawn meanwhile.
PATIENCE, NO_PATIENCE = 0.5, 0.0


class First(NamedTuple):
    """The study on one split, what it was made with, and how long it took.

    `is_former` tells whether something else was asked for since.
    """

    setup: Setup
    study: BalanceStudy
    seconds: float
    is_former: bool = False


class Offer(NamedTuple):
    """Work on many splits: its job, what it is called, and the seconds that it will take."""

    key: str
    settings: Any
    work: page_jobs.Work
    what: str
    seconds: float
    label: str


def first(setup: Setup | None, data: Dataset) -> First:
    """Return the study on the first split.

    While there is none, progress is drawn, and the former one returned if it is about the same
    data; else the page ends.
    """
    note = st.container()
    if setup is None:
        last = page_jobs.latest(FIRST, about=(data.digest,))
        if last is None:
            st.stop()
        with note:
            page_jobs.note_outdated(last)
        kept: First = last.result
        return kept._replace(is_former=True)

    def work(progress: Progress) -> First:
        progress(0, 1, "full set, reduced set and corrections")
        start = time.perf_counter()
        study = balance(repeats=1, **_arguments(setup, data))
        return First(setup, study, time.perf_counter() - start)

    is_small = _is_small(setup, data)
    what = "Fitting on one split"
    job = page_jobs.run(FIRST, setup, work, describe=what, patience=PATIENCE, here=is_small)
    before = None if job.is_over and job.result is not None else page_jobs.outdated(job)
    if before is None:
        found: First = page_jobs.require(job)
        return found
    page_jobs.show(job)
    if job.result is not None and not page_jobs.at_work(job):
        found = job.result
        return found
    with note:
        page_jobs.note_outdated(job)
    for key in (STUDY, SWEEP):
        page_jobs.make_room(key)
    found = before.result
    return found._replace(is_former=True)


def study(
    one: First,
    data: Dataset,
    repeats: int,
    *,
    draw: page_jobs.Draw | None = None,
    above: page_jobs.Draw | None = None,
) -> Job | None:
    """Run the study over many choices of the rows, and draw it; unasked unless that takes long."""
    setup = one.setup

    def work(progress: Progress) -> BalanceStudy:
        arguments = _arguments(setup, data)
        return balance(repeats=repeats, progress=progress, keep=progress.keep, **arguments)

    what = f"Study of {repeats} splits"
    seconds = repeats * one.seconds
    if one.is_former:
        return _rest(STUDY, (setup, repeats), draw)
    label = "Run the study"
    offer = Offer(STUDY, (setup, repeats), work, what, seconds, label)
    return _offer(offer, one, data, draw, above)


def sweep(one: First, data: Dataset, *, draw: page_jobs.Draw) -> Job | None:
    """Run the sweep over sizes of the reduced classes together, and draw it; as above."""
    setup = one.setup

    def work(progress: Progress) -> Any:
        arguments = _arguments(setup, data)
        classes = list(arguments.pop("sizes"))
        return imbalance.sweep(
            classes=classes,
            repeats=SWEEP_REPEATS,
            progress=progress,
            keep=progress.keep,
            **arguments,
        )

    what = f"Class-size sweep, {SWEEP_REPEATS} splits"
    settings = (setup._replace(sizes=tuple((label, 0) for label, _ in setup.sizes)), SWEEP_REPEATS)
    seconds = SWEEP_REPEATS * SWEEP_FACTOR * one.seconds
    if one.is_former:
        return _rest(SWEEP, settings, draw)
    offer = Offer(SWEEP, settings, work, what, seconds, "Run the sweep")
    return _offer(offer, one, data, draw)


def _rest(key: str, settings: Any, draw: page_jobs.Draw | None) -> Job | None:
    """Draw what there is of something, and start nothing."""
    job = page_jobs.at_rest(key, settings)
    if job is not None and job.result is not None and draw is not None:
        draw(job)
    return job


def _offer(
    offer: Offer,
    one: First,
    data: Dataset,
    draw: page_jobs.Draw | None,
    above: page_jobs.Draw | None = None,
) -> Job | None:
    key, settings, work, what, seconds, label = offer
    job: Job | None
    if _is_small(one.setup, data):
        job = page_jobs.run(key, settings, work, describe=what, patience=NO_PATIENCE)
        page_jobs.show(job, draw=draw, keep_outdated=True, above=above)
    else:
        job = page_jobs.on_demand(
            key,
            settings,
            work,
            describe=what,
            label=label,
            help=f"About {seconds:.0f} s. Finished parts can be viewed meanwhile.",
            draw=draw,
            keep_outdated=True,
            above=above,
            unasked=n_values(data) <= LARGE,
        )
    if (
        job is not None
        and not page_jobs.at_work(job)
        and job.result is not None
        and draw is not None
    ):
        draw(job)
    return job


def _is_small(setup: Setup, data: Dataset) -> bool:
    """Return whether a study takes a moment."""
    return n_values(data) <= SMALL and imbalance.can_be_batched(
        model_selection.as_methods(setup.methods)
    )


def n_values(data: Dataset) -> int:
    """Return how many numbers there are in the rows; of sparse rows those that are not zero."""
    return int(data.X.nnz) if data.kind.is_sparse else data.n_rows * data.n_features


def _arguments(setup: Setup, data: Dataset) -> dict[str, Any]:
    return common_arguments(setup, data) | {"sizes": dict(setup.sizes)}


def common_arguments(setup: Setup | CostSetup, data: Dataset) -> dict[str, Any]:
    """Return what the library is given for either question."""
    return {
        "data": data,
        "methods": setup.methods,
        "steps": setup.steps,
        "split": "holdout by group" if setup.choice.how == "group" else setup.choice.how,
        "test_size": setup.choice.test_size,
        "seed": setup.choice.seed,
    }
