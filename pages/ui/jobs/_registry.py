"""The jobs of a session, by data set."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

import streamlit as st

from pages.ui.jobs.executor import Job

JOBS = "shared.jobs"
#: Finished jobs kept per session, besides running jobs and the last job of each kind.
MOST_KEPT = 8
MOST_BYTES = 150_000_000


def session_jobs() -> OrderedDict[tuple[str, Hashable], Job]:
    """Return the jobs by key and settings, the most recently requested last."""
    return st.session_state.setdefault(JOBS, OrderedDict())


def find(key: str, settings: Hashable) -> Job | None:
    """Return the job with these settings, if it exists; start nothing."""
    return session_jobs().get((key, settings))


def current(key: str, *, same_data_as: Hashable = None) -> Job | None:
    """Return the most recently requested job of this kind, whatever its settings.

    With settings in `same_data_as`, only jobs on the same data count.
    """
    return _last(key, same_data_as, lambda job: True)


def latest(key: str, *, same_data_as: Hashable = None) -> Job | None:
    """Return the most recently requested job of this kind that has a result; see `current`."""
    return _last(key, same_data_as, lambda job: job.result is not None)


def outdated(job: Job) -> Job | None:
    """Return the last other job of this kind, on the same data, that ended with a result.

    Its result stays on the screen while `job` has none. After a restart it is the interrupted job,
    with its partial result.
    """
    if job.before is not None:
        return job.before
    return _last(
        job.key,
        job.settings,
        lambda earlier: earlier is not job and earlier.is_over and earlier.result is not None,
    )


def make_room(key: str) -> None:
    """Stop a running job of this kind for more urgent work; the next request restarts it."""
    job = current(key)
    if job is not None and not job.is_over:
        job.stop()
        job.restart()


def forget() -> None:
    """Stop and forget every job of this session."""
    for job in session_jobs().values():
        job.stop()
    session_jobs().clear()


def discard(job: Job) -> None:
    """Stop and forget one job of this session, with its result."""
    job.stop()
    session_jobs().pop((job.key, job.settings), None)


def forget_the_oldest() -> None:
    """Forget the oldest finished jobs beyond the limits, but never the last of a kind."""
    jobs = session_jobs()
    last = dict(jobs.keys())  # settings by key: later pairs overwrite earlier ones
    n_bytes = sum(job.size for job in jobs.values())
    for name in [name for name, job in jobs.items() if job.is_over and last[name[0]] != name[1]]:
        if len(jobs) <= MOST_KEPT and n_bytes <= MOST_BYTES:
            return
        n_bytes -= jobs.pop(name).size


def _last(key: str, same_data_as: Hashable, fits: Callable[[Job], bool]) -> Job | None:
    """Return the most recently requested job of a kind that passes a test; see `current`."""
    digest = _data(same_data_as)
    for job in reversed(session_jobs().values()):
        is_on_data = same_data_as is None or _data(job.settings) == digest
        if job.key == key and fits(job) and is_on_data:
            return job
    return None


def _data(settings: Hashable) -> Hashable:
    """Return the digest of the data: the first item of (nested) settings; None without a tuple."""
    digest = None
    while isinstance(settings, tuple) and settings:
        digest = settings = settings[0]
    return digest
