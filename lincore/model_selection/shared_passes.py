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
        self._waiting: list[_Asked] = []
        self._running = 0
        self._over: BaseException | None = None

    def map(self, fit: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Return ``fit(item)`` of every item."""
        trim()
        self._running = len(items)
        with ThreadPoolExecutor(len(items)) as pool:
            found = [pool.submit(self._run, fit, item) for item in items]
            # In this thread, whose settings of joblib apply.
            self._serve()
        return [one.result() for one in found]

    def fold(
        self,
        work: Callable[[RowBlock], Any],
        merge: Callable[[Any, Any], Any],
        in_memory: Callable[[], Iterator[Any]],
    ) -> Any:
        """Wait for the next pass; return its merged results and those of rows in memory."""
        asked = _Asked(work, merge, in_memory, Future())
        with self._changed:
            if self._over is not None:
                raise self._over
            self._waiting.append(asked)
            self._changed.notify_all()
        trim()
        self._alone.release()
        try:
            return asked.answer.result()
        finally:
            self._alone.acquire()

    def _run(self, fit: Callable[[Item], Result], item: Item) -> Result:
        try:
            with self._alone:
                found = fit(item)
                trim()
                return found
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _serve(self) -> None:
        asked: list[_Asked] = []
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: len(self._waiting) == self._running)
                    asked, self._waiting = self._waiting, []
                if not asked:
                    return
                begun = []
                for one in asked:
                    try:
                        here = merge_tree(one.merge, one.in_memory())
                    except Exception as error:  # only this fit fails
                        one.answer.set_exception(error)
                    else:
                        begun.append((one, here))
                if not begun:
                    continue
                work = partial(_each_work, [one.work for one, _ in begun])
                merge = partial(_each_merge, [one.merge for one, _ in begun])
                found = self._blocks.fold(work, merge) or [None] * len(begun)
                for (one, here), streamed in zip(begun, found, strict=True):
                    one.answer.set_result(merge_tree(one.merge, [here, streamed]))
        except BaseException as error:
            with self._changed:
                self._over = error
                asked, self._waiting = [*asked, *self._waiting], []
            for one in asked:
                if not one.answer.done():
                    one.answer.set_exception(error)
            raise


class _Asked(NamedTuple):
    work: Callable[[RowBlock], Any]
    merge: Callable[[Any, Any], Any]
    in_memory: Callable[[], Iterator[Any]]
    answer: Future[Any]


def _each_work(works: Sequence[Callable[[RowBlock], Any]], block: RowBlock) -> list[Any]:
    return [work(block) for work in works]


def _each_merge(
    merges: Sequence[Callable[[Any, Any], Any]], one: list[Any], other: list[Any]
) -> list[Any]:
    return [merge(*pair) for merge, *pair in zip(merges, one, other, strict=True)]
