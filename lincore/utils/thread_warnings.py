"""Warnings captured per thread, where `warnings.catch_warnings` acts on the process.

In Python 3.11 the filters belong to the process. Of two threads that enter and leave
`catch_warnings` in turn, the second one's leaving brings back what the first had changed.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_captured: dict[int, list[Warning]] = {}
_outer: warnings.catch_warnings[None] | None = None
# Whoever was told before: never `_listen` itself, which another thread's `catch_warnings` may
# have kept and put back.
_pass_on: Any = warnings.showwarning


@contextmanager
def captured_warnings() -> Iterator[list[Warning]]:
    """Collect the warnings of this thread instead of showing or raising them.

    Yields
    ------
    list of Warning
        Those of this thread so far, in order.

    Examples
    --------
    >>> with captured_warnings() as said:
    ...     warnings.warn("it rains")
    >>> [str(warning) for warning in said]
    ['it rains']
    """
    me, said = threading.get_ident(), []  # type: tuple[int, list[Warning]]
    before = _enter(me, said)
    try:
        yield said
    finally:
        _leave(me, before)


def _enter(me: int, said: list[Warning]) -> list[Warning] | None:
    global _outer, _pass_on
    with _lock:
        if not _captured:
            _outer = warnings.catch_warnings()
            _outer.__enter__()
        if warnings.showwarning is not _listen:
            _pass_on = warnings.showwarning
            warnings.showwarning = _listen
        warnings.simplefilter("always")
        before = _captured.get(me)
        _captured[me] = said
        return before


def _leave(me: int, before: list[Warning] | None) -> None:
    global _outer
    with _lock:
        if before is None:
            del _captured[me]
        else:
            _captured[me] = before
        if not _captured and _outer is not None:
            _outer.__exit__(None, None, None)
            _outer = None
            if warnings.showwarning is _listen:
                warnings.showwarning = _pass_on


def _listen(message: Any, category: type[Warning], *place: Any, **settings: Any) -> None:
    said = _captured.get(threading.get_ident())
    if said is None:
        _pass_on(message, category, *place, **settings)
    else:
        said.append(message if isinstance(message, Warning) else category(message))
