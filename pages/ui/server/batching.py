"""Batched delivery of page elements to Streamlit's event loop.

Not public API: where it is gone, Streamlit does as it did.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pages.ui.server import _compat

#: How long the elements of a page lie at most before they are sent. A script that ends, or waits
#: for something, keeps nothing back for longer.
SECONDS_HELD = 0.02


class Outbox:
    """Ordered calls of a script to the server's event loop, which is woken once for many.

    To wake it for each element costs a system call, a turn of the loop and, worst, the
    interpreter, which the script then has to wait for.

    Parameters
    ----------
    loop : asyncio.AbstractEventLoop
        Or what has its `call_soon`, `call_later` and `call_soon_threadsafe`.
    """

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._held: deque[Callable[[], None]] = deque()
        self._is_due = False

    def put(self, callback: Callable[[], None], *, at_once: bool) -> None:
        """Have the loop call something: now, with all that was put before, or within a moment."""
        self._held.append(callback)
        if at_once:
            self._loop.call_soon_threadsafe(self._empty)
        elif not self._is_due:
            self._is_due = True
            self._loop.call_soon_threadsafe(self._loop.call_later, SECONDS_HELD, self._empty)

    def _empty(self) -> None:
        self._is_due = False  # before: what is put from now on wakes the loop again
        while self._held:
            self._loop.call_soon(self._held.popleft())  # one that fails keeps no other


def send_in_batches() -> None:
    """Have the elements of every page on this server reach the loop through an `Outbox`."""
    _compat.send_through(Outbox)


class Stored(Mapping[str, Any]):
    """The state of a session, of which one looks up a key without making a copy of everything.

    Parameters
    ----------
    state : streamlit.runtime.state.SessionState
    copy : callable
        Makes the copy, for who wants all of it.
    """

    def __init__(self, state: Any, copy: Callable[[Any], Mapping[str, Any]]) -> None:
        self._state, self._copy = state, copy

    def __contains__(self, key: object) -> bool:
        """Tell whether the session holds a key."""
        return key in self._state

    def __getitem__(self, key: str) -> Any:
        """Return what it holds under a key."""
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        """Go through the keys of the copy."""
        return iter(self._copy(self._state))

    def __len__(self) -> int:
        """Count the keys of the copy."""
        return len(self._copy(self._state))


def look_up_one_key() -> None:
    """Spare every select box, number and slider a copy of all that the session holds."""
    _compat.look_up_through(Stored)
