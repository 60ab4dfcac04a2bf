"""Warnings captured where they are given: a list per thread, and the process's filters untouched.

In Python 3.11 `warnings.catch_warnings` acts on the process: of two threads that enter and leave
it in turn, the second one's leaving brings back what the first had changed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_captured: ContextVar[list[Warning] | None] = ContextVar("captured", default=None)


@contextmanager
def captured_warnings() -> Iterator[list[Warning]]:
    """Collect warnings given to `warn` in this thread instead of showing or raising them.

    Warnings of other packages go where they always go, to the filters of the process.

    Yields
    ------
    list of Warning
        Those of this thread so far, in order.

    Examples
    --------
    >>> with captured_warnings() as found:
    ...     warn("it rains")
    >>> [str(warning) for warning in found]
    ['it rains']
    """
    warned: list[Warning] = []
    before = _captured.set(warned)
    try:
        yield warned
    finally:
        _captured.reset(before)


def warn(message: str, category: type[Warning] = UserWarning, stacklevel: int = 1) -> None:
    """Warn as `warnings.warn` does, or whoever captures this thread's warnings."""
    warned = _captured.get()
    if warned is None:
        warnings.warn(message, category, stacklevel + 1)
    else:
        warned.append(category(message))
