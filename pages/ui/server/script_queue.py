"""Queue of script runs: one at a time, first come, first served.

What a click changes goes before pages that are opened, and parts of pages before whole ones: each
kind waits as if it had been asked for a little later, so that none waits forever.

Python runs one thread at a time. Twenty scripts that run at once hand the interpreter to each
other all the time, and everybody waits for all of them: a click that computes nothing takes 0.9 s
among twenty visitors, and 0.08 s where scripts take turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from threading import Event, Lock, local
from time import monotonic

from pages.ui.server import _compat

#: A script that takes longer than this goes on, and no longer keeps others from theirs: it fits,
#: reads a large file, or waits for something.
MOST_SECONDS = 0.25
#: Seconds by which others may have come later and are served all the same: none where a click
#: draws a part of a page, which takes a hundredth of a second.
CLICK, VISIT = 0.25, 2.0


class Turns:
    """One thread at a time, in the order in which they asked.

    Parameters
    ----------
    most_seconds : float
        After so long the next is let in beside the one whose turn it is.

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
        """True if it is the turn of the thread that asks."""
        own = getattr(self._own, "turn", None)
        return own is not None and own is self._called

    @property
    def asked_at(self) -> float:
        """Time at which the thread that asks queued up, by `time.monotonic`; now if it did not."""
        return getattr(self._own, "asked_at", None) or monotonic()

    @contextmanager
    def taken(self, patience: float = 0.0) -> Iterator[None]:
        """Wait for a turn and keep it for the block; within a turn of one's own, just go on.

        Who asks so many seconds later, and has no patience, is served first.
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
        """Let others go first for the block, which waits for something; then queue up again."""
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
            if self._called is turn:  # not where it took so long that the next was let in
                self._call_next()

    def _call_next(self) -> None:
        self._called = heappop(self._waiting)[-1] if self._waiting else None
        self._since = monotonic()
        if self._called is not None:
            self._called.set()


#: Of all visitors together.
scripts = Turns()


def let_scripts_take_turns() -> None:
    """Have every run of a script or a fragment on this server wait for its turn."""
    _compat.let_runs_wait(lambda run: scripts.taken(_patience(run)))


def _patience(run: _compat.ScriptRun) -> float:
    """Return how long what a visitor asked for may wait for others."""
    if run.is_fragment:
        return CLICK if run.is_automatic else 0.0  # it looks by itself how a job goes
    return CLICK if run.is_same_page else VISIT
