"""Thread-parallel loops over blocks of rows, with single-threaded BLAS."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import parent_process
from threading import Lock
from typing import Any, TypeVar

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

_blas = Lock()

# Minimum number of rows of a part; maximum number of parts and threads.
PART_ROWS, MOST = 4096, 16
# Number of values above which threads are worthwhile.
WORTHWHILE = 500_000
# With at least this many features folds and classes are processed in parallel: below, Python's
# overhead dominates.
WIDE = 200


@contextmanager
def part_mapper(n_values: int) -> Iterator[Mapper]:
    """Yield a `map` over parts of the rows that is parallel if that is worthwhile."""
    # BLAS is limited to one thread meanwhile. Its own threads wait for each other in every product,
    # and products of blocks are small: if other processes need the cores, waiting takes longer than
    # computing.
    # The number of BLAS threads is a setting of the process: only one caller at a time changes it.
    if not n_values or not _blas.acquire(blocking=False):
        yield map
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            if n_values < WORTHWHILE or n_threads() == 1:
                yield map
            else:
                with ThreadPoolExecutor(n_threads()) as pool:
                    yield pool.map
    finally:
        _blas.release()


@cache
def _controller() -> ThreadpoolController:
    """Return the controller of BLAS threads (cached: finding it takes longer than a small fit)."""
    # Only loaded libraries are found; every caller has imported SciPy with its BLAS.
    return ThreadpoolController()


@cache
def n_threads() -> int:
    """Return the number of parallel threads: one for each core that this process may use.

    Returns
    -------
    int
        From 1 to 16.

    Examples
    --------
    >>> 1 <= n_threads() <= 16
    True
    """
    return min(int(cpu_count()), MOST)


@cache
def keep_to_one_core() -> None:
    """Limit this process to one core from now on; does nothing in the main process."""
    # Used in worker processes, which have one core each.
    if parent_process() is not None:
        os.environ["LOKY_MAX_CPU_COUNT"] = "1"
        n_threads.cache_clear()
        _controller().limit(limits=1, user_api="blas")


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Yield items while a thread fetches the next one; with a single core, just yield them.

    Worthwhile if fetching releases the GIL, as pandas' parser does.
    """
    if n_threads() == 1:
        yield from items
        return
    end: Any = object()
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield item


def parts_of(n_rows: int) -> list[range]:
    """Cut rows into the parts that are processed in parallel.

    Their number depends only on that of the rows, so the order of additions is always the same.
    """
    n_parts = 2
    while n_parts < MOST and n_rows >= 2 * n_parts * PART_ROWS:
        n_parts *= 2
    bounds = [n_rows * i // n_parts for i in range(n_parts + 1)]
    return [range(a, b) for a, b in zip(bounds, bounds[1:], strict=False) if b > a]
