"""The two verbs of an executor, map and reduce, and the one that does both where it is called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")


class Executor(ABC):
    """Somebody who works on items and merges the results, here or elsewhere.

    What is mapped stays where it was made: only what is left of it after `reduce` comes back.
    """

    @abstractmethod
    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterable[Any]:
        """Return what stands for the results of the items; items of another `map` are such."""

    @abstractmethod
    def reduce(self, merge: Callable[[Result, Result], Result], mapped: Iterable[Any]) -> Result:
        """Merge mapped results by pairs, pairs of pairs and so on; both halves in order."""


@dataclass(frozen=True)
class ExecutorSteps(Iterable["Step"]):
    """Work on each of some items, which are gone through anew whenever this is.

    Items may be made as they are asked for, so that no more than one of them is in memory.
    """

    work: Callable[[Any], Any]
    items: Iterable[Any]

    def __iter__(self) -> Iterator[Step]:
        """Yield the steps."""
        return (Step(self.work, item) for item in self.items)


@dataclass(frozen=True)
class Step:
    """Work on an item, or on the result of another step, that is done when it is called."""

    work: Callable[[Any], Any]
    item: Any

    def __call__(self) -> Any:
        """Do it, and what it waits for."""
        return self.work(self.item() if isinstance(self.item, Step) else self.item)


class Inline(Executor):
    """The executor without others: one item after the other, in this process.

    Nothing is kept between two passes, so that no more than one block is in memory, and a pass
    may be over items that nobody has counted.

    Examples
    --------
    >>> one = Inline()
    >>> squares = one.map(lambda x: x * x, range(5))
    >>> one.reduce(lambda a, b: a + b, one.map(lambda x: x + 1, squares))
    35
    """

    def map(self, work: Callable[[Any], Any], items: Iterable[Any]) -> ExecutorSteps:
        """Return the steps that `reduce` is to go."""
        return ExecutorSteps(work, items)

    def reduce(self, merge: Callable[[Result, Result], Result], mapped: Iterable[Any]) -> Result:
        """Do the work and merge, as a tree."""
        return merge_tree(merge, (step() for step in mapped))


def merge_tree(merge: Callable[[Result, Result], Result], results: Iterable[Result]) -> Result:
    """Merge results by pairs as they arrive, holding at most one per level."""
    levels: list[tuple[int, Result]] = []
    for result in results:
        size = 1
        while levels and levels[-1][0] == size:
            result = merge(levels.pop()[1], result)
            size *= 2
        levels.append((size, result))
    if not levels:
        raise ValueError("There is nothing to merge.")
    _, merged = levels.pop()
    while levels:
        merged = merge(levels.pop()[1], merged)
    return merged
