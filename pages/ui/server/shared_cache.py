"""A cache of results shared by sessions, bounded in bytes; sizes of objects."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from threading import Lock
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from pages.ui.server import script_queue

# Types whose values refer to no other object.
_PLAIN = {str, int, float, bool, bytes, type(None)}
# Estimated bytes per cell of a table with fewer cells than this.
CELL, _FEW = 64, 10_000


class Shared:
    """Finished results shared by all visitors: least recently used ones are evicted.

    Examples
    --------
    >>> import numpy as np
    >>> shared = Shared(max_bytes=10_000)
    >>> shared.put("a", np.zeros(1000)), shared.put("b", np.zeros(1000))
    (None, None)
    >>> shared.get("a") is None, shared.get("b").shape
    (True, (1000,))
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._lock = Lock()
        self._results: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._n_bytes = 0
        self._making: dict[Hashable, Lock] = {}

    def get(self, key: Hashable) -> Any:
        """Return a result, or None."""
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][0]

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result, unless it alone exceeds the limit."""
        size = n_bytes(result)
        with self._lock:
            if size > self.max_bytes:
                return
            _, former = self._results.pop(key, (None, 0))
            self._results[key] = (result, size)
            self._n_bytes += size - former
            while self._n_bytes > self.max_bytes:
                _, (_, oldest) = self._results.popitem(last=False)
                self._n_bytes -= oldest

    def get_or_make(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return a cached result, or compute it once while concurrent callers wait."""
        result = self.get(key)
        if result is not None:
            return result
        with self._lock:
            making = self._making.setdefault(key, Lock())
        if not making.acquire(blocking=False):
            with script_queue.scripts.released():
                making.acquire()
        try:
            result = self.get(key)
            if result is None:
                result = make()
                self.put(key, result)
            return result
        finally:
            making.release()
            with self._lock:
                self._making.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._results.clear()
            self._n_bytes = 0


def n_bytes(root: Any) -> int:
    """Estimate the memory of an object and everything it refers to, in bytes."""
    seen: set[int] = set()
    total, todo = 0, [root]
    while todo:
        value = todo.pop()
        if id(value) in seen or isinstance(value, type | ModuleType):
            continue
        seen.add(id(value))
        if type(value) in _PLAIN:
            total += sys.getsizeof(value)
            continue
        if hasattr(value, "memory_usage") and value.size < _FEW:  # pandas looks at every text
            total += CELL * value.size
            continue
        # A view keeps the whole array alive.
        base = getattr(value, "base", None)
        if base is not None and hasattr(base, "nbytes"):
            todo.append(base)
            continue
        total += max(sys.getsizeof(value, 64), int(getattr(value, "nbytes", 0) or 0))
        todo += _parts(value)
    return total


def _parts(value: Any) -> list[Any]:
    """Return the objects that an object refers to, including closures and bound arguments."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, MethodType):
        return [value.__self__]
    if isinstance(value, FunctionType):
        filled = [cell for cell in value.__closure__ or () if cell != CellType()]
        return [cell.cell_contents for cell in filled]
    return [vars(value)] if hasattr(value, "__dict__") else []
