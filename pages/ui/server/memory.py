"""Release of memory to the operating system when sessions have ended.

Streamlit keeps a session for two minutes after its connection was closed, for a visitor who comes
back, and forgets it when the next session ends, however late that is. What is free by then
is kept by the C library, in as many places as threads have asked for memory.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import platform
from collections.abc import Awaitable, Callable, MutableMapping
from threading import Lock, Thread
from typing import Any

from pages.ui.server import _compat, logs

log = logging.getLogger(__name__)

#: Streamlit's two minutes, and a little.
SECONDS_KEPT = 125.0
# Of glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
#: From so many bytes on an array has pages of its own, which go back as soon as it is free.
LARGE = 1 << 20

_tidying = Lock()


class Departures:
    """Middleware that tidies up when a visitor has gone and is not coming back."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self._visitors = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer as the app does; a websocket that is closed is a visitor who has gone."""
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
    """Forget sessions whose time is over, on the server's loop; give back what that frees."""
    _compat.forget_closed_sessions()
    if _tidying.acquire(blocking=False):  # ten who left together need it once
        Thread(target=_give_back, name="lincore-memory", daemon=True).start()


def keep_little() -> None:
    """Have the C library keep little of what is free; before threads begin to ask for memory."""
    libc = _glibc()
    if libc is not None:
        for option, value in (
            (M_ARENA_MAX, 2),
            (M_MMAP_THRESHOLD, LARGE),
            (M_TRIM_THRESHOLD, LARGE),
        ):
            libc.mallopt(option, value)


def trim() -> bool:
    """Give what is free back to the machine; return whether the C library can."""
    libc = _glibc()
    if libc is None:
        return False
    libc.malloc_trim(0)
    return True


def _give_back() -> None:
    try:
        gc.collect()
        trim()
    finally:
        _tidying.release()


def _glibc() -> ctypes.CDLL | None:
    if platform.libc_ver()[0] != "glibc":
        return None
    return ctypes.CDLL("libc.so.6")
