"""The uploader: files are read once and kept in the session.

Files are taken over on another page too, where their visitor went on as soon as they had arrived,
or while they were on their way: where both wishes reach the server together, Streamlit carries out
the later one only, and the uploader is gone before it was asked. The other page may have an
uploader of its own, as Data has for what was given to Start.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lincore import io
from lincore.limits import LIMITS, table_limits
from pages.ui.jobs import page_jobs
from pages.ui.server import middleware
from pages.ui.session import commands, state
from pages.ui.widgets import text

# The uploader of the page that was drawn last, if it had one.
OFFERED = "shared.uploads.offered"
# Whether a file is on its way whose visitor has left its uploader.
AWAITED = "shared.uploads.awaited"
# The page to be shown when what was uploaded has been read.
LEADS_TO = "shared.uploads.leads_to"


#: A file's name, what it holds, and the name that the server has for it.
Sent = tuple[str, bytes, str]


def show(*, key: str, leads_to: str = "") -> None:
    """Offer to upload files, and make them the data set of this session.

    Parameters
    ----------
    key : str
    leads_to : str
        The page that `follow` shows once they are read, such as "pages/data.py".
    """
    megabytes = LIMITS.max_file_bytes // 10**6
    turn = st.session_state.setdefault(state.UPLOADS, 0)
    with st.container(key=key):
        uploads = st.file_uploader(
            "Upload a file",
            accept_multiple_files=True,
            key=f"{key}.{turn}",
            max_upload_size=megabytes,
            label_visibility="collapsed" if leads_to else "visible",
            help="A table as CSV, TSV or text, also gzipped, or Parquet; a zip of images in one "
            "folder for each class, or several images at once; an npz file of arrays.",
        )
        st.caption(
            f"Table (CSV, text, Parquet), zip of images in class folders, or arrays (npz), up to "
            f"{megabytes} MB. It stays in this session."
        )
    if not leads_to:
        st.session_state.pop(LEADS_TO, None)
    files = [(upload.name, upload.getvalue(), upload.file_id) for upload in uploads]
    files = files or _given_to_another(key)
    if files:
        _read(files)
        st.session_state[LEADS_TO] = leads_to
        st.rerun()


def follow() -> None:
    """Show the page that an upload leads to, once its data are those of this session."""
    if state.has_dataset() and not commands.is_reading():
        leads_to = st.session_state.pop(LEADS_TO, "")
        if leads_to:
            st.switch_page(leads_to)


def take_over() -> None:
    """Make what has been read the data set of this session, on a page without an uploader."""
    st.session_state.pop(LEADS_TO, None)
    left = _given_to_another(None)
    if left:
        _read(left)
    commands.adopt()


def _read(files: Sequence[Sent]) -> None:
    """Read files, given with the names that the server has for them, and set them free."""
    with st.spinner(f"Reading {sum(len(content) for _, content, _ in files) / 1e6:.1f} MB …"):
        commands.begin([(name, content) for name, content, _ in files])
        for _, _, file_id in files:
            _forget(file_id)
        # A new key gives an empty uploader, so that the next run does not read the files again.
        st.session_state[state.UPLOADS] = st.session_state.get(state.UPLOADS, 0) + 1


def limits() -> None:
    """Say how large files may be."""
    st.caption(f"How large: {text.escape(table_limits())} {text.escape(io.image_limits())}")


def progress() -> None:
    """Draw how far reading is, while it goes on, and that a file is awaited."""
    job = page_jobs.current(commands.JOB)
    if job is not None and commands.is_reading():
        page_jobs.show(job)
    if st.session_state.get(AWAITED):
        _await()


@st.fragment(run_every=0.5)
def _await() -> None:
    """Draw the page again once a file has come whose visitor went on while it was on its way."""
    if not _is_sending():
        st.rerun()
    st.caption("Receiving a file …")


def problem() -> None:
    """Say why a first file could not be used; with data in use the sidebar says so."""
    found = state.problem()
    if found is not None and not state.has_dataset():
        text.show_problem(found)
        st.page_link("pages/data.py", label="Read it otherwise on Data", icon=":material/table:")


def _given_to_another(key: str | None) -> list[Sent]:
    """Return what was given to the uploader of the page that was left, once all of it is here.

    Parameters
    ----------
    key : str or None
        The uploader of the page that is drawn, if it has one.
    """
    offered = st.session_state.get(OFFERED)
    st.session_state[AWAITED] = offered not in (None, key) and _is_sending()
    if st.session_state[AWAITED]:
        return []
    st.session_state[OFFERED] = key
    if offered is None and key is not None:
        # They came too late in a former visit: nobody who goes on from here means them.
        for _, _, file_id in _left_behind():
            _forget(file_id)
    return [] if offered in (None, key) else _left_behind()


def _is_sending() -> bool:
    context = get_script_run_ctx()
    return context is not None and middleware.is_sending(context.session_id)


def _left_behind() -> list[Sent]:
    """Return the files that this session has sent and nobody has read, unless more are coming."""
    context = get_script_run_ctx()
    if context is None or _is_sending():
        return []
    # The manager's store is not public API: without it such files are lost, as Streamlit has it.
    with suppress(AttributeError):
        stored = context.uploaded_file_mgr.file_storage.get(context.session_id, {})  # type: ignore[attr-defined]
        return [(one.name, one.data, one.file_id) for one in list(stored.values())]
    return []


def _forget(file_id: str) -> None:
    """Free the server's copy now instead of when the session ends."""
    context = get_script_run_ctx()
    # The manager is not public API: without it the copy goes with the session.
    with suppress(AttributeError, KeyError):
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file_id)  # type: ignore[union-attr]
