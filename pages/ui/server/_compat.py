"""Private parts of Streamlit: all uses by the dashboard, each guarded.

Streamlit guarantees only what it documents. If a part has vanished or changed, the server's log
says so once, and Streamlit's own behaviour remains: slower, or with more memory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, ParamSpec, TypeVar

import streamlit as st

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_logged: set[str] = set()
# Seconds during which messages of a browser may still refer to the page that it has left.
_MOMENT = 1.0


class Upload(NamedTuple):
    """An uploaded file: its name, its content, and its id on the server."""

    name: str
    content: bytes
    file_id: str


class ScriptRun(NamedTuple):
    """Kind of a run: fragment or page, timer or click, page already shown or not."""

    is_fragment: bool = False
    is_automatic: bool = False
    is_same_page: bool = True


def _guarded(default: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a default, and log it once, if a module, name or signature has changed."""

    def decorate(use: Callable[P, T]) -> Callable[P, T]:
        @wraps(use)
        def use_or_default(*args: P.args, **named: P.kwargs) -> T:
            try:
                return use(*args, **named)
            except (ImportError, AttributeError, TypeError, OSError) as error:
                if use.__name__ not in _logged:
                    _logged.add(use.__name__)
                    log.warning("Streamlit does %s by itself: %s", use.__name__, error)
                return default

        return use_or_default

    return decorate


@_guarded(None)
def session_id() -> str | None:
    """Return the session of the running script, None outside of one."""
    context = _context()
    return None if context is None else str(context.session_id)


@_guarded({})
def cookies() -> Mapping[str, str]:
    """Return the cookies of the browser of the running script; {} without a server."""
    return dict(st.context.cookies)


@_guarded("")
def page() -> str:
    """Return Streamlit's id of the page that the running script draws, "" outside of one."""
    context = _context()
    return "" if context is None else str(context.page_script_hash)


@_guarded(False)
def is_fragment_run() -> bool:
    """Return whether only a fragment is drawn; False if Streamlit does not say."""
    return bool(getattr(_context(), "fragment_ids_this_run", None))


@_guarded(True)
def is_open(session: str) -> bool:
    """Return whether a visitor is connected, or may still reconnect."""
    server = _server()
    return server is None or server._session_mgr.get_session_info(session) is not None


@_guarded(None)
def forget_closed_sessions() -> None:
    """Forget expired sessions now; Streamlit does so only when another one ends."""
    server = _server()
    if server is not None:
        server._session_mgr._session_storage._cache.expire()


@_guarded([])
def uploads() -> list[Upload]:
    """Return the uploaded files of the session of the running script."""
    context = _context()
    if context is None:
        return []
    return _files(context.uploaded_file_mgr.file_storage.get(context.session_id, {}))


@_guarded({})
def all_uploads() -> dict[str, list[Upload]]:
    """Return the uploaded files by session."""
    server = _server()
    stored = {} if server is None else dict(server.uploaded_file_mgr.file_storage)
    return {session: _files(files) for session, files in stored.items()}


@_guarded(None)
def free_upload(file_id: str) -> None:
    """Delete an uploaded file of the session of the running script."""
    context = _context()
    if context is not None:
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file_id)


@_guarded(None)
def announce_uploads(announce: Callable[[str, list[str]], None]) -> None:
    """Call ``announce(session, file_ids)`` when a browser requests upload URLs."""
    manager = _named("streamlit.runtime.memory_uploaded_file_manager", "MemoryUploadedFileManager")
    give = manager.get_upload_urls
    if hasattr(give, "announces"):
        return

    def get_upload_urls(self: Any, session_id: str, file_names: Any) -> Any:
        urls = give(self, session_id, file_names)
        announce(session_id, _file_ids(urls))
        return urls

    get_upload_urls.announces = True  # type: ignore[attr-defined]
    manager.get_upload_urls = get_upload_urls


