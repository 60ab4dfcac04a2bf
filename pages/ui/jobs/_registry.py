"""The jobs of a session, by data set."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

import streamlit as st

from pages.ui.jobs.executor import Job

JOBS = "shared.jobs"
#: Of each session, for as long as it lasts; running ones come on top, and the last of each kind.
MOST_KEPT = 8
MOST_BYTES = 150_000_000


def kept() -> OrderedDict[tuple[str, Hashable], Job]:
    """Return the jobs by key and settings, the one asked for last at the end."""
    jobs: OrderedDict[tuple[str, Hashable], Job] = st.session_state.setdefault(JOBS, OrderedDict())
    return jobs


def find(key: str, settings: Hashable) -> Job | None:
    """Return the job of these settings, if there is one; it is not started."""
    return kept().get((key, settings))


def current(key: str, *, about: Hashable = None) -> Job | None:
    """Return the job of this kind that was asked for last, whatever its settings.

    With settings given as `about`, the last that is about the same data.
    """
    return _last(key, about, lambda job: True)


def latest(key: str, *, about: Hashable = None) -> Job | None:
    """Return the last job of this kind that has a result, whatever its settings; see `current`."""
    return _last(key, about, lambda job: job.result is not None)


def outdated(job: Job) -> Job | None:
    """Return the last other job of this kind, about the same data, that has ended with a result.

    It is what one goes on looking at while `job` has nothing to show. Of work that was stopped and
    started again it is what had been finished.
    """
    if job.before is not None:
        return job.before
    return _last(
        job.key,
        job.settings,
        lambda other: other is not job and other.is_over and other.result is not None,
    )


def make_room(key: str) -> None:
    """Stop a running job of this kind for more urgent work; asked for again, it starts afresh."""
    job = current(key)
    if job is not None and not job.is_over:
        job.stop()
        job.restart()


def forget() -> None:
    """Stop and forget every job of this session."""
    for job in kept().values():
        job.stop()
    kept().clear()


def discard(job: Job) -> None:
    """Forget one job of this session and what it made; it is stopped if it still runs."""
    job.stop()
    kept().pop((job.key, job.settings), None)


def forget_the_oldest() -> None:
    """Forget jobs that are over, where there is more than is kept; the last of a kind stays."""
    jobs = kept()
    last = dict(jobs.keys())  # settings by key: a later pair takes the place of an earlier one
    n_bytes = sum(job.size for job in jobs.values())
    for name in [name for name, job in jobs.items() if job.is_over and last[name[0]] != name[1]]:
        if len(jobs) <= MOST_KEPT and n_bytes <= MOST_BYTES:
            return
        n_bytes -= jobs.pop(name).size


def _last(key: str, about: Hashable, fits: Callable[[Job], bool]) -> Job | None:
    """Return the job of a kind that was asked for last among those that fit; see `current`."""
    jobs = (job for job in reversed(kept().values()) if job.key == key and fits(job))
    return next((j for j in jobs if about is None or _data(j.settings) == _data(about)), None)


def _data(settings: Hashable) -> Hashable:
    """Return what tells the data: the first of the settings, however deep; None outside a tuple."""
    found = None
    while isinstance(settings, tuple) and settings:
        found = settings = settings[0]
    return found
