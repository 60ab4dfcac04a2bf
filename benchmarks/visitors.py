"""Visitors without a browser: they speak Streamlit's protocol over a websocket, and click.

A visitor keeps what a browser would keep: the widgets that stand on the page, the messages that it
need not be sent again, and the fragments that rerun by themselves while a job goes on.

The messages are those of `streamlit.proto`, which Streamlit does not promise to keep: there is no
other way to speak as a browser does. Where they change this benchmark ends, and no page.
"""

from __future__ import annotations

import asyncio
import re
import time
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

#: Runs of a script for which a browser keeps a message that it was not sent again.
MOST_AGE = 2
#: Seconds without an answer after which a visitor has been turned away.
PATIENCE = 60.0
KEY = re.compile(r"\$\$ID-\w+-(.+)$")


class TurnedAwayError(Exception):
    """The server did not let a visitor in, closed the connection or did not answer."""


class Widget(NamedTuple):
    """A widget on the page: its id, its kind, what may be chosen, its fragment, its place."""

    id: str
    kind: str
    options: tuple[str, ...]
    fragment: str
    place: tuple[int, ...]


class Taken(NamedTuple):
    """Seconds until a script had finished and until all work had; messages and bytes till then."""

    finished: float
    settled: float
    n_messages: int
    n_bytes: int


class Page:
    """The page as a browser knows it from the messages received."""

    def __init__(self) -> None:
        self.session = ""
        self.pages: dict[str, str] = {}
        self.page = ""
        self.widgets: dict[str, Widget] = {}
        self.failures: list[str] = []
        self.repeats: dict[str, float] = {}  # seconds between reruns of a fragment
        self.cached: dict[str, int] = {}  # runs since each message was of use
        self.is_finished = asyncio.Event()
        self.upload_places: asyncio.Queue[Any] = asyncio.Queue()
        self._tabs = ""
        self._drawing: set[str] = set()  # fragments that are being drawn; none for a whole page
        self._drawn: set[str] = set()  # keys that this run has sent
        self._blocks: dict[tuple[int, ...], str] = {}  # the fragment of each, by place

    def receive(self, message: ForwardMsg) -> None:
        """Take in one message."""
        kind = message.WhichOneof("type")
        if message.metadata.cacheable or kind == "ref_hash":
            self.cached[message.ref_hash or message.hash] = 0
        if kind == "delta":
            self._draw(message.delta, tuple(message.metadata.delta_path))
        elif kind == "new_session":
            self.session = message.new_session.initialize.session_id
            self._drawing = set(message.metadata.run.fragment_ids)
            self._drawn.clear()
            if not self._drawing:
                self.repeats.clear()
        elif kind == "navigation":
            pages = message.navigation.app_pages
            self.pages = {one.url_pathname or "start": one.page_script_hash for one in pages}
            self.page = message.navigation.page_script_hash
        elif kind == "file_urls_response":
            self.upload_places.put_nowait(message.file_urls_response.file_urls[0])
        elif kind == "auto_rerun":
            self.repeats[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for one in message.stop_auto_rerun.fragment_ids:
                self.repeats.pop(one, None)
        elif kind == "script_finished":
            self._end(message.script_finished)

    def _end(self, status: int) -> None:
        if status == ForwardMsg.FINISHED_SUCCESSFULLY:
            self.cached = {one: age + 1 for one, age in self.cached.items() if age < MOST_AGE}
        if status == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
            for key in [one for one, widget in self.widgets.items() if self._is_gone(one, widget)]:
                del self.widgets[key]
        if status != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.is_finished.set()

    def _is_gone(self, key: str, widget: Widget) -> bool:
        """Return whether a widget stood in the fragment that was drawn, and was not drawn again."""
        within = (self._blocks.get(widget.place[:depth]) for depth in range(len(widget.place)))
        return key not in self._drawn and not self._drawing.isdisjoint([widget.fragment, *within])

    def _draw(self, delta: Any, place: tuple[int, ...]) -> None:
        if delta.WhichOneof("type") == "add_block":
            self._blocks[place] = delta.fragment_id
            self._open(delta.add_block, delta.fragment_id, place)
            return
        kind = delta.new_element.WhichOneof("type") or "empty"
        part = getattr(delta.new_element, kind)
        if kind == "exception":
            self.failures.append(part.message)
        elif getattr(part, "id", ""):
            options = getattr(part, "options", ())
            names = [
                one if isinstance(one, str) else getattr(one, "content", "") for one in options
            ]
            self._meet(part.id, kind, names, delta.fragment_id, place)

    def _open(self, block: Any, fragment: str, place: tuple[int, ...]) -> None:
        kind = block.WhichOneof("type")
        if kind == "tab_container" and block.tab_container.id:
            self._tabs = self._meet(block.tab_container.id, "tabs", [], fragment, place)
        elif kind == "tab" and self._tabs:
            tabs = self.widgets[self._tabs]
            self.widgets[self._tabs] = tabs._replace(options=(*tabs.options, block.tab.label))

    def _meet(
        self, name: str, kind: str, options: list[str], fragment: str, place: tuple[int, ...]
    ) -> str:
        found = KEY.search(name)
        key = found[1] if found else name
        self.widgets[key] = Widget(name, kind, tuple(options), fragment, place)
        self._drawn.add(key)
        return key


def head(cookies: dict[str, str]) -> dict[str, str]:
    """Return the header that shows a server the cookies that it has given."""
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}