@_guarded(None)
def announce_navigation() -> None:
    """Tell Streamlit that app.py has its own navigation before it has run for the first visitor.

    Streamlit finds the folder `pages` and would let the first visitor of a server who comes by a
    link to a page see that script alone, with file names for a navigation.
    """
    pages = _named("streamlit.runtime.pages_manager", "PagesManager")
    if hasattr(pages, "uses_pages_directory"):
        pages.uses_pages_directory = False


@_guarded(None)
def let_runs_wait(turn: Callable[[ScriptRun], AbstractContextManager[None]]) -> None:
    """Wrap every run of a script or a fragment in ``turn(run)``."""
    sessions = import_module("streamlit.runtime.app_session")
    runner: Any = sessions.ScriptRunner
    if hasattr(runner, "waits"):
        return
    runner._run_script  # noqa: B018  without this attribute nothing is changed

    class ScriptRunner(runner):
        waits = True

        def _run_script(self, rerun_data: Any, *args: Any, **named: Any) -> None:
            self.lincore_waiting = rerun_data
            with turn(_run(rerun_data, self)):
                # `keep_clicks` takes it for the run that replaces this one; `pop` is atomic.
                if self.__dict__.pop("lincore_waiting", None) is not None:
                    super()._run_script(rerun_data, *args, **named)

        def _maybe_handle_execution_control_request(self) -> None:
            # Callbacks come first and are not cut short by the next request.
            if getattr(_context(), "has_script_started", True):
                super()._maybe_handle_execution_control_request()

    sessions.ScriptRunner = ScriptRunner  # type: ignore[attr-defined]


@_guarded(None)
def keep_navigation() -> None:
    """Keep a click on a page link valid although it also closes an open popover.

    After the link the browser reports the closed popover, still for the page that is being left,
    and Streamlit would show that page again.
    """
    sessions: Any = _named("streamlit.runtime.app_session", "AppSession")
    request = sessions.request_rerun
    if hasattr(request, "keeps_navigation"):
        return

    def request_rerun(self: Any, client_state: Any) -> None:
        _follow_navigation(self, client_state)
        request(self, client_state)

    request_rerun.keeps_navigation = True  # type: ignore[attr-defined]
    sessions.request_rerun = request_rerun


@_guarded(None)
def _follow_navigation(session: Any, message: Any) -> None:
    """Redirect messages about a page that was just left to the page of the link."""
    if message is None or not message.page_script_hash:
        return
    page, left, since = session.__dict__.get("lincore_pages", ("", "", 0.0))
    is_late = monotonic() - since < _MOMENT
    if is_late and message.widget_states.widgets and message.page_script_hash == left:
        message.page_script_hash = page
    elif message.page_script_hash != page:
        session.lincore_pages = (message.page_script_hash, page, monotonic())


@_guarded(None)
def keep_clicks() -> None:
    """Hand clicks whose run has not begun to the run of the page that replaces it.

    Streamlit stops the earlier run and drops the clicks that it was to handle, although a browser
    reports each click only once. It also drops a click in a fragment that a run of the page has
    just removed: here the page runs again and handles it.
    """
    sessions: Any = _named("streamlit.runtime.app_session", "AppSession")
    request = sessions.request_rerun
    if hasattr(request, "keeps_clicks"):
        return

    def request_rerun(self: Any, client_state: Any) -> None:
        if client_state is not None:
            if _is_in_a_removed_fragment(self, client_state):
                client_state.fragment_id = ""
            if not client_state.fragment_id:
                _take_over_clicks(self, client_state)
        request(self, client_state)

    request_rerun.keeps_clicks = True  # type: ignore[attr-defined]
    sessions.request_rerun = request_rerun


@_guarded(False)
def _is_in_a_removed_fragment(session: Any, message: Any) -> bool:
    """Return whether a message is a click on the page that is shown, in a fragment that is gone."""
    is_click = bool(message.fragment_id) and not message.is_auto_rerun
    is_here = message.page_script_hash == session.page_script_hash
    return is_click and is_here and not session.has_fragment(message.fragment_id)


