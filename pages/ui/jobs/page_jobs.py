"""Jobs on pages: started once, shown with progress, and kept when the visitor leaves the page.

`work(progress)` runs in a separate process. It is a closure over its data, has no side effects, and
calls no Streamlit function, not even a cached one. Between its steps it calls
``progress(done, total, description)``, and returns its partial result if the answer is False. A
value passed to ``progress.keep`` can be drawn meanwhile.

A fit without which the page cannot continue::

    job = page_jobs.run("classify.fit", (data.digest, choice), work, describe="Fitting QDA")
    fitted = page_jobs.require(job)  # draws progress and ends the page until it is done

Work that starts with a button::

    job = page_jobs.on_demand(
        "compare.run", settings, work, describe="Comparing 6 models", label="Compare", draw=table
    )
    if job is not None and job.result is not None: ...
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeGuard, cast

import streamlit as st

from lincore.errors import DataError
from lincore.utils import count, part_of, seconds
from pages.ui.jobs._registry import (
    JOBS,
    MOST_KEPT,
    current,
    discard,
    find,
    forget,
    forget_the_oldest,
    latest,
    make_room,
    outdated,
    session_jobs,
)
from pages.ui.jobs.executor import Job, for_this_host
from pages.ui.jobs.progress import Work
from pages.ui.jobs.worker_process import WorkerDiedError
from pages.ui.server import _compat
from pages.ui.server.shared_cache import Shared
from pages.ui.widgets import text

WATCHED = "shared.jobs.watched"
#: Limit for the shared results of all sessions.
SHARED_BYTES = 80_000_000
#: Seconds before a progress bar is shown: quick work must not flicker.
PATIENCE = 0.25
#: How often a job is polled: at first more often, as most jobs are short, unless others are ahead
#: of it. A poll takes 4 ms; changing the interval redraws the page, which takes 80 ms.
SECONDS_BETWEEN_LINES = 1.0
SECONDS_BETWEEN_FIRST_LINES = 0.2
FIRST_SECONDS = 5.0
#: Partial results are drawn less often: figures and tables compete with the work for the processor.
SECONDS_BETWEEN_DRAWINGS = 2.0

# Re-exported, so that pages need only this module.
__all__ = [
    "JOBS",
    "MOST_KEPT",
    "existing_job",
    "is_shown_running",
    "catch_up",
    "current",
    "discard",
    "find",
    "forget",
    "needs_drawing",
    "outdated",
    "latest",
    "make_room",
    "note_outdated",
    "offer_update",
    "on_demand",
    "require",
    "run",
    "show",
]

Draw = Callable[[Job], None]

pool = for_this_host()
shared = Shared(SHARED_BYTES)


def run(
    key: str,
    settings: Hashable,
    work: Work,
    *,
    describe: str,
    share: bool = True,
    patience: float = PATIENCE,
    at_once: bool = False,
) -> Job:
    """Return the job with these settings, started if necessary."""
    jobs = session_jobs()
    job = jobs.get((key, settings))
    if job is not None and not (job.is_over and job.wants_restart):
        jobs.move_to_end((key, settings))
        return job
    for running in [j for j in jobs.values() if j.key == key and not j.is_over]:
        running.stop()
        del jobs[running.key, running.settings]
    session = _compat.session_id() or ""
    fresh = Job(
        key,
        settings,
        work,
        describe=describe,
        owner=session,
        is_wanted=lambda: _compat.is_open(session),
        shared=shared if share else None,
    )
    if job is not None and job.result is not None:
        fresh.before, job.before = job, None
    result = shared.get((key, settings)) if share and job is None else None
    if result is not None:
        fresh.finish_with(result)
    elif at_once:
        fresh.do()
    else:
        pool.submit(fresh)
    jobs[key, settings] = fresh
    jobs.move_to_end((key, settings))
    forget_the_oldest()
    if patience:
        fresh.wait(patience)
    return fresh


def on_demand(
    key: str,
    settings: Hashable,
    work: Work,
    *,
    describe: str,
    label: str,
    help: str | None = None,
    draw: Draw | None = None,
    keep_outdated: bool = False,
    above: Draw | None = None,
    unasked: bool = False,
) -> Job | None:
    """Offer a button that starts the work, draw its progress, and return the job if there is one.

    The job may be running, partial, or stale (``job.is_stale(settings)``); for a stale job a button
    to update it is drawn. Results on other data are never returned.
    """
    _watched().pop(key, None)
    job = session_jobs().get((key, settings)) or current(key, same_data_as=settings)
    is_left = False
    if job is not None and job.is_stale(settings) and (job.is_over or unasked):
        job.stop()
        is_left = not unasked or job.result is not None
        job = job if is_left else None
    if job is None:
        wanted = unasked or st.button(label, key=f"{key}.start", help=help)
    elif is_left:
        wanted = offer_update(job, settings)
        st.container()  # as many elements as `show` draws
    else:
        wanted = not job.is_stale(settings)
    pressed = wanted and (is_left or (job is None and not unasked))
    if wanted:
        job = run(key, settings, work, describe=describe)
    if pressed:
        st.rerun()  # to remove the button
    if job is not None and not is_left:
        show(job, draw=draw, keep_outdated=keep_outdated, above=above)
    return job


def note_outdated(job: Job) -> None:
    """Announce an outdated result: `job` has none yet, or is itself outdated."""
    until = "." if job.is_over else " until the new one is ready."
    with st.container(key=f"{job.key}.outdated"):
        if job.before is not None:
            st.markdown(f"**Partial results from before** follow{until}")
            return
        st.markdown(f"**An outdated result** with earlier settings follows{until}")


def require(job: Job, *, draw: Draw | None = None) -> Any:
    """Return the result of a job; without one, draw progress or the error and end the page."""
    show(job, draw=draw)
    if not job.is_over or job.result is None:
        st.stop()
    return job.result


def show(
    job: Job,
    *,
    draw: Draw | None = None,
    keep_outdated: bool = False,
    above: Draw | None = None,
) -> None:
    """Draw the progress of a running job, or why it ended early; nothing if it finished."""
    before = outdated(job) if keep_outdated else None
    watched = _watched()
    watched.pop(job.key, None)
    is_over = job.is_over  # read once: the job may end during this function
    # Always two elements, even if empty: otherwise all that follows would change its position when
    # the progress or the outdated result appears, and the browser would rebuild its figures.
    with st.container():
        if not is_over:
            watched[job.key] = job
            _watch(job)
        else:
            _note_end(job)
    if is_over or draw is None:
        _draw(job, draw, before if job.result is None else None)
    else:
        _poll(job, draw, before, above)


def existing_job(key: str, settings: Hashable) -> Job | None:
    """Return the job that `on_demand` or `run` would draw, but start nothing.

    A stale job is marked as such, in as many elements as `show` draws.
    """
    job = find(key, settings) or latest(key, same_data_as=settings)
    if job is not None and job.is_stale(settings):
        offer_update(job, settings, disabled=True)
    else:
        st.container()
    st.container()
    return job


def _note_end(job: Job) -> None:
    """State why a job ended, unless it finished."""
    if job.result is not None:
        job.before = None  # no longer needed
    if isinstance(job.error, DataError):
        text.show_problem(job.error.notice)
        if isinstance(job.error, WorkerDiedError):
            _offer_restart(job, "Try again")
    elif job.error is not None:
        st.error(
            f"**{text.escape(job.describe)}** failed unexpectedly. Try other options; the server's "
            f"log has the details."
        )
        _offer_restart(job, "Try again")
    elif job.reason == "stopped":
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(_stopped_sentence(job), width="content")
            _offer_restart(job, "Start again")


def is_shown_running(job: Job) -> bool:
    """Return whether `show` drew a job as running in this run; it may have ended since."""
    return _watched().get(job.key) is job


def needs_drawing(job: Job | None) -> TypeGuard[Job]:
    """Return whether a job has a result that `show` does not draw while it runs."""
    return job is not None and job.result is not None and not is_shown_running(job)


def catch_up() -> None:
    """Rerun the page if a job that it shows as running has ended; to be called at its end."""
    watched = _watched()
    over = any(job.is_over for job in watched.values())
    watched.clear()
    if over:
        st.rerun()


def offer_update(job: Job, settings: Hashable, *, disabled: bool = False) -> bool:
    """If a result is stale, say so and offer to update it."""
    if not job.is_stale(settings):
        return False
    with st.container(key=f"{job.key}.stale", horizontal=True, vertical_alignment="center"):
        st.markdown("**Settings have changed** since this was computed.", width="content")
        return st.button(
            "Update",
            key=f"{job.key}.update",
            disabled=disabled,
            help="Compute it again with the current settings. Until then the outdated result "
            "stays.",
        )


def _watch(job: Job) -> None:
    is_new = job.age < FIRST_SECONDS
    pause = SECONDS_BETWEEN_LINES
    if is_new:
        pause = min(pause, SECONDS_BETWEEN_FIRST_LINES * (1 + pool.ahead(job)))
    st.fragment(_draw_line, run_every=pause)(job, is_new)


def _draw_line(job: Job, is_new: bool) -> None:
    # The interval of a fragment is fixed; a rerun of the page sets a longer one.
    if job.is_over or (is_new and job.age >= FIRST_SECONDS):
        st.rerun()
    with st.container(key=f"{job.key}.job"):
        st.progress(job.progress.share, text=_line(job))
        st.button(
            "Stop",
            key=f"{job.key}.stop",
            on_click=job.stop,
            disabled=job.is_stopping,
            help="What is finished is kept.",
        )


@st.fragment(run_every=SECONDS_BETWEEN_DRAWINGS)
def _poll(job: Job, draw: Draw, before: Job | None, above: Draw | None) -> None:
    seen = cast("Job", _Seen(job))
    has_result = seen.result is not None
    _draw(seen, draw, None if has_result else before)
    if has_result:
        draw(seen)
    if above is not None:  # in every run, as a fragment cannot write into new containers later
        above(seen)


class _Seen:
    """A running job with the result that it has now: figures and headline are of the same."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.result = job.result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._job, name)


