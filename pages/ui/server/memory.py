"""Return of memory to the operating system after sessions have ended.

Streamlit keeps a session for two minutes after its connection was closed, in case the visitor
returns, and forgets it only when another session ends. The C library keeps the freed memory in one
arena per thread that has allocated memory.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from threading import Lock, Thread
from typing import Any

from lincore.utils import glibc, trim
from pages.ui.server import _compat, _garbage_collection, logs

log = logging.getLogger(__name__)

#: Streamlit's two minutes, and a margin.
SECONDS_KEPT = 125.0
#: Visitors who leave within this time are tidied up after together.
SECONDS_TOGETHER = 20.0
# From malloc.h of glibc.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
#: Arrays of at least this size get their own memory map, which is returned when they are freed.
LARGE = 1 << 20

_tidying = Lock()


class Departures:
    """Middleware that frees memory when a visitor has left for good."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self._visitors = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Pass the request on to the app; a closed websocket is a visitor who has left."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        self._count(1)
        try:
            await self.app(scope, receive, send)
        finally:
            self._count(-1)
            asyncio.get_running_loop().call_later(SECONDS_KEPT, tidy)

    def _count(self, change: int) -> None:
        self._visitors += change
        came = "a visitor came" if change > 0 else "a visitor left"
        log.info(came, extra=logs.fields(visitors=self._visitors))


def tidy() -> None:
    """Forget expired sessions, on the event loop of the server; return the freed memory."""
    _compat.forget_closed_sessions()
    if _tidying.acquire(blocking=False):
        Thread(target=_give_back, name="lincore-memory", daemon=True).start()


def limit_free_memory() -> None:
    """Let the C library keep little free memory; to be called before threads allocate memory."""
    libc = glibc()
    if libc is not None:
        for option, value in (
            (M_ARENA_MAX, 2),
            (M_MMAP_THRESHOLD, LARGE),
            (M_TRIM_THRESHOLD, LARGE),
        ):
            libc.mallopt(option, value)


def _give_back() -> None:
    try:
        time.sleep(SECONDS_TOGETHER)
        _garbage_collection.collector.collect_all()
        trim()
    finally:
        _tidying.release()
