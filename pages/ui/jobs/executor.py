"""Long work: jobs with progress and cancellation, and what runs them, in threads or at once.

Nothing here knows Streamlit: a worker thread has no session, and must not draw.
"""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable, Hashable
from threading import Condition, Event, Thread
from typing import Any

from lincore.errors import DataError
from lincore.utils import n_threads
from pages.ui.jobs.shared_cache import Shared, n_bytes
from pages.ui.server import logs, preload, script_queue

log = logging.getLogger(__name__)

#: How often a running job looks whether its visitor is still there.
SECONDS_BETWEEN_LOOKS = 1.0
#: A job lets scripts go first, but never waits much longer altogether than it has worked.
MOST_SECONDS_AHEAD = 0.5
#: How long a job runs before another may begin beside it.
SECONDS_ALONE = 5.0


class Progress:
    """Progress callback of a piece of work, which stops when the answer is False.

    Examples
    --------
    >>> def work(progress):
    ...     squares = []
    ...     for i in range(3):
    ...         if not progress(i, 3, f"square {i}"):
    ...             break
    ...         squares.append(i * i)
    ...         progress.keep(list(squares))
    ...     return squares
    >>> job = Job("squares", settings=3, work=work)
    >>> job.do()
    >>> job.result, job.reason
    ([0, 1, 4], 'finished')
    """

    def __init__(self, should_continue: Callable[[], bool], keep: Callable[[Any], None]) -> None:
        self.done = 0
        self.total = 0
        self.what = ""
        self.keep = keep
        self._should_continue = should_continue

    def __call__(self, done: int, total: int, what: str = "") -> bool:
        """Tell that `done` of `total` parts are finished and `what` comes next.

        Returns
        -------
        bool
            Whether to go on. After False the work returns what it has.
        """
        self.done, self.total, self.what = int(done), int(total), what
        return self._should_continue()

    @property
    def share(self) -> float:
        """Completed fraction, from 0 to 1."""
        return min(max(self.done / self.total, 0.0), 1.0) if self.total else 0.0


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
        work: Callable[[Progress], Any] | None,
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
        self._is_urgent = False
        self._waited = 0.0  # seconds in which it let scripts go first
        self._stop, self._over = Event(), Event()
        self._was_told = False
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
    def is_partial(self) -> bool:
        """True if the result is what had been finished when it was stopped, or is so far."""
        return self.result is not None and self.reason != "finished"

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
        """Wait until it is over, or for so long; return whether it is.

        Meanwhile it lets no page go first: the page that is being drawn waits for it, and other
        visitors' pages are drawn.
        """
        self._is_urgent = True
        script_queue.scripts.check_again()
        try:
            if self.is_over:
                return True
            with script_queue.scripts.released():
                return self._over.wait(seconds)
        finally:
            self._is_urgent = False

    def do(self) -> None:
        """Do the work, in the thread that calls this."""
        self.started = time.monotonic()
        try:
            self.reason = "stopped"
            if self._should_continue() and self._work is not None:
                result = self._work(self.progress)
                self.result = self.result if result is None else result
                # Asked too late to have been noticed, the work is whole all the same.
                self.reason = "stopped" if self._was_told else "finished"
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

    def do_here(self) -> None:
        """Do the work in the thread of a page that waits for it, and lets no other go first."""
        self._is_urgent = True
        self.do()

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

    def _let_scripts_pass(self) -> None:
        # Both want the interpreter: a script that has it half of the time takes twice as long.
        left = MOST_SECONDS_AHEAD + self.seconds - 2 * self._waited
        if left > 0 and not self._is_urgent:
            self._waited += script_queue.scripts.yield_to_rendering(left, lambda: self._is_urgent)

    def _should_continue(self) -> bool:
        self._look()
        self._let_scripts_pass()
        self._was_told = self._stop.is_set()
        return not self._was_told


class Pool:
    """At most `size` jobs at a time; whoever has fewest running is served first.

    A job begins beside another only where that has run for `seconds_alone`: fits of small data
    are Python for the most part, of which one thread runs at a time, and among fifty visitors two
    at once took a third more of the processor than one after the other.
    """

    def __init__(self, size: int, seconds_alone: float = SECONDS_ALONE) -> None:
        self.size = size
        self.seconds_alone = seconds_alone
        self._changed = Condition()
        self._waiting: list[Job] = []
        self._running: dict[Job, float] = {}
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
                job.do()
            finally:
                with self._changed:
                    del self._running[job]
                    self._changed.notify_all()

    def _next(self) -> Job | None:
        """Wait until a job may begin and return it; None where none is left."""
        with self._changed:
            while self._waiting and (left := self._seconds_until_room()) > 0:
                self._changed.wait(left)
            if not self._waiting:
                self._n_threads -= 1
                return None
            owners = [job.owner for job in self._running]
            # min takes the first of equals: first come, first served.
            chosen = min(self._waiting, key=lambda job: owners.count(job.owner))
            self._waiting.remove(chosen)
            self._running[chosen] = time.monotonic()
            return chosen

    def _seconds_until_room(self) -> float:
        latest = max(self._running.values(), default=-math.inf)
        return latest + self.seconds_alone - time.monotonic()


class Inline:
    """Does each job where it is asked for, on hosts without threads (a browser) and in tests."""

    def submit(self, job: Job) -> None:
        """Do a job; the page that asks waits for it."""
        job.do_here()

    def ahead(self, job: Job) -> int:
        """Count the jobs that a waiting one waits for: none waits."""
        return 0


def for_this_host() -> Pool | Inline:
    """Return what runs jobs here: a thread for each core, where there are threads."""
    return Inline() if sys.platform == "emscripten" else Pool(n_threads())
