"""Server middleware: security headers, a quota on uploads, and what is kept for a browser.

Streamlit sends no security headers, limits the size of one upload and not the number of them, and
keeps each until its session ends. Both are put right by middleware, which `streamlit run` takes
from an `st.App`. The pages work without it.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import logging
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from functools import cache
from time import monotonic
from typing import Any

from starlette.middleware import Middleware

from lincore.limits import LIMITS
from pages.ui.server import _compat, browser_data, logs, memory

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Uploads that wait in memory: a file is set free as soon as it has been read.
SESSION_BYTES = 2 * LIMITS.max_file_bytes
SERVER_BYTES = 5 * LIMITS.max_file_bytes

UPLOAD = re.compile(r"/_stcore/upload_file/(?P<session>[^/]+)/(?P<file>[^/]+)$")
#: Community Cloud shows an app inside a frame of its own.
FRAMES = "'self' https://*.streamlit.app https://share.streamlit.io"
#: What the system says where a disk, or a share of it, is full.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
#: How many bytes of uploads are on their way, by session.
_coming: dict[str, int] = {}
#: When a browser asked where to put a file that has not begun to come, by session and file.
_announced: dict[tuple[str, str], float] = {}
#: A browser that has not begun by then has given it up.
SECONDS_ANNOUNCED = 20.0


def middleware() -> list[Middleware]:
    """Return what `st.App` is to put in front of the dashboard."""
    return [
        Middleware(SecurityHeaders),
        Middleware(UploadQuota),
        Middleware(browser_data.Browsers),
        Middleware(memory.Departures),
    ]


class SecurityHeaders:
    """Adds to every answer what a browser must not do with it.

    Nothing is loaded from elsewhere, whatever a column's name may say: images by address in a
    user's file would tell a third party who looks at it.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, with more headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower(): value for name, value in message["headers"]}
                more = dict(_headers())
                if b"html" in present.get(b"content-type", b""):
                    more[b"content-security-policy"] = _policy()
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in more.items() if name not in present),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class UploadQuota:
    """Refuses an upload when its session, or all together, already hold too much.

    Parameters
    ----------
    app : ASGI application
    session_bytes, server_bytes : int
        What one session, and all of them, may hold in the upload manager.
    """

    def __init__(
        self, app: App, session_bytes: int = SESSION_BYTES, server_bytes: int = SERVER_BYTES
    ) -> None:
        self.app = app
        self.session_bytes = session_bytes
        self.server_bytes = server_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on, or answer that it is too much."""
        upload = UPLOAD.search(scope.get("path", ""))
        if scope["type"] != "http" or scope.get("method") != "PUT" or upload is None:
            await self.app(scope, receive, send)
            return
        session, size = upload["session"], _content_length(scope)
        _announced.pop((session, upload["file"]), None)
        if size is None:
            await _refuse(send, 411, "An upload needs a Content-Length.")
        elif not self._fits(session, size):
            await _refuse(send, 413, "The server holds too many uploads at the moment.")
        else:
            _coming[session] = _coming.get(session, 0) + size
            try:
                await self.app(scope, receive, send)
            except OSError as error:
                if error.errno not in NO_ROOM:
                    raise
                # Starlette keeps what is over a megabyte in a file without a name as it comes.
                await _refuse(send, 507, "No space for uploads: the server's disk is full.")
            else:
                log.info("an upload came", extra=logs.fields(bytes=size))
            finally:
                _coming[session] = _coming.get(session, 0) - size
                if not _coming[session]:  # an empty file counts nothing, and may have gone first
                    del _coming[session]

    def _fits(self, session: str, size: int) -> bool:
        held = held_bytes()
        own = held.get(session, 0) + _coming.get(session, 0)
        everyone = sum(held.values()) + sum(_coming.values())
        return own + size <= self.session_bytes and everyone + size <= self.server_bytes


def is_sending(session: str) -> bool:
    """Return whether an upload of this session is on its way, or about to be."""
    return session in _coming or any(
        owner == session and monotonic() - since < SECONDS_ANNOUNCED
        for (owner, _), since in list(_announced.items())
    )


def hear_of_uploads() -> None:
    """Take down which files are about to come: a browser asks where to put them first."""
    _compat.announce_uploads(_announce)


def _announce(session: str, file_ids: Sequence[str]) -> None:
    now = monotonic()
    for former in [one for one, at in _announced.items() if now - at >= SECONDS_ANNOUNCED]:
        del _announced[former]
    _announced.update({(session, file_id): now for file_id in file_ids})


def held_bytes() -> dict[str, int]:
    """Return how many bytes of uploads each session holds."""
    return {
        session: sum(len(one.content) for one in files)
        for session, files in _compat.all_uploads().items()
    }


def _content_length(scope: Scope) -> int | None:
    found = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
    return int(found[0]) if len(found) == 1 and found[0].isdigit() else None


async def _refuse(send: Send, status: int, reason: str) -> None:
    log.warning(reason, extra=logs.fields(status=status))
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})


def _headers() -> list[tuple[bytes, bytes]]:
    return [
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        (b"cross-origin-opener-policy", b"same-origin-allow-popups"),
    ]


@cache
def _policy() -> bytes:
    rules = {
        "default-src": "'self'",
        # WebGL in Plotly writes its shaders' functions while it runs; Streamlit loads the script of
        # a component of ours from a blob that it makes itself.
        "script-src": f"'self' 'unsafe-eval' blob: {' '.join(_inline_scripts())}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' ws: wss: data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": FRAMES,
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items()).encode()


def _inline_scripts() -> list[str]:
    """Return the digests of the scripts in Streamlit's own page; if it is unknown, any may run."""
    page = _compat.index_page()
    if page is None:
        return ["'unsafe-inline'"]
    page = re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
