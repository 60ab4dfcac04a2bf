"""Long work: jobs with progress and cancellation, and what runs them.

A thread looks after each job, and a process does its work (`worker_process`), where there are such.
Nothing here knows Streamlit: work has no session, and must not draw.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Hashable
from threading import Event, Lock, Thread
from typing import Any

from lincore.errors import DataError
from lincore.utils import n_threads
from pages.ui.jobs import worker_process
from pages.ui.jobs.progress import Progress, Work
from pages.ui.jobs.shared_cache import Shared, n_bytes
from pages.ui.server import logs, preload, script_queue

log = logging.getLogger(__name__)

#: How often a running job looks whether its visitor is still there.
SECONDS_BETWEEN_LOOKS = 1.0


class Job:
    """One piece of long work, what it was asked with, and what became of it.

    Parameters
    ----------
    key : str
        What kind of work it is: `page.name`, as with widgets.
    settings : hashable
        Everything that the result depends on, the digest of the data among it.
    work : callable
        ``work(progress) -> result``, with ``progress(done, total, what) -> bool``; what it hands
        to ``progress.keep`` stands as the result until it returns.
    describe : str
        What is being done, for the screen: "Comparing 6 models".
    owner : str
        The session that asked.
    is_wanted : callable
        Whether that session is still open.
    shared : Shared, optional
        Where the result is kept for others once it is whole.

    Attributes
    ----------
    result : object
        What the work returned; before that, or when it was stopped, the last that it kept.
    reason : {"finished", "stopped", "failed"} or None
        Why it ended.
    error : Exception or None
        What the work raised.
    started, ended : float or None
        Seconds of `time.monotonic`.
    """

    def __init__(
        self,
        key: str,
        settings: Hashable,
        work: Work | None,
        *,
        describe: str = "",
        owner: str = "",
        is_wanted: Callable[[], bool] = lambda: True,
        shared: Shared | None = None,
    ) -> None:
        self.key = key
        self.settings = settings
        self.describe = describe
        self.owner = owner
        self.progress = Progress(self._should_continue, self._keep)
        self.result: Any = None
        self.reason: str | None = None
        self.error: Exception | None = None
        self.started: float | None = None
        self.ended: float | None = None
        self.wants_restart = False
        #: What the same work had finished when it was stopped and asked for afresh.
        self.before: Job | None = None
        self._work = work
        self._is_wanted = is_wanted
        self._shared = shared
        self._asked = time.monotonic()
        self._looked = 0.0
        self._stop, self._over = Event(), Event()
        self._size: int | None = None  # measured once

    @property
    def is_over(self) -> bool:
        """True if it has ended, for whatever reason."""
        return self._over.is_set()

    @property
    def is_stopping(self) -> bool:
        """True if it has been asked to stop and has not ended yet."""
        return self._stop.is_set() and not self.is_over

    @property
    def age(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self._asked

    @property
    def seconds(self) -> float:
        """Seconds of work, without waiting in the queue."""
        if self.started is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.started

    @property
    def size(self) -> int:
        """About how many bytes its result takes; 0 until it is over."""
        if self._size is None and self.is_over:
            self._size = n_bytes(self.result)
        return self._size or 0

    def is_stale(self, settings: Hashable) -> bool:
        """Return whether it was made with other settings than these."""
        return self.settings != settings

    def stop(self) -> None:
        """Ask it to stop; it does at its next report of progress."""
        self._stop.set()

    def restart(self) -> None:
        """Ask for another try: `jobs.run` then starts it afresh."""
        self.wants_restart = True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is over, or for so long, while others' pages are drawn; return whether."""
        if self.is_over:
            return True
        with script_queue.scripts.released():
            return self._over.wait(seconds)

    def do(self, how: Callable[[Work, Progress], Any] | None = None) -> None:
        """Do the work in the thread that calls this, or see to it that it is done."""
        self.started = time.monotonic()
        try:
            self.reason = "stopped"
            if self._should_continue() and self._work is not None:
                work, progress = self._work, self.progress
                result = work(progress) if how is None else how(work, progress)
                self.result = self.result if result is None else result
                # Asked too late to have been noticed, the work is whole all the same.
                self.reason = "stopped" if self.progress.was_told else "finished"
            if self._shared is not None and self.reason == "finished":
                self._shared.put((self.key, self.settings), self.result)
        except Exception as error:
            self.error, self.reason = error, "failed"
            if not isinstance(error, DataError):
                log.exception("the job %s failed", self.key, extra=logs.fields(job=self.key))
        finally:
            # What the work closes over is a whole data set: it need not outlive the work.
            self._work = None
            self.ended = time.monotonic()
            self._over.set()
            ended = logs.fields(job=self.key, outcome=str(self.reason), seconds=self.seconds)
            log.info("a job is over", extra=ended)

    def finish_with(self, result: Any) -> None:
        """End it with a result that was there already."""
        self.result, self.reason = result, "finished"
        self._over.set()

    def _keep(self, partial: Any) -> None:
        self.result = partial

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked >= SECONDS_BETWEEN_LOOKS:
            self._looked = now
            if not self._is_wanted():
                self._stop.set()

    def _should_continue(self) -> bool:
        self._look()
        return not self._stop.is_set()


class Pool:
    """At most `size` jobs at a time; whoever has fewest running is served first.

    Work goes to a process as soon as there may be one, and is done in a thread where there is none.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._changed = Lock()
        self._waiting: list[Job] = []
        self._running: set[Job] = set()
        self._n_threads = 0

    def submit(self, job: Job) -> None:
        """Start a job as soon as there is room."""
        with self._changed:
            self._waiting.append(job)
            if self._n_threads == self.size:
                return
            self._n_threads += 1
        # A daemon: somebody who stops the server does not wait for a fit.
        Thread(target=self._serve, name="lincore-job", daemon=True).start()

    def ahead(self, job: Job) -> int:
        """Count the jobs that a waiting one waits for; 0 once it is running or over."""
        with self._changed:
            if job not in self._waiting:
                return 0
            return len(self._running) + self._waiting.index(job)

    def _serve(self) -> None:
        preload.wait()
        while (job := self._next()) is not None:
            try:
                job.do(worker_process.do if worker_process.is_ready() else None)
            finally:
                with self._changed:
                    self._running.remove(job)

    def _next(self) -> Job | None:
        """Return the job whose turn it is; None where none is left."""
        with self._changed:
            if not self._waiting:
                self._n_threads -= 1
                return None
            owners = [job.owner for job in self._running]
            # min takes the first of equals: first come, first served.
            chosen = min(self._waiting, key=lambda job: owners.count(job.owner))
            self._waiting.remove(chosen)
            self._running.add(chosen)
            return chosen


class InThread:
    """Does each job where it is asked for, on hosts without threads (a browser) and in tests."""

    def submit(self, job: Job) -> None:
        """Do a job; the page that asks waits for it."""
        job.do()

    def ahead(self, job: Job) -> int:
        """Count the jobs that a waiting one waits for: none waits."""
        return 0


def for_this_host() -> Pool | InThread:
    """Return what runs jobs here: a thread for each core, where there are threads."""
    return InThread() if sys.platform == "emscripten" else Pool(n_threads())
