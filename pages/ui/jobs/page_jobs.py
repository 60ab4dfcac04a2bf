"""Jobs of a page: started once, with progress, kept when the page is left.

`work(progress)` runs in a process of its own: it takes what it needs with it, changes nothing but
what it returns, and calls nothing of Streamlit, cached functions included. Between its pieces it
calls ``progress(done, total, what)``, and returns what it has when the answer is False; what it
hands to ``progress.keep`` can be drawn meanwhile.

A fit that a page cannot do without::

    job = page_jobs.run("classify.fit", (data.digest, choice), work, describe="Fitting QDA")
    fitted = page_jobs.require(job)  # draws the progress and ends the page while there is nothing

Work that begins with a button::

    job = page_jobs.on_demand(
        "compare.run", settings, work, describe="Comparing 6 models", label="Compare", draw=table
    )
    if job is not None and job.result is not None: ...
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from lincore.errors import DataError
from lincore.utils import seconds
from pages.ui.jobs._registry import (
    JOBS,
    MOST_KEPT,
    current,
    discard,
    find,
    forget,
    forget_the_oldest,
    kept,
    latest,
    make_room,
    outdated,
)
from pages.ui.jobs.executor import Job, for_this_host
from pages.ui.jobs.progress import Work
from pages.ui.jobs.shared_cache import Shared
from pages.ui.jobs.worker_process import WorkerDiedError
from pages.ui.server import _compat
from pages.ui.widgets import text

WATCHED = "shared.jobs.watched"
#: Of all sessions together.
SHARED_BYTES = 80_000_000
#: Work that is over by then is never seen to run: no bar that flickers.
PATIENCE = 0.25
#: How often one looks after a job: at first more often, for most are over soon, unless others are
#: done first. A look takes 4 ms, and to look less often from then on the page has to be drawn
#: anew, in 80.
SECONDS_BETWEEN_LINES = 1.0
SECONDS_BETWEEN_FIRST_LINES = 0.2
FIRST_SECONDS = 5.0
#: Of what is finished so far: figures and tables want the time that the work wants too.
SECONDS_BETWEEN_DRAWINGS = 2.0

# What pages ask of the list of jobs, they ask here.
__all__ = [
    "JOBS",
    "MOST_KEPT",
    "at_rest",
    "at_work",
    "catch_up",
    "current",
    "discard",
    "find",
    "forget",
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
    again: bool = False,
    share: bool = True,
    patience: float = PATIENCE,
    here: bool = False,
) -> Job:
    """Return the job of these settings; start it if there is none yet."""
    jobs = kept()
    job = jobs.get((key, settings))
    if job is not None and not (job.is_over and (again or job.wants_restart)):
        jobs.move_to_end((key, settings))
        return job
    for running in [other for other in jobs.values() if other.key == key and not other.is_over]:
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
    found = shared.get((key, settings)) if share and job is None else None
    if found is not None:
        fresh.finish_with(found)
    elif here:
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
    """Offer a button for the work, draw its progress, and return the job once there is one.

    The job may still run, may be partial, and may be stale (``job.is_stale(settings)``), which is
    then shown, with a button that updates it. Results of other data are never returned.
    """
    _watched().pop(key, None)
    job = kept().get((key, settings)) or current(key, about=settings)
    is_left = job is not None and job.is_stale(settings) and (job.is_over or unasked)
    if is_left:
        job.stop()
    if is_left and unasked and job.result is None:
        job, is_left = None, False
    if job is None:
        wanted = unasked or st.button(label, key=f"{key}.start", help=help)
    elif is_left:
        wanted = offer_update(job, settings)
        st.container()  # as many places as `show` takes
    else:
        wanted = not job.is_stale(settings)
    pressed = wanted and (is_left or (job is None and not unasked))
    if wanted:
        job = run(key, settings, work, describe=describe)
    if pressed:
        st.rerun()  # without the button that was pressed
    if job is not None and not is_left:
        show(job, draw=draw, keep_outdated=keep_outdated, above=above)
    return job


def note_outdated(job: Job) -> None:
    """Say that what follows is an outdated result: `job` has none yet, or is it itself."""
    until = "." if job.is_over else ", until the new one is there."
    with st.container(key=f"{job.key}.outdated"):
        if job.before is not None:
            st.markdown(f"**What was finished before** follows{until}")
            return
        st.markdown(f"**The outdated result** follows, of earlier settings{until}")


def require(job: Job, *, draw: Draw | None = None) -> Any:
    """Return the result of a job; while there is none, draw why and end the page here."""
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
    """Draw how a job goes while it runs, or why it ended early; nothing for one that finished."""
    before = outdated(job) if keep_outdated else None
    watched = _watched()
    watched.pop(job.key, None)
    is_over = job.is_over  # asked once: it may end while this is drawn
    # Two places, filled or not: what follows keeps its place, hence its figures, in the browser,
    # when the line or the outdated result comes and goes.
    with st.container():
        if not is_over:
            watched[job.key] = job
            _watch(job)
        else:
            _tell(job)
    if is_over or draw is None:
        _draw(job, draw, before if job.result is None else None)
    else:
        _look(job, draw, before, above)


def at_rest(key: str, settings: Hashable) -> Job | None:
    """Return the job that `on_demand` or `run` would draw, and start nothing: other work is first.

    A stale job is marked as such, in the places that `show` takes.
    """
    job = find(key, settings) or latest(key, about=settings)
    if job is not None and job.is_stale(settings):
        offer_update(job, settings, disabled=True)
    else:
        st.container()
    st.container()
    return job


def _tell(job: Job) -> None:
    """Say why a job ended, unless it did what it was to do."""
    if job.result is not None:
        job.before = None  # no longer looked at
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
            st.caption(_how_far(job), width="content")
            _offer_restart(job, "Start again")


def at_work(job: Job) -> bool:
    """Return whether `show` drew a job at work in this run of the page; it may have ended since."""
    return _watched().get(job.key) is job


def catch_up() -> None:
    """Draw the page again if a job that it shows at work has ended since; call it at the end."""
    watched = _watched()
    over = any(job.is_over for job in watched.values())
    watched.clear()
    if over:
        st.rerun()


def offer_update(job: Job, settings: Hashable, *, disabled: bool = False) -> bool:
    """Say that a result is stale, if it is, and offer to bring it up to date."""
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
    # A pause is for as long as the page stands as it is: for a longer one it is drawn anew.
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
def _look(job: Job, draw: Draw, before: Job | None, above: Draw | None) -> None:
    has_result = job.result is not None  # asked once, as above
    _draw(job, draw, None if has_result else before)
    if has_result:
        draw(job)
    if above is not None:  # in every run: what was not written before has no place there
        above(job)


def _draw(job: Job, draw: Draw | None, before: Job | None) -> None:
    """Draw the outdated result in the place of a job that has none."""
    place = st.empty()  # which takes a note away at once, and not when all is drawn
    if before is not None and draw is not None:
        with place.container():
            note_outdated(job)
        draw(before)
    else:
        place.empty()


def _line(job: Job) -> str:
    others = pool.ahead(job)
    if job.is_stopping:
        state = "stopping after this piece"
    elif job.started is None:
        state = f"waiting for {others} other{'s' if others != 1 else ''}"
    else:
        state = text.escape(job.progress.what) or "at work"
        if job.progress.total:
            state += f", {job.progress.done:,} of {job.progress.total:,} done"
        state += f" · {job.seconds:.0f} s"
    return f"{text.escape(job.describe)}: {state}"


def _how_far(job: Job) -> str:
    how_far = ""
    if job.progress.total:
        how_far = f" after {job.progress.done:,} of {job.progress.total:,}"
    kept = "; what was finished is kept." if job.result is not None else "."
    return f"{text.escape(job.describe)}: stopped{how_far} ({seconds(job.seconds)}){kept}"


def _offer_restart(job: Job, label: str) -> None:
    st.button(label, key=f"{job.key}.restart", on_click=job.restart)


def _watched() -> dict[str, Job]:
    watched: dict[str, Job] = st.session_state.setdefault(WATCHED, {})
    return watched
