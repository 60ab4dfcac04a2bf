"""The executor of a cluster: Dask distributed, whose client is given to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from lincore.distributed.executor import Executor
from lincore.utils.threads import keep_to_one_core

Result = TypeVar("Result")


class Dask(Executor):
    """The workers of a Dask cluster (``pip install lincore[distributed]``).

    Mapped results stay on the workers, so that rows are read once and passes go over what is in
    their memory (Dask spills to disk what does not fit). Merging is done by workers too: no row
    and no partial sum goes through the scheduler. What is lost with a worker is computed again by
    others.

    Parameters
    ----------
    client : distributed.Client
        Of workers that have lincore installed. Each task keeps to one core, so there should be a
        worker, or a thread of one, for each core.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Sequence[Any]:
        """Return futures of the results."""
        # As a result of its own it goes from worker to worker, instead of with every task.
        shared = self._client.submit(_same, work, pure=False)
        given = list(items)
        return list(self._client.map(_applied, [shared] * len(given), given, pure=False))

    def reduce(self, merge: Callable[[Result, Result], Result], mapped: Iterable[Any]) -> Result:
        """Merge on the workers, level by level, and fetch what is left."""
        level = list(mapped)
        if not level:
            raise ValueError("There is nothing to merge.")
        while len(level) > 1:
            pairs = self._client.map(merge, level[:-1:2], level[1::2], pure=False)
            level = [*pairs, *level[len(level) // 2 * 2 :]]
        result: Result = level[0].result()
        return result


def _same(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return work


def _applied(work: Callable[[Any], Any], item: Any) -> Any:
    keep_to_one_core()
    return work(item)
