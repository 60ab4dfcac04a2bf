"""Work in other processes by joblib: on this machine, or wherever its backend has workers."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from lincore.errors import DataError
from lincore.utils.threads import keep_to_one_core

# Number of times that work is repeated after a process has died.
RESTARTS = 3


def map_in_workers(
    work: Callable[..., Any], items: Iterable[Any], shared: Sequence[Any], n_jobs: int
) -> Iterator[Any]:
    """Yield ``work(item, *shared)`` of each item in order; to stop, leave the loop."""
    # Items are drawn on demand, and those of a process that died are repeated; `DataError` if
    # processes die repeatedly. Warnings are shown in this process, each only once.
    from sklearn.utils.parallel import Parallel, delayed  # takes long to import

    items, sent, shown = iter(items), deque[Any](), dict[Any, Any]()

    def calls(again: list[Any]) -> Iterator[Any]:
        yield from (delayed(_watched)(work, item, *shared) for item in again)
        for item in items:
            sent.append(item)
            yield delayed(_watched)(work, item, *shared)

    for restart in range(RESTARTS + 1):
        workers = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)
        results = workers(calls([*sent]))
        try:
            for result, warned in results:
                sent.popleft()
                for message, category, filename, line in warned:
                    warnings.warn_explicit(message, category, filename, line, registry=shown)
                yield result
            return
        except (BrokenProcessPool, CancelledError) as error:  # Dask: its result went with a worker
            if restart == RESTARTS:
                raise DataError(
                    f"Worker processes died {restart + 1} times.",
                    remedy="Use fewer of them (n_jobs): there may be too little memory.",
                ) from error
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns about results that were not fetched
                results.close()


def _watched(work: Callable[..., Any], *arguments: Any) -> tuple[Any, list[Any]]:
    """Run in a worker; return the result, and the warnings to show."""
    keep_to_one_core()
    with warnings.catch_warnings(record=True) as warned:
        result = work(*arguments)
    return result, [
        (warning.message, warning.category, warning.filename, warning.lineno) for warning in warned
    ]
