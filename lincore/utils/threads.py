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

# Rows of one part at least, and the most parts and threads that there are.
PART_ROWS, MOST = 4096, 16
# Numbers in the rows from which on threads pay.
WORTHWHILE = 500_000


@contextmanager
def part_mapper(n_values: int) -> Iterator[Mapper]:
    """Yield what applies a function to the parts of the rows, at the same time if that pays.

    BLAS's own threads wait for each other in every product, and the products of blocks are small:
    many a time as long as they compute, when other processes want the cores too.
    """
    # How many threads BLAS uses is a setting of the whole process: one at a time may change it.
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
    """Return what sets the threads of BLAS: to look for it takes longer than a small study."""
    # SciPy's own BLAS, which must have been loaded to be found, comes with every module that asks.
    return ThreadpoolController()


@cache
def n_threads() -> int:
    """Return how many threads work at the same time: one for each core that this process may use.

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
    """Let this process use one core from now on; does nothing in the main process.

    Processes that work together have one core each.
    """
    if parent_process() is not None:
        os.environ["LOKY_MAX_CPU_COUNT"] = "1"
        n_threads.cache_clear()
        _controller().limit(limits=1, user_api="blas")


def read_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Yield items while a thread fetches the next one; with a single core they come as they are.

    Worth it where fetching leaves the interpreter free, as pandas' parser does.
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

    How many depends on the rows alone, so that sums are added in the same order on every machine.
    """
    number = 2
    while number < MOST and n_rows >= 2 * number * PART_ROWS:
        number *= 2
    bounds = [n_rows * i // number for i in range(number + 1)]
    return [range(a, b) for a, b in zip(bounds, bounds[1:], strict=False) if b > a]