class Visitor:
    """One session.

    Parameters
    ----------
    address : str
        Of the server.
    marker : re.Pattern, optional
        What marks the data of any visitor; what it finds in a message must be `own`.
    own : bytes
        The mark of this visitor's data.
    stays : float
        Seconds after which a visitor no longer waits for a job to end.
    """

    def __init__(
        self,
        address: str,
        marker: re.Pattern[bytes] | None = None,
        own: bytes = b"",
        stays: float = np.inf,
    ) -> None:
        self.address = address
        self.seen = Page()
        self.foreign: set[bytes] = set()
        self._marker, self._own, self._stays = marker, own, stays
        self._states: dict[str, WidgetState] = {}
        self._n_messages = self._n_bytes = 0
        self._socket: ClientConnection | None = None
        self._listening: asyncio.Task[None] | None = None
        self._cookies: dict[str, str] = {}

    async def enter(self) -> Taken:
        """Open the first page."""
        start = time.perf_counter()
        try:
            self._cookies = await asyncio.to_thread(self._load)
            self._socket = await connect(
                f"ws://{urlsplit(self.address).netloc}/_stcore/stream",
                subprotocols=["streamlit"],  # type: ignore[list-item]
                compression=None,
                max_size=None,
                ping_interval=None,
                open_timeout=PATIENCE,
                additional_headers=head(self._cookies),
            )
        except (OSError, WebSocketException) as error:
            raise TurnedAwayError(f"at the door: {error!r}") from error
        self._listening = asyncio.create_task(self._listen(self._socket))
        return await self._run(start, BackMsg())

    async def leave(self) -> None:
        """Close the connection, as a closed tab does."""
        if self._socket is not None:
            await self._socket.close()
        if self._listening is not None:
            await self._listening

    async def visit(self, page: str) -> Taken:
        """Go to a page, named as in its address."""
        self.seen.page = self.seen.pages[page]
        self.seen.widgets.clear()
        self._states.clear()
        return await self._run(time.perf_counter(), BackMsg())

    async def choose(self, key: str, option: str) -> Taken:
        """Choose from a select box, from buttons or tabs."""
        widget = self.seen.widgets[key]
        state = WidgetState(id=widget.id)
        if widget.kind == "button_group":
            state.string_array_value.data.append(option)
        else:
            state.string_value = option
        return await self._change(widget, state)

    async def switch(self, key: str, on: bool) -> Taken:
        """Switch a toggle."""
        widget = self.seen.widgets[key]
        return await self._change(widget, WidgetState(id=widget.id, bool_value=on))

    async def press(self, key: str) -> Taken:
        """Press a button."""
        widget = self.seen.widgets[key]
        taken = await self._change(widget, WidgetState(id=widget.id, trigger_value=True))
        return taken

    async def upload(self, name: str, content: bytes) -> Taken:
        """Upload a file through the uploader of the page."""
        start = time.perf_counter()
        uploaders = (one for one in self.seen.widgets.values() if one.kind == "file_uploader")
        widget = next(uploaders)
        asked = BackMsg()
        asked.file_urls_request.request_id = name
        asked.file_urls_request.file_names.append(name)
        asked.file_urls_request.session_id = self.seen.session
        await self._send(asked)
        place = await asyncio.wait_for(self.seen.upload_places.get(), PATIENCE)
        await asyncio.to_thread(self._put, place.upload_url, name, content)
        state = WidgetState(id=widget.id)
        state.file_uploader_state_value.uploaded_file_info.add(
            name=name, size=len(content), file_id=place.file_id, file_urls=place
        )
        return await self._change(widget, state, start)

    def _load(self) -> dict[str, str]:
        """Fetch the page itself; return the cookies: a visitor's name, and a token for uploads."""
        cookies: dict[str, str] = {}
        for path in ("", "/_stcore/health"):
            asked = Request(self.address + path, headers=head(cookies))
            with urlopen(asked, timeout=PATIENCE) as page:
                page.read()
                given = page.headers.get_all("Set-Cookie", [])
            cookies |= dict(one.split(";")[0].split("=", 1) for one in given)
        return cookies

    def _put(self, path: str, name: str, content: bytes) -> None:
        opening = (
            f'--part\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        headers = {
            "Content-Type": "multipart/form-data; boundary=part",
            **head(self._cookies),
            "X-Xsrftoken": self._cookies.get("_streamlit_xsrf", ""),
        }
        body = opening.encode() + content + b"\r\n--part--\r\n"
        request = Request(self.address + path, body, headers, method="PUT")
        try:
            with urlopen(request, timeout=PATIENCE):
                pass
        except OSError as error:
            raise TurnedAwayError(f"with an upload: {error!r}") from error

    async def _change(
        self, widget: Widget, state: WidgetState, start: float | None = None
    ) -> Taken:
        message = BackMsg()
        message.rerun_script.fragment_id = widget.fragment
        message.rerun_script.widget_states.widgets.extend(
            [*(one for one in self._states.values() if one.id != state.id), state]
        )
        if state.WhichOneof("value") not in ("trigger_value", "file_uploader_state_value"):
            self._states[state.id] = state
        return await self._run(start or time.perf_counter(), message)

    async def _run(self, start: float, message: BackMsg) -> Taken:
        self._n_messages = self._n_bytes = 0
        await self._send(message)
        await self._until_finished()
        finished = time.perf_counter() - start
        while self.seen.repeats and time.perf_counter() - start < self._stays:
            fragment, pause = min(self.seen.repeats.items(), key=lambda item: item[1])
            await asyncio.sleep(pause)
            again = BackMsg()
            again.rerun_script.fragment_id = fragment
            again.rerun_script.is_auto_rerun = True
            await self._send(again)
            await self._until_finished()
        settled = time.perf_counter() - start
        return Taken(finished, settled, self._n_messages, self._n_bytes)

    async def _send(self, message: BackMsg) -> None:
        assert self._socket is not None
        if message.WhichOneof("type") != "file_urls_request":
            message.rerun_script.page_script_hash = self.seen.page
            message.rerun_script.cached_message_hashes.extend(self.seen.cached)
            message.rerun_script.context_info.timezone = "UTC"
            message.rerun_script.context_info.url = self.address
        self.seen.is_finished.clear()
        try:
            await self._socket.send(message.SerializeToString())
        except WebSocketException as error:
            raise TurnedAwayError(f"while speaking: {error!r}") from error

    async def _until_finished(self) -> None:
        try:
            await asyncio.wait_for(self.seen.is_finished.wait(), PATIENCE)
        except TimeoutError:
            raise TurnedAwayError("no answer") from None
        if self._listening is None or self._listening.done():
            raise TurnedAwayError("the connection was closed")

    async def _listen(self, socket: ClientConnection) -> None:
        try:
            async for data in socket:
                assert isinstance(data, bytes)
                self._n_messages += 1
                self._n_bytes += len(data)
                if self._marker is not None:
                    self.foreign.update(set(self._marker.findall(data)) - {self._own})
                self.seen.receive(ForwardMsg.FromString(data))
        except WebSocketException:
            pass
        finally:
            # Once this task is done: who waits then sees that it is.
            asyncio.get_running_loop().call_soon(partial(self.seen.is_finished.set))
