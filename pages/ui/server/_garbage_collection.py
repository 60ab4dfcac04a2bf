"""Garbage collection between script runs, not after every run.

Streamlit runs a full collection after each run of a script or a fragment: 10 to 50 ms in which
nobody is served, five times a second while a job is polled. `.streamlit/config.toml` turns that
off. The reference cycles that pages leave behind (figures, tables) are collected here instead.
"""

from __future__ import annotations

import gc
from threading import Event, Thread
from time import monotonic

#: Seconds between collections, and their largest share of the time: nobody is served meanwhile.
SECONDS, SHARE = 5.0, 0.02


class Collector:
    """Collects garbage if objects have been created since the last time."""

    def __init__(self) -> None:
        self._seen = -1

    def collect(self) -> bool:
        """Collect if there may be garbage; return whether there was."""
        if _collections() == self._seen:
            return False
        gc.collect()
        self._seen = _collections()
        return True


def start() -> None:
    """Start collecting in the background; called once per process, after its warm-up."""
    arguments = (Collector(), Event())
    Thread(target=collect_until, args=arguments, name="lincore-garbage", daemon=True).start()


def collect_until(collector: Collector, over: Event, pause: float = SECONDS) -> None:
    """Collect after each pause, which is longer after a collection that took long."""
    took = 0.0
    while not over.wait(max(pause, took / SHARE)):
        began = monotonic()
        collector.collect()
        took = monotonic() - began


def _collections() -> int:
    """Return the number of collections of the youngest generation so far."""
    return int(gc.get_stats()[0]["collections"])
