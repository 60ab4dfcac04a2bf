"""Warnings captured per thread, without changing the filters of the process.

In Python 3.11 `warnings.catch_warnings` changes the filters of the whole process: if two threads
overlap, the one that leaves last may restore the filters that the other had set.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_captured: ContextVar[list[Warning] | None] = ContextVar("captured", default=None)


@contextmanager
def captured_warnings() -> Iterator[list[Warning]]:
    """Collect the warnings that this thread passes to `warn`, instead of showing or raising them.

    Warnings of other packages go to the filters of the process as usual.

    Yields
    ------
    list of Warning
        The warnings of this thread so far, in order.

    Examples
    --------
    >>> with captured_warnings() as warned:
    ...     warn("it rains")
    >>> [str(warning) for warning in warned]
    ['it rains']
    """
    warned: list[Warning] = []
    token = _captured.set(warned)
    try:
        yield warned
    finally:
        _captured.reset(token)


def warn(message: str, category: type[Warning] = UserWarning, stacklevel: int = 1) -> None:
    """Warn as `warnings.warn` does, or add to the list of `captured_warnings`."""
    warned = _captured.get()
    if warned is None:
        warnings.warn(message, category, stacklevel + 1)
    else:
        warned.append(category(message))