def _draw(job: Job, draw: Draw | None, before: Job | None) -> None:
    """Draw the outdated result instead of a job without one."""
    note = st.empty()  # `st.empty` removes the note at once, not at the end of the run
    if before is not None and draw is not None:
        with note.container():
            note_outdated(job)
        draw(before)


def _line(job: Job) -> str:
    if job.is_stopping:
        state = "stopping after this step"
    elif job.started is None:
        state = f"waiting for {count(pool.ahead(job), 'other')}"
    else:
        state = text.escape(job.progress.description) or "running"
        if job.progress.total:
            state += f", {part_of(job.progress.done, job.progress.total)} done"
        state += f" · {seconds(job.seconds, whole=True)}"
    return f"{text.escape(job.describe)}: {state}"


def _stopped_sentence(job: Job) -> str:
    steps = ""
    if job.progress.total:
        steps = f" after {part_of(job.progress.done, job.progress.total)}"
    end = "; what was finished is kept." if job.result is not None else "."
    return f"{text.escape(job.describe)}: stopped{steps} ({seconds(job.seconds)}){end}"


def _offer_restart(job: Job, label: str) -> None:
    st.button(label, key=f"{job.key}.restart", on_click=job.restart)


def _watched() -> dict[str, Job]:
    return st.session_state.setdefault(WATCHED, {})
