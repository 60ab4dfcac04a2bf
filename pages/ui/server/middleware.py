"""Server middleware: security headers, an upload quota, and the data kept for a browser.

Streamlit sends no security headers, limits the size but not the number of uploads, and keeps each
until its session ends. This middleware fixes both; `streamlit run` takes it from an `st.App`. The
pages work without it.
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
from pages.ui.server import _compat, browser_data, compression, logs, memory

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Limits for uploads in memory; a file is deleted as soon as it has been read.
SESSION_BYTES = 2 * LIMITS.max_file_bytes
SERVER_BYTES = 5 * LIMITS.max_file_bytes

UPLOAD = re.compile(r"/_stcore/upload_file/(?P<session>[^/]+)/(?P<file>[^/]+)$")
#: Community Cloud shows apps inside a frame.
FRAMES = "'self' https://*.streamlit.app https://share.streamlit.io"
#: Error numbers for a full disk or an exhausted disk quota.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
#: Bytes of uploads in transfer, by session.
_coming: dict[str, int] = {}
#: Time of the request for an upload URL for files not yet in transfer, by session and file.
_announced: dict[tuple[str, str], float] = {}
#: A browser that has not started the upload by then has given it up.
SECONDS_ANNOUNCED = 20.0


def middleware() -> list[Middleware]:
    """Return the middleware of the dashboard for `st.App`."""
    return [
        Middleware(SecurityHeaders),
        Middleware(compression.Compressed),
        Middleware(UploadQuota),
        Middleware(browser_data.Browsers),
        Middleware(memory.Departures),
    ]


class SecurityHeaders:
    """Adds security headers to every response.

    Nothing is loaded from other sites, whatever a column is called: image URLs in a user's file
    would tell a third party who views it.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the app, and add headers to the response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower(): value for name, value in message["headers"]}
                more = dict(_headers())
                if b"html" in present.get(b"content-type", b""):
                    more[b"content-security-policy"] = _policy()
                    more |= _preloaded()
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in more.items() if name not in present),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class UploadQuota:
    """Rejects an upload if its session, or all sessions together, already hold too much.

    Parameters
    ----------
    app : ASGI application
    session_bytes, server_bytes : int
        Limits per session and in total for the upload manager.
    """

    def __init__(
        self, app: App, session_bytes: int = SESSION_BYTES, server_bytes: int = SERVER_BYTES
    ) -> None:
        self.app = app
        self.session_bytes = session_bytes
        self.server_bytes = server_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on, or reject it."""
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
                # Starlette buffers uploads over a megabyte in an unnamed temporary file.
                await _refuse(send, 507, "No space for uploads: the server's disk is full.")
            else:
                log.info("an upload came", extra=logs.fields(bytes=size))
            finally:
                _coming[session] = _coming.get(session, 0) - size
                if not _coming[session]:  # an empty file may have removed it
                    del _coming[session]

    def _fits(self, session: str, size: int) -> bool:
        held = held_bytes()
        own = held.get(session, 0) + _coming.get(session, 0)
        everyone = sum(held.values()) + sum(_coming.values())
        return own + size <= self.session_bytes and everyone + size <= self.server_bytes


def is_sending(session: str) -> bool:
    """Return whether an upload of this session is in transfer or about to start."""
    return session in _coming or any(
        owner == session and monotonic() - since < SECONDS_ANNOUNCED
        for (owner, _), since in list(_announced.items())
    )


def note_announced_uploads() -> None:
    """Note announced files: a browser requests their upload URLs first."""
    _compat.announce_uploads(_announce)


def _announce(session: str, file_ids: Sequence[str]) -> None:
    now = monotonic()
    for former in [key for key, since in _announced.items() if now - since >= SECONDS_ANNOUNCED]:
        del _announced[former]
    _announced.update({(session, file_id): now for file_id in file_ids})


def held_bytes() -> dict[str, int]:
    """Return the bytes of uploads by session."""
    return {
        session: sum(len(upload.content) for upload in files)
        for session, files in _compat.all_uploads().items()
    }


def _content_length(scope: Scope) -> int | None:
    lengths = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
    return int(lengths[0]) if len(lengths) == 1 and lengths[0].isdigit() else None


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
def _preloaded() -> dict[bytes, bytes]:
    """Return the header that loads and parses Plotly, 4.7 MB, while the first run computes."""
    chunk = _compat.plotly_chunk()
    return {b"link": f"<./{chunk}>; rel=modulepreload".encode()} if chunk else {}


@cache
def _policy() -> bytes:
    rules = {
        "default-src": "'self'",
        # Plotly's WebGL code generates functions at run time; Streamlit loads the scripts of our
        # components from blobs.
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
    """Return the digests of the inline scripts of Streamlit's page; if unknown, allow any."""
    page = _compat.index_page()
    if page is None:
        return ["'unsafe-inline'"]
    page = re.sub(r"<!--.*?-->", "", page, flags=re.DOTALL)
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
