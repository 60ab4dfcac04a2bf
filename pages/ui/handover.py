"""What a script draws is handed to the server's loop in batches, not element by element.

Streamlit wakes the loop for each of the hundred messages of a page. A thread that wakes another
gives the interpreter away and waits until it comes back: a quarter of the time in which a page is
drawn, half of it where figures come from a cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial, wraps
from threading import Lock
from typing import Any

#: Seconds that a message waits at most for others: nobody sees so short a while, and a browser that
#: draws parts of a page while the rest is made takes time from both where they share a machine.
PAUSE = 0.1

Call = Callable[[], Any]


class Batches:
    """Calls for an event loop, made in the order in which they came, several at a time.

    Parameters
    ----------
    tell : callable
        ``tell(call)`` has the loop make a call as soon as it can; from any thread.
    pause : float
        Seconds from the first call of a batch until the loop makes them all.
    """

    def __init__(self, tell: Callable[[Call], Any], pause: float = PAUSE) -> None:
        self._tell = tell
        self._pause = pause
        self._lock = Lock()
        self._open: list[Call] = []

    def add(self, call: Call) -> None:
        """Leave a call to the batch that is open."""
        with self._lock:
            batch = self._open
            batch.append(call)
            is_first = len(batch) == 1
        if is_first:
            self._tell(partial(self._begin, batch))

    def close(self) -> None:
        """Have the loop make the batch that is open, before whatever it is told next."""
        with self._lock:
            batch, self._open = self._open, []
        if batch:
            self._tell(partial(_make, batch))

    def _begin(self, batch: list[Call]) -> None:
        asyncio.get_running_loop().call_later(self._pause, self._end, batch)

    def _end(self, batch: list[Call]) -> None:
        # Not what came after it was closed, which is for later.
        with self._lock:
            if self._open is batch:
                self._open = []
        _make(batch)


def _make(batch: list[Call]) -> None:
    calls = batch.copy()
    batch.clear()
    for call in calls:
        try:
            call()
        except Exception as error:  # as the loop does with each that it is told by itself
            asyncio.get_running_loop().call_exception_handler(
                {"message": "A message of a script was not sent.", "exception": error}
            )


def in_batches() -> None:
    """Let sessions of this server hand over in batches what their scripts draw."""
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.scriptrunner import ScriptRunnerEvent

    names = ("_on_scriptrunner_event", "_handle_scriptrunner_event_on_event_loop")
    if not all(hasattr(AppSession, name) for name in (*names, "_call_soon_on_event_loop")):
        return  # not public API: where it is gone, pages are drawn more slowly
    each = AppSession._on_scriptrunner_event
    if hasattr(each, "__wrapped__"):
        return  # app.py was read again

    @wraps(each)
    def on_event(session: Any, sender: Any, event: Any, *args: Any, **named: Any) -> None:
        batches = vars(session).get("lincore_batches")
        if batches is None:
            batches = session.lincore_batches = Batches(session._call_soon_on_event_loop)
        if event is not ScriptRunnerEvent.ENQUEUE_FORWARD_MSG:
            batches.close()  # a run begins or ends: what was drawn until then comes first
            each(session, sender, event, *args, **named)
            return
        handle = session._handle_scriptrunner_event_on_event_loop
        batches.add(partial(handle, sender, event, *args, **named))

    AppSession._on_scriptrunner_event = on_event  # type: ignore[method-assign]
