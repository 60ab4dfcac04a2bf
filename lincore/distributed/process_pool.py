"""The embedded executor: processes of this machine, one core each."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from types import TracebackType
from typing import Any, Self, TypeVar

from lincore.distributed.executor import Executor, ExecutorSteps, Step, merge_tree
from lincore.errors import DataError
from lincore.utils.threads import keep_to_one_core, n_threads

Result = TypeVar("Result")

#: So many times processes are started anew before a job is given up.
RESTARTS = 3
#: Imported once, before processes start.
PRELOADED = "lincore.distributed.partitioned_data"
# Results that wait to be merged, for each process.
AHEAD = 2


class ProcessPool(Executor):
    """Processes of this machine; the work of one that dies is repeated by others.

    Rows are read anew in every pass: a process keeps nothing. Results are merged here, as they
    come.

    Parameters
    ----------
    n_workers : int, optional
        Processes; one for each core where not given.
    """

    def __init__(self, n_workers: int | None = None) -> None:
        self._n_workers = n_threads() if n_workers is None else n_workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        """Return it; processes start with the first work."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let the processes end."""
        self._end()

    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> ExecutorSteps:
        """Return the steps that the processes are to go."""
        return ExecutorSteps(work, items)

    def reduce(self, merge: Callable[[Result, Result], Result], mapped: Iterable[Any]) -> Result:
        """Let the processes do the work, and merge their results.

        Raises
        ------
        DataError
            When processes die again and again.
        """
        return merge_tree(merge, self._results(mapped))

    def _results(self, steps: Iterable[Step]) -> Iterator[Any]:
        waiting = deque(steps)
        running: deque[tuple[Step, Future[Any]]] = deque()
        died = 0
        while waiting or running:
            try:
                while waiting and len(running) < AHEAD * self._n_workers:
                    running.append((waiting[0], self._started().submit(waiting[0])))
                    waiting.popleft()
                result = running[0][1].result()
            except BrokenProcessPool as error:
                died += 1
                if died > RESTARTS:
                    raise DataError(
                        f"The processes died {died} times, the last time with: {error}",
                        where="process pool",
                        remedy="Make the partitions smaller: there may be too little memory.",
                    ) from error
                waiting.extendleft(step for step, _ in reversed(running))
                running.clear()
                self._end()
                continue
            running.popleft()
            yield result

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._n_workers, mp_context=_context(), initializer=keep_to_one_core
            )
        return self._pool

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _context() -> BaseContext:
    """Return how processes start: never by fork, which would lose this one's threads."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # Copies of one that has imported what they need.
    context.set_forkserver_preload([PRELOADED])
    return context
