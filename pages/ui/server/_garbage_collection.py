"""Garbage collection between script runs, not after every run.

Streamlit collects all of it after each run of a script or a fragment: 10 to 50 ms in which nobody
is served, five times a second while one looks after a job. `.streamlit/config.toml` says no to
that. What pages leave behind, figures and tables that refer to themselves, is taken here instead.
"""

from __future__ import annotations

import gc
from threading import Event, Thread

#: How long garbage lies at most.
SECONDS = 5.0


class Collector:
    """Collects all garbage if things have been made since the last time."""

    def __init__(self) -> None:
        self._seen = -1

    def collect(self) -> bool:
        """Collect where there may be garbage; return whether that was so."""
        if _collections() == self._seen:
            return False
        gc.collect()
        self._seen = _collections()
        return True


def start() -> None:
    """Begin to collect in the background: once in a process, when its warm-up is over."""
    arguments = (Collector(), Event())
    Thread(target=collect_until, args=arguments, name="lincore-garbage", daemon=True).start()


def collect_until(collector: Collector, over: Event, pause: float = SECONDS) -> None:
    """Collect after each pause."""
    while not over.wait(pause):
        collector.collect()


def _collections() -> int:
    """Return how often Python has collected what is young: after hundreds of new objects."""
    return int(gc.get_stats()[0]["collections"])
