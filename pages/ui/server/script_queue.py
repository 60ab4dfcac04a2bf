"""Queue of script runs: one at a time, in order of arrival.

Clicks have priority over newly opened pages, and fragments over whole pages: the others queue as if
they had arrived a little later, so none waits forever.

Python runs one thread at a time. Twenty concurrent scripts constantly pass the interpreter lock to
each other, and all of them finish late: a click that computes nothing takes 0.9 s among twenty
visitors, but 0.08 s if scripts take turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from threading import Event, Lock, local
from time import monotonic

from pages.ui.server import _compat

#: A script that takes longer than this continues, but no longer blocks the others: it fits a model,
#: reads a large file, or waits for something.
MOST_SECONDS = 0.25
#: Head start of other runs in seconds, by kind of run: none if a click redraws a fragment, which
#: takes 0.01 s.
CLICK, VISIT = 0.25, 2.0


class Turns:
    """Lets one thread run at a time, in order of arrival.

    Parameters
    ----------
    most_seconds : float
        After this time the next thread is admitted as well.

    Examples
    --------
    >>> turns = Turns()
    >>> with turns.taken():
    ...     turns.is_mine, turns.n_waiting
    (True, 0)
    >>> turns.is_mine
    False
    """

    def __init__(self, most_seconds: float = MOST_SECONDS) -> None:
        self.most_seconds = most_seconds
        self._changed = Lock()
        self._waiting: list[tuple[float, int, Event]] = []
        self._numbers = count()
        self._called: Event | None = None
        self._since = 0.0
        self._own = local()

    @property
    def n_waiting(self) -> int:
        """Number of threads that wait for their turn."""
        return len(self._waiting)

    @property
    def is_mine(self) -> bool:
        """True if it is the turn of the calling thread."""
        own = getattr(self._own, "turn", None)
        return own is not None and own is self._called

    @property
    def asked_at(self) -> float:
        """Time at which the calling thread queued, by `time.monotonic`; now if it did not."""
        return getattr(self._own, "asked_at", None) or monotonic()

    @contextmanager
    def taken(self, patience: float = 0.0) -> Iterator[None]:
        """Wait for a turn and keep it for the block; nested calls return at once.

        Others that arrive up to `patience` seconds later, with no patience of their own, go first.
        """
        if getattr(self._own, "turn", None) is not None:
            yield
            return
        self._own.asked_at = monotonic()
        self._take(patience)
        try:
            yield
        finally:
            self._own.asked_at = None
            self._give_back()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Give up the turn during the block, which waits for something; then queue again."""
        if getattr(self._own, "turn", None) is None:
            yield
            return
        self._give_back()
        try:
            yield
        finally:
            self._take()

    def _take(self, patience: float = 0.0) -> None:
        turn = Event()
        with self._changed:
            heappush(self._waiting, (monotonic() + patience, next(self._numbers), turn))
            if self._called is None:
                self._call_next()
        while not turn.wait(self.most_seconds):
            with self._changed:
                if monotonic() - self._since >= self.most_seconds:
                    self._call_next()
        self._own.turn = turn

    def _give_back(self) -> None:
        turn, self._own.turn = self._own.turn, None
        with self._changed:
            if self._called is turn:  # not if it took so long that the next was admitted
                self._call_next()

    def _call_next(self) -> None:
        self._called = heappop(self._waiting)[-1] if self._waiting else None
        self._since = monotonic()
        if self._called is not None:
            self._called.set()


#: The queue of all visitors.
scripts = Turns()


def let_scripts_take_turns() -> None:
    """Let every run of a script or a fragment on this server wait for its turn."""
    _compat.let_runs_wait(lambda run: scripts.taken(_patience(run)))


def _patience(run: _compat.ScriptRun) -> float:
    """Return the head start that others have over this run."""
    if run.is_fragment:
        return CLICK if run.is_automatic else 0.0  # a fragment on a timer, which polls a job
    return CLICK if run.is_same_page else VISIT
