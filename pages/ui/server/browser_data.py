"""The last data sets of each browser, kept for a while after its sessions have ended.

A reload, or a second tab, is a new session. The server recognises the browser by a random cookie
that scripts cannot read and other sites cannot send. Without cookies nothing is kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from threading import RLock
from typing import Any

from starlette.requests import HTTPConnection

from pages.ui.server import _compat

#: Bytes per browser and in total; the oldest are evicted first.
BROWSER_BYTES, SERVER_BYTES = 100_000_000, 400_000_000
#: Data sets per browser.
MOST = 2
#: Time after the last visit.
MINUTES_KEPT = 30
SECONDS_KEPT = 60.0 * MINUTES_KEPT
#: Browsers reject the second one (with a `__Host-` prefix) without https.
COOKIE, SECURE_COOKIE = "lincore_browser", "__Host-lincore_browser"
#: The page requests this before it connects. Unlike the page itself, which a link on another site
#: may open, it is a same-site request, so an existing cookie is sent with it.
ASKED_FIRST = "/_stcore/host-config"
_TOKEN = re.compile(r"[\w-]{43}")


class BrowserData:
    """Values by browser and name, bounded in bytes and time; thread-safe.

    Parameters
    ----------
    browser_bytes, server_bytes : int
        Limits per browser and in total.
    seconds : float
        Lifetime after the last visit.
    clock : callable
        Returns seconds.

    Examples
    --------
    >>> kept = BrowserData(browser_bytes=10)
    >>> kept.put("me", "a.csv", "rows", 4)
    >>> kept.get("me"), kept.get("me", "a.csv"), kept.get("me", "b.csv"), kept.get("you")
    ('rows', 'rows', None, None)
    """

    def __init__(
        self,
        browser_bytes: int = BROWSER_BYTES,
        server_bytes: int = SERVER_BYTES,
        seconds: float = SECONDS_KEPT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.browser_bytes, self.server_bytes, self.seconds = browser_bytes, server_bytes, seconds
        self._clock = clock
        self._lock = RLock()
        self._values: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()
        self._n_connections: Counter[str] = Counter()
        self._left_at: dict[str, float] = {}

    def put(self, browser: str, name: str, value: Any, size: int) -> None:
        """Store a value of some bytes; the oldest are evicted, those of this browser first.

        Without a browser nothing is stored.
        """
        with self._lock:
            self.expire()
            self._values.pop((browser, name), None)
            if not browser or size > self.browser_bytes:
                return
            self._values[browser, name] = (value, size)
            self._left_at.setdefault(browser, self._clock())
            while len(own := self._names(browser)) > MOST or self._size(own) > self.browser_bytes:
                del self._values[own[0]]
            while self._size(self._values) > self.server_bytes:
                self._values.popitem(last=False)

    def get(self, browser: str, name: str = "") -> Any:
        """Return a value of a browser, without a name its last one; None if there is none."""
        with self._lock:
            self.expire()
            key = (browser, name) if name else next(reversed(self._names(browser)), None)
            if key is None or key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def forget(self, browser: str) -> None:
        """Forget everything of a browser."""
        with self._lock:
            for name in self._names(browser):
                del self._values[name]

    def enter(self, browser: str) -> None:
        """Note a connection of a browser: its values do not expire while it is connected."""
        with self._lock:
            self.expire()
            self._n_connections[browser] += 1

    def leave(self, browser: str) -> None:
        """Note that one connection of a browser has ended."""
        with self._lock:
            self._n_connections[browser] -= 1
            self._left_at[browser] = self._clock()

    def expire(self) -> None:
        """Forget expired values."""
        with self._lock:
            self._n_connections = +self._n_connections
            limit = self._clock() - self.seconds
            expired = [
                browser
                for browser, left_at in self._left_at.items()
                if left_at <= limit and browser not in self._n_connections
            ]
            for browser in expired:
                self.forget(browser)
                del self._left_at[browser]

    def _names(self, browser: str) -> list[tuple[str, str]]:
        return [name for name in self._values if name[0] == browser]

    def _size(self, names: Any) -> int:
        return sum(self._values[name][1] for name in names)


STORE = BrowserData()


def browser_of(cookies: Mapping[str, str]) -> str:
    """Return the identity of a browser, "" without our cookie.

    It is a digest of the cookie, which itself is not stored.
    """
    token = cookies.get(SECURE_COOKIE) or cookies.get(COOKIE) or ""
    return hashlib.sha256(token.encode()).hexdigest() if _TOKEN.fullmatch(token) else ""


def this_browser() -> str:
    """Return the identity of the browser of this session."""
    return browser_of(_compat.cookies())


class Browsers:
    """Middleware that gives each browser its cookie, and tracks connected browsers."""

    def __init__(
        self, app: Callable[..., Awaitable[None]], data: BrowserData | None = None
    ) -> None:
        self.app = app
        self.data = STORE if data is None else data

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Pass the request on to the app."""
        if scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        elif scope["type"] == "http" and scope["path"].endswith(ASKED_FIRST):
            await self.app(scope, receive, _naming(scope, send))
        else:
            await self.app(scope, receive, send)

    async def _visit(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        browser = browser_of(HTTPConnection(scope).cookies)
        if not browser:
            await self.app(scope, receive, send)
            return
        self.data.enter(browser)
        try:
            await self.app(scope, receive, send)
        finally:
            self.data.leave(browser)
            asyncio.get_running_loop().call_later(self.data.seconds + 1, self.data.expire)


def _naming(scope: MutableMapping[str, Any], send: Any) -> Any:
    """Return a `send` that gives the browser a cookie, unless it has one."""
    request = HTTPConnection(scope)
    forwarded = request.headers.get("x-forwarded-proto", "").split(",")[0].strip()
    is_secure = (forwarded or request.url.scheme) == "https"
    name = SECURE_COOKIE if is_secure else COOKIE
    if _TOKEN.fullmatch(request.cookies.get(name, "")):
        return send
    cookie = f"{name}={secrets.token_urlsafe(32)}; Path=/; HttpOnly; SameSite=Strict"
    header = (b"set-cookie", (cookie + "; Secure" * is_secure).encode())

    async def send_with_cookie(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            message["headers"] = [*message.get("headers", []), header]
        await send(message)

    return send_with_cookie
