"""Pages go first: work in threads waits a little while a page is being drawn.

Python runs one thread at a time. A study that begins while its page is still being drawn takes
turns with it, and the page, for which somebody waits, needs twice as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic


class Courtesy:
    """Knows how many pages are being drawn, and lets other threads wait for them.

    Examples
    --------
    >>> courtesy = Courtesy()
    >>> with courtesy.drawing():
    ...     waited = courtesy.let_pass(0.01)
    >>> waited >= 0.01, courtesy.let_pass(10.0) < 1.0
    (True, True)
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._drawn = 0

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Count a page as being drawn, for as long as the block lasts."""
        with self._changed:
            self._drawn += 1
        try:
            yield
        finally:
            with self._changed:
                self._drawn -= 1
                self._changed.notify_all()

    def look_again(self) -> None:
        """Let those who wait ask once more whether they are urgent."""
        with self._changed:
            self._changed.notify_all()

    def let_pass(self, seconds: float, is_urgent: Callable[[], bool] = lambda: False) -> float:
        """Wait while pages are being drawn, so many seconds at most; return how many it took.

        What `is_urgent` waits for nobody: the page may be waiting for it.
        """
        start = monotonic()
        with self._changed:
            self._changed.wait_for(lambda: not self._drawn or is_urgent(), seconds)
        return monotonic() - start


#: Of all visitors together.
pages = Courtesy()
