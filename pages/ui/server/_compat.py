"""Private parts of Streamlit: all that the dashboard uses of them, each guarded.

Streamlit promises nothing of what it does not document. Where a part has vanished or changed, the
server's log says so once, and Streamlit does as it does by itself: slower, or with more memory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import streamlit as st

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_logged: set[str] = set()


class Upload(NamedTuple):
    """A file that the server holds: its name, what it holds, and the name the server gave it."""

    name: str
    content: bytes
    file_id: str


class ScriptRun(NamedTuple):
    """Kind of a run: fragment or page, by itself or for a click, page shown or not."""

    is_fragment: bool = False
    is_automatic: bool = False
    is_same_page: bool = True


def _or(default: T) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a default, and log it once, where a module, a name or a signature is not as it was."""

    def decorate(use: Callable[P, T]) -> Callable[P, T]:
        @wraps(use)
        def guarded(*args: P.args, **named: P.kwargs) -> T:
            try:
                return use(*args, **named)
            except (ImportError, AttributeError, TypeError, OSError) as error:
                if use.__name__ not in _logged:
                    _logged.add(use.__name__)
                    log.warning("Streamlit does %s by itself: %s", use.__name__, error)
                return default

        return guarded

    return decorate


@_or(None)
def session_id() -> str | None:
    """Return the session that the running script belongs to, None outside of one."""
    context = _context()
    return None if context is None else str(context.session_id)


@_or({})
def cookies() -> Mapping[str, str]:
    """Return the cookies of the browser of the running script; none outside of a server."""
    return dict(st.context.cookies)


@_or("")
def page() -> str:
    """Return what Streamlit calls the page that the running script draws, "" outside of one."""
    context = _context()
    return "" if context is None else str(context.page_script_hash)


@_or(False)
def is_fragment_run() -> bool:
    """Return whether a fragment alone is drawn; False where Streamlit does not say so."""
    return bool(getattr(_context(), "fragment_ids_this_run", None))


@_or(True)
def is_open(session: str) -> bool:
    """Return whether a visitor is here, or may still come back over a connection that was cut."""
    server = _server()
    return server is None or server._session_mgr.get_session_info(session) is not None


@_or(None)
def forget_closed_sessions() -> None:
    """Forget sessions that were closed too long ago, although no other ends."""
    server = _server()
    if server is not None:
        server._session_mgr._session_storage._cache.expire()


@_or([])
def uploads() -> list[Upload]:
    """Return the files that the server holds of the session of the running script."""
    context = _context()
    if context is None:
        return []
    return _files(context.uploaded_file_mgr.file_storage.get(context.session_id, {}))


@_or({})
def all_uploads() -> dict[str, list[Upload]]:
    """Return the files that the server holds, by session."""
    server = _server()
    stored = {} if server is None else dict(server.uploaded_file_mgr.file_storage)
    return {session: _files(files) for session, files in stored.items()}


@_or(None)
def free_upload(file_id: str) -> None:
    """Free a file of the session of the running script before the session ends."""
    context = _context()
    if context is not None:
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file_id)


@_or(None)
def announce_uploads(announce: Callable[[str, list[str]], None]) -> None:
    """Call ``announce(session, file_ids)`` when a browser asks where to put files."""
    manager = _named("streamlit.runtime.memory_uploaded_file_manager", "MemoryUploadedFileManager")
    give = manager.get_upload_urls
    if hasattr(give, "announces"):
        return

    def get_upload_urls(self: Any, session_id: str, file_names: Any) -> Any:
        given = give(self, session_id, file_names)
        announce(session_id, _file_ids(given))
        return given

    get_upload_urls.announces = True  # type: ignore[attr-defined]
    manager.get_upload_urls = get_upload_urls


@_or(None)
def announce_navigation() -> None:
    """Say that app.py has a navigation of its own before it has run for the first visitor.

    Streamlit finds the folder `pages` and would let the first visitor of a server who comes by a
    link to a page see that script alone, with file names for a navigation.
    """
    pages = _named("streamlit.runtime.pages_manager", "PagesManager")
    if hasattr(pages, "uses_pages_directory"):
        pages.uses_pages_directory = False


@_or(None)
def let_runs_wait(turn: Callable[[ScriptRun], AbstractContextManager[None]]) -> None:
    """Have every run of a script or a fragment go on inside ``turn(run)``."""
    sessions = import_module("streamlit.runtime.app_session")
    runner: Any = sessions.ScriptRunner
    if hasattr(runner, "waits"):
        return
    runner._run_script  # noqa: B018  where it is gone, all is left as it is

    class ScriptRunner(runner):  # type: ignore[misc]
        waits = True

        def _run_script(self, rerun_data: Any, *args: Any, **named: Any) -> None:
            with turn(_run(rerun_data, self)):
                super()._run_script(rerun_data, *args, **named)

    sessions.ScriptRunner = ScriptRunner  # type: ignore[attr-defined]


@_or(None)
def index_page() -> str | None:
    """Return the page that a browser gets first; None where it is not known."""
    return (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")


@_or(ScriptRun())
def _run(rerun_data: Any, runner: Any) -> ScriptRun:
    pages = getattr(runner, "_pages_manager", None)
    return ScriptRun(
        bool(rerun_data.fragment_id_queue),
        bool(rerun_data.is_auto_rerun),
        rerun_data.page_script_hash == getattr(pages, "current_page_script_hash", None),
    )


@_or([])
def _file_ids(given: Any) -> list[str]:
    return [one.file_id for one in given]


def _files(stored: Mapping[str, Any]) -> list[Upload]:
    return [Upload(one.name, one.data, one.file_id) for one in list(stored.values())]


def _context() -> Any:
    """Return what Streamlit knows of the running script, None outside of one."""
    return _named("streamlit.runtime.scriptrunner", "get_script_run_ctx")(suppress_warning=True)


def _server() -> Any:
    """Return what Streamlit knows of the server, None where none is."""
    runtime = import_module("streamlit.runtime")
    return runtime.get_instance() if runtime.exists() else None


def _named(module: str, name: str) -> Any:
    # Found when it is asked for: none of it is needed at the top, where it would delay the server.
    return getattr(import_module(module), name)
