"""Garbage collection between script runs, not after every run.

Streamlit runs a full collection after each run of a script or a fragment: 10 to 50 ms in which
nobody is served, five times a second while a job is polled. `.streamlit/config.toml` turns that
off. The reference cycles that pages leave behind (figures, tables) are collected here instead.

Most objects belong to modules and caches: after an hour with a class of students, a full collection
stops all visitors for 0.3 s. Therefore objects that survive a collection are left out of the next
ones, including those that Python starts by itself, and a full collection runs once a minute.
"""

from __future__ import annotations

import gc
from threading import Event, Lock, Thread
from time import monotonic

#: Seconds between collections of recent objects, and between those of all objects.
SECONDS, SECONDS_OF_ALL = 5.0, 60.0


class Collector:
    """Collects garbage if objects have been created since the last time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen = self._seen_by_all = -1
        self._time_of_all = monotonic()

    def collect(self) -> bool:
        """Collect if there may be garbage; return whether there was."""
        now = _collections()
        if now != self._seen_by_all and monotonic() >= self._time_of_all + SECONDS_OF_ALL:
            self.collect_all()
            return True
        if now == self._seen:
            return False
        with self._lock:
            gc.collect()
            gc.freeze()
            self._seen = now
        return True

    def collect_all(self) -> None:
        """Collect all garbage, however old."""
        with self._lock:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._seen = self._seen_by_all = _collections()
            self._time_of_all = monotonic()


#: The collector of this process.
collector = Collector()


def start() -> None:
    """Start collecting in the background; called once per process, after its warm-up."""
    arguments = (collector, Event())
    Thread(target=collect_until, args=arguments, name="lincore-garbage", daemon=True).start()


def collect_until(collector: Collector, over: Event, pause: float = SECONDS) -> None:
    """Collect after each pause."""
    while not over.wait(pause):
        collector.collect()


def _collections() -> int:
    """Return the number of collections of the youngest generation so far."""
    return int(gc.get_stats()[0]["collections"])