@_guarded(None)
def _take_over_clicks(session: Any, message: Any) -> None:
    """Stop the run in progress and add the clicks that wait for it to a message."""
    runner = session._scriptrunner
    if runner is None:
        return
    scripts = import_module("streamlit.runtime.scriptrunner_utils.script_requests")
    requests, kinds = runner._requests, scripts.ScriptRequestType
    with requests._lock:
        waiting = [requests._rerun_data] if requests._state is kinds.RERUN else []
        requests._state = kinds.STOP
    held = vars(runner).pop("lincore_waiting", None)
    for request in [held, *waiting] if held is not None else waiting:
        merged = scripts._coalesce_widget_states(request.widget_states, message.widget_states)
        if merged is not None:
            message.widget_states.CopyFrom(merged)


@_guarded(None)
def keep_last_messages() -> None:
    """Send all that a run has drawn, even if the next run of a fragment has begun.

    If a fragment is requested just as the thread of the previous run has ended, Streamlit starts
    another thread and drops the messages that the previous one has not yet delivered: a part of the
    page, the end of its run, or the timer of a fragment, which then never runs again.
    """
    sessions: Any = _named("streamlit.runtime.app_session", "AppSession")
    shutdown = _named("streamlit.runtime.scriptrunner", "ScriptRunnerEvent").SHUTDOWN
    request, handle = sessions.request_rerun, sessions._handle_scriptrunner_event_on_event_loop
    if hasattr(handle, "keeps_last_messages"):
        return

    def request_rerun(self: Any, client_state: Any) -> None:
        former = getattr(self, "_scriptrunner", None)
        request(self, client_state)
        # A run of the page replaces one that goes on, and draws everything anew.
        is_fragment = client_state is not None and bool(client_state.fragment_id)
        if is_fragment and former is not None and self._scriptrunner is not former:
            former.lincore_has_ended = True

    def handle_event(self: Any, sender: Any, event: Any, *args: Any, **named: Any) -> None:
        if not hasattr(sender, "lincore_has_ended") or event is shutdown:
            return handle(self, sender, event, *args, **named)
        now, self._scriptrunner = self._scriptrunner, sender
        try:
            handle(self, sender, event, *args, **named)
        finally:
            self._scriptrunner = now

    handle_event.keeps_last_messages = True  # type: ignore[attr-defined]
    sessions.request_rerun = request_rerun
    sessions._handle_scriptrunner_event_on_event_loop = handle_event


@_guarded(None)
def index_page() -> str | None:
    """Return the HTML that a browser gets first; None if it cannot be found."""
    return (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")


@_guarded(None)
def plotly_chunk() -> str | None:
    """Return the path of the script that draws figures, beside the first page."""
    static = Path(st.__file__).parent / "static"
    chunks = sorted(static.glob("static/js/PlotlyChart.*.js"))
    return chunks[0].relative_to(static).as_posix() if chunks else None


@_guarded(ScriptRun())
def _run(rerun_data: Any, runner: Any) -> ScriptRun:
    pages = getattr(runner, "_pages_manager", None)
    return ScriptRun(
        bool(rerun_data.fragment_id_queue),
        bool(rerun_data.is_auto_rerun),
        rerun_data.page_script_hash == getattr(pages, "current_page_script_hash", None),
    )


@_guarded([])
def _file_ids(uploads: Any) -> list[str]:
    return [upload.file_id for upload in uploads]


def _files(stored: Mapping[str, Any]) -> list[Upload]:
    return [Upload(file.name, file.data, file.file_id) for file in list(stored.values())]


def _context() -> Any:
    """Return Streamlit's context of the running script, None outside of one."""
    return _named("streamlit.runtime.scriptrunner", "get_script_run_ctx")(suppress_warning=True)


def _server() -> Any:
    """Return Streamlit's runtime, None without a server."""
    runtime = import_module("streamlit.runtime")
    return runtime.get_instance() if runtime.exists() else None


def _named(module: str, name: str) -> Any:
    # Imported on use: at the top it would delay the start of the server.
    return getattr(import_module(module), name)
