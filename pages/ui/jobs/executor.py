"""Jobs: long computations with progress and cancellation, and the executors that run them.

A thread supervises each job; the work itself runs in a process (`worker_process`) if the host has
processes. Nothing here knows Streamlit: work has no session and must not draw.
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
from pages.ui.server import logs, preload, script_queue
from pages.ui.server.shared_cache import Shared, n_bytes

log = logging.getLogger(__name__)

#: How often a running job checks that its visitor is still connected.
SECONDS_BETWEEN_LOOKS = 1.0
#: How long a job waits for the fork server to start before it runs in a thread instead.
SECONDS_TO_WAIT = 5.0


class Job:
    """One long computation: its settings, its state, and its result.

    Parameters
    ----------
    key : str
        Kind of the work: `page.name`, as for widgets.
    settings : hashable
        Everything that the result depends on, including the digest of the data.
    work : callable
        ``work(progress) -> result``, with ``progress(done, total, description) -> bool``; a value
        passed to ``progress.keep`` is the result until it returns.
    describe : str
        Description on the screen, such as "Comparing 6 models".
    owner : str
        The session that requested it.
    is_wanted : callable
        Whether that session is still open.
    shared : Shared, optional
        Cache that makes the complete result available to other sessions.

    Attributes
    ----------
    result : object
        The return value of the work; before that, or if it was stopped, its last partial result.
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
        self.settings: Any = settings
        self.describe = describe
        self.owner = owner
        self.progress = Progress(self._should_continue, self._keep)
        self.result: Any = None
        self.reason: str | None = None
        self.error: Exception | None = None
        self.started: float | None = None
        self.ended: float | None = None
        self.wants_restart = False
        #: The interrupted job that this one restarts.
        self.before: Job | None = None
        self._work = work
        self._is_wanted = is_wanted
        self._shared = shared
        self._asked = time.monotonic()
        self._looked = 0.0
        self._stop, self._over = Event(), Event()
        self._size: int | None = None  # measured only once

    @property
    def is_over(self) -> bool:
        """True if it has ended, for any reason."""
        return self._over.is_set()

    @property
    def is_stopping(self) -> bool:
        """True if it has been asked to stop and has not ended yet."""
        return self._stop.is_set() and not self.is_over

    @property
    def age(self) -> float:
        """Seconds since it was requested."""
        return time.monotonic() - self._asked

    @property
    def seconds(self) -> float:
        """Seconds of work, without the time in the queue."""
        if self.started is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.started

    @property
    def size(self) -> int:
        """Approximate bytes of its result; 0 until it is over."""
        if self._size is None and self.is_over:
            self._size = n_bytes(self.result)
        return self._size or 0

    def is_stale(self, settings: Hashable) -> bool:
        """Return whether it was made with other settings than these."""
        return self.settings != settings

    def stop(self) -> None:
        """Ask it to stop, which happens at its next progress report."""
        self._stop.set()

    def restart(self) -> None:
        """Let `page_jobs.run` restart it."""
        self.wants_restart = True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait up to some seconds, while other pages are drawn; return whether it is over."""
        if self.is_over:
            return True
        with script_queue.scripts.released():
            return self._over.wait(seconds)

    def do(self, execute: Callable[[Work, Progress], Any] | None = None) -> None:
        """Do the work in the calling thread, or supervise the process that does it."""
        self.started = time.monotonic()
        try:
            self.reason = "stopped"
            if self._should_continue() and self._work is not None:
                work, progress = self._work, self.progress
                result = work(progress) if execute is None else execute(work, progress)
                self.result = self.result if result is None else result
                # If the request to stop came too late to be noticed, the result is complete.
                self.reason = "stopped" if self.progress.saw_stop else "finished"
            if self._shared is not None and self.reason == "finished":
                self._shared.put((self.key, self.settings), self.result)
        except Exception as error:
            self.error, self.reason = error, "failed"
            if not isinstance(error, DataError):
                log.exception("the job %s failed", self.key, extra=logs.fields(job=self.key))
        finally:
            # The closure holds a whole data set: free it.
            self._work = None
            self.ended = time.monotonic()
            self._over.set()
            ended = logs.fields(job=self.key, outcome=str(self.reason), seconds=self.seconds)
            log.info("a job is over", extra=ended)

    def finish_with(self, result: Any) -> None:
        """End it with a result from the cache."""
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
    """Runs at most `size` jobs at a time; the session with the fewest running jobs comes first.

    Work runs in processes, or in threads on hosts without processes.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._changed = Lock()
        self._waiting: list[Job] = []
        self._running: set[Job] = set()
        self._n_threads = 0

    def submit(self, job: Job) -> None:
        """Start a job as soon as a slot is free."""
        with self._changed:
            self._waiting.append(job)
            if self._n_threads == self.size:
                return
            self._n_threads += 1
        # A daemon thread, so that stopping the server does not wait for a fit.
        Thread(target=self._serve, name="lincore-job", daemon=True).start()

    def ahead(self, job: Job) -> int:
        """Count the jobs ahead of a waiting one; 0 once it is running or over."""
        with self._changed:
            if job not in self._waiting:
                return 0
            return len(self._running) + self._waiting.index(job)

    def _serve(self) -> None:
        preload.wait()
        while (job := self._next()) is not None:
            try:
                is_apart = worker_process.is_ready(SECONDS_TO_WAIT)
                job.do(worker_process.do if is_apart else None)
            finally:
                with self._changed:
                    self._running.remove(job)

    def _next(self) -> Job | None:
        """Return the next job; None if the queue is empty."""
        with self._changed:
            if not self._waiting:
                self._n_threads -= 1
                return None
            owners = [job.owner for job in self._running]
            # min returns the first of equals: first come, first served.
            chosen = min(self._waiting, key=lambda job: owners.count(job.owner))
            self._waiting.remove(chosen)
            self._running.add(chosen)
            return chosen


class InThread:
    """Runs each job synchronously, on hosts without threads (a browser) and in tests."""

    def submit(self, job: Job) -> None:
        """Do a job while the page waits."""
        job.do()

    def ahead(self, job: Job) -> int:
        """Return 0: no job ever waits."""
        return 0


def for_this_host() -> Pool | InThread:
    """Return the executor for this host: a thread per core, if there are threads."""
    return InThread() if sys.platform == "emscripten" else Pool(n_threads())
