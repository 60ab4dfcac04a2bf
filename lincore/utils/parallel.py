"""Parallel execution of many small tasks, with progress and cancellation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lincore.errors import DataError
from lincore.utils.threads import n_threads
from lincore.utils.typing import Progress

# Pieces between two looks at the clock.
_CHUNK = 64
_MOST_WORKERS = 8


def over_cores(
    work: Callable[[int], None], count: int, what: str, progress: Progress | None = None
) -> None:
    """Call ``work(0)`` to ``work(count - 1)``, in threads and in no certain order.

    Threads, not processes: what decodes images lets go of the interpreter, and a process would
    start the dashboard again.
    """
    stop = threading.Event()

    def chunk(first: int) -> None:
        for i in range(first, min(first + _CHUNK, count)):
            if stop.is_set():
                return
            work(i)

    with ThreadPoolExecutor(min(n_threads(), _MOST_WORKERS), "decode") as pool:
        futures = [pool.submit(chunk, first) for first in range(0, count, _CHUNK)]
        try:
            for i, future in enumerate(futures):
                if progress is not None and progress(i * _CHUNK, count, what) is False:
                    raise stopped()
                future.result()
        finally:
            # With nothing left to do this changes nothing.
            stop.set()
            pool.shutdown(cancel_futures=True)
    if progress is not None and progress(count, count, what) is False:
        raise stopped()


def stopped() -> DataError:
    """Return the error that says that the user stopped."""
    return DataError("Reading was stopped.", remedy="Load the file again.")
