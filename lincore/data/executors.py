"""Executors: a map over items and a tree of merges, in this process, joblib's or Dask's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

import joblib

from lincore.utils.threads import keep_to_one_core
from lincore.utils.workers import map_in_workers

Result = TypeVar("Result")
Merge = Callable[[Result, Result], Result]


class Executor(Protocol):
    """Applies a function to items, and merges the results pairwise, in order."""

    def fold(
        self,
        work: Callable[..., Result | None],
        merge: Merge[Result],
        items: Sequence[tuple[Any, ...]],
        watch: Callable[[int], None] | None = None,
    ) -> Result | None:
        """Return the merged results of ``work(*item)``; None if all are None."""
        # `watch` is passed to `work` if that runs in this process, and is called with the number of
        # rows read since the last call.
        ...


class JoblibExecutor:
    """The current process, or those requested by `joblib.parallel_config`.

    If a process dies, its work is done again.

    Examples
    --------
    >>> JoblibExecutor().fold(pow, lambda a, b: a + b, [(2, 2), (3, 2), (4, 2)])
    29
    """

    def fold(
        self,
        work: Callable[..., Result | None],
        merge: Merge[Result],
        items: Sequence[tuple[Any, ...]],
        watch: Callable[[int], None] | None = None,
    ) -> Result | None:
        """Return the merged results of ``work(*item)``; see `Executor`."""
        if len(items) > 1 and joblib.effective_n_jobs(None) > 1:
            return merge_tree(merge, _in_processes(work, items, watch))
        watched = work if watch is None else partial(work, watch=watch)
        return merge_tree(merge, (watched(*item) for item in items))


def _in_processes(
    work: Callable[..., Result | None],
    items: Sequence[tuple[Any, ...]],
    watch: Callable[[int], None] | None,
) -> Iterator[Result | None]:
    results = map_in_workers(_call, items, (work,), joblib.effective_n_jobs(None))
    for item, result in zip(items, results, strict=True):
        if watch is not None:
            watch(item[0].n_rows)
        yield result


def _call(item: tuple[Any, ...], work: Callable[..., Result]) -> Result:
    return work(*item)


class DaskExecutor:
    """The workers of a Dask cluster (``pip install lincore[distributed]``).

    An item may contain `dask.delayed` objects, which are computed on the worker. Workers also
    merge, so neither rows nor partial sums go through the scheduler. If a worker is lost, others
    do its work again.

    Parameters
    ----------
    client : distributed.Client
        Client of workers that have lincore installed. A task uses one core, so start one worker or
        worker thread per core.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def fold(
        self,
        work: Callable[..., Result | None],
        merge: Merge[Result],
        items: Sequence[tuple[Any, ...]],
        watch: Callable[[int], None] | None = None,
    ) -> Result | None:
        """Return the merged results of ``work(*item)``; see `Executor`."""
        import dask

        del watch
        # As a future it is passed between workers instead of being sent with every task.
        shared = self._client.submit(_identity, work, pure=False)
        task = dask.delayed(_on_one_core, pure=False)
        level = self._client.compute([task(shared, *item) for item in items])
        both = partial(_merged, merge)
        while len(level) > 1:
            pairs = self._client.map(both, level[:-1:2], level[1::2], pure=False)
            level = [*pairs, *level[len(level) // 2 * 2 :]]
        result: Result | None = level[0].result()
        return result


def _identity(work: Callable[..., Result]) -> Callable[..., Result]:
    return work


def _on_one_core(work: Callable[..., Result], *item: Any) -> Result:
    keep_to_one_core()
    return work(*item)


def _merged(merge: Merge[Result], former: Result | None, latter: Result | None) -> Result | None:
    if former is None or latter is None:
        return latter if former is None else former
    return merge(former, latter)


def merge_tree(merge: Merge[Result], results: Iterable[Result | None]) -> Result | None:
    """Merge results pairwise as they arrive, with at most one per level in memory."""
    # None is neutral.
    levels: list[tuple[int, Result | None]] = []
    for result in results:
        size = 1
        while levels and levels[-1][0] == size:
            result = _merged(merge, levels.pop()[1], result)
            size *= 2
        levels.append((size, result))
    merged: Result | None = None
    while levels:
        merged = _merged(merge, levels.pop()[1], merged)
    return merged
