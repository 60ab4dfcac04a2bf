"""Several fits that share passes over blocks: a file is read once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Condition, Lock
from typing import Any, NamedTuple, TypeVar

from lincore.data.blocks import Blocks, RowBlock
from lincore.data.executors import merge_tree
from lincore.utils.memory import trim

Item = TypeVar("Item")
Result = TypeVar("Result")


class SharedPasses:
    """Runs fits in threads; when every one of them waits for a pass, one pass serves all."""

    # To save memory, one fit works at a time between passes, and returns freed memory to the system
    # before the next one continues. The calling thread does the work of passes.

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._changed = Condition()
        self._alone = Lock()
        self._waiting: list[_PassRequest] = []
        self._running = 0
        self._error: BaseException | None = None

    def map(self, fit: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Return ``fit(item)`` of every item."""
        trim()
        self._running = len(items)
        with ThreadPoolExecutor(len(items)) as pool:
            futures = [pool.submit(self._run, fit, item) for item in items]
            # In this thread, whose settings of joblib apply.
            self._serve()
        return [future.result() for future in futures]

    def fold(
        self,
        work: Callable[[RowBlock], Any],
        merge: Callable[[Any, Any], Any],
        in_memory: Callable[[], Iterator[Any]],
    ) -> Any:
        """Wait for the next pass; return its merged results and those of rows in memory."""
        request = _PassRequest(work, merge, in_memory, Future())
        with self._changed:
            if self._error is not None:
                raise self._error
            self._waiting.append(request)
            self._changed.notify_all()
        trim()
        self._alone.release()
        try:
            return request.answer.result()
        finally:
            self._alone.acquire()

    def _run(self, fit: Callable[[Item], Result], item: Item) -> Result:
        try:
            with self._alone:
                result = fit(item)
                trim()
                return result
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _serve(self) -> None:
        requests: list[_PassRequest] = []
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: len(self._waiting) == self._running)
                    requests, self._waiting = self._waiting, []
                if not requests:
                    return
                active = []
                for request in requests:
                    try:
                        in_memory = merge_tree(request.merge, request.in_memory())
                    except Exception as error:  # only this fit fails
                        request.answer.set_exception(error)
                    else:
                        active.append((request, in_memory))
                if not active:
                    continue
                work = partial(_apply_each, [request.work for request, _ in active])
                merge = partial(_merge_each, [request.merge for request, _ in active])
                results = self._blocks.fold(work, merge) or [None] * len(active)
                for (request, in_memory), streamed in zip(active, results, strict=True):
                    request.answer.set_result(merge_tree(request.merge, [in_memory, streamed]))
        except BaseException as error:
            with self._changed:
                self._error = error
                requests, self._waiting = [*requests, *self._waiting], []
            for request in requests:
                if not request.answer.done():
                    request.answer.set_exception(error)
            raise


class _PassRequest(NamedTuple):
    work: Callable[[RowBlock], Any]
    merge: Callable[[Any, Any], Any]
    in_memory: Callable[[], Iterator[Any]]
    answer: Future[Any]


def _apply_each(works: Sequence[Callable[[RowBlock], Any]], block: RowBlock) -> list[Any]:
    return [work(block) for work in works]


def _merge_each(
    merges: Sequence[Callable[[Any, Any], Any]], left: list[Any], right: list[Any]
) -> list[Any]:
    return [merge(*pair) for merge, *pair in zip(merges, left, right, strict=True)]
