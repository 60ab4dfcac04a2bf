"""Compression of Streamlit's scripts, which it sends as they are: 7 MB for a first visit."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]

#: A script or a style of Streamlit's own; its name holds a digest of its content.
ASSET = re.compile(r"(/[\w-]+)*/static/(js|css)/[\w.-]+\.(js|css)")
#: 4.7 MB take 0.1 s and become 1.4 MB; the highest level takes four times as long and saves 1 %.
LEVEL = 6
# Headers of a request for a part of a file, or for one that the browser may already have.
_PARTS = {b"range", b"if-range", b"if-none-match", b"if-modified-since"}


class Compressed:
    """Middleware that compresses each script once, and keeps it."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self._answers: dict[str, list[Message]] = {}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer from the stored scripts, or pass the request on to the app."""
        if not _wants_whole_asset(scope):
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        if path not in self._answers:
            messages: list[Message] = []

            async def keep(message: Message) -> None:
                messages.append(message)

            await self.app(scope, receive, keep)
            if messages[0].get("status") != 200:
                for message in messages:
                    await send(message)
                return
            self._answers[path] = await asyncio.to_thread(_compressed, messages)
        for message in self._answers[path]:
            await send(dict(message))


def _wants_whole_asset(scope: MutableMapping[str, Any]) -> bool:
    if scope["type"] != "http" or scope.get("method") != "GET":
        return False
    headers = {name.lower(): value for name, value in scope["headers"]}
    accepts = b"gzip" in headers.get(b"accept-encoding", b"")
    return accepts and not _PARTS & set(headers) and bool(ASSET.fullmatch(scope["path"]))


def _compressed(messages: list[Message]) -> list[Message]:
    """Return an answer with its content compressed, and headers that say so."""
    start, *rest = messages
    body = gzip.compress(b"".join(message.get("body", b"") for message in rest), LEVEL, mtime=0)
    dropped = {b"content-length", b"accept-ranges", b"etag"}
    headers = [
        *((name, value) for name, value in start["headers"] if name.lower() not in dropped),
        (b"content-encoding", b"gzip"),
        (b"content-length", str(len(body)).encode()),
        (b"vary", b"Accept-Encoding"),
    ]
    return [{**start, "headers": headers}, {"type": "http.response.body", "body": body}]
