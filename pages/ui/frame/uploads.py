"""The uploader: files are read once, and their data are kept in the session.

Files are also claimed on another page, if the visitor moved on before or just after the upload was
complete: if both requests reach the server together, Streamlit only runs the later one, and the
uploader disappears before it was read. The other page may have its own uploader, as Data does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from lincore import io, utils
from lincore.limits import LIMITS, table_limits
from pages.ui.jobs import cache, page_jobs
from pages.ui.server import _compat, browser_data, middleware
from pages.ui.session import commands, link, state
from pages.ui.widgets import displays, text, uploader

if TYPE_CHECKING:
    from lincore.analysis import FileData
    from pages.ui.session.sources import File

KEY = "shared.uploading"


@dataclass
class UploadState:
    """The uploads of a session.

    Attributes
    ----------
    offered : str or None
        Key of the uploader of the last page, if it had one.
    is_awaited : bool
        Whether a file is in transfer although its page was left.
    leads_to : str
        The page to show when the upload has been read.
    """

    offered: str | None = None
    is_awaited: bool = False
    leads_to: str = ""


def _state() -> UploadState:
    return st.session_state.setdefault(KEY, UploadState())


def show(*, key: str, leads_to: str = "") -> None:
    """Offer to upload files, and make them the data set of this session."""
    megabytes = LIMITS.max_file_bytes // 10**6
    folder = f"{key}.folder"
    of_folder = bool(st.session_state.get(folder))
    with st.container(key=key):
        files = uploader.ask(
            "Upload a folder" if of_folder else "Upload a file",
            accept_multiple_files="directory" if of_folder else True,
            key=folder if of_folder else key,
            label_visibility="collapsed" if leads_to else "visible",
        )
        st.toggle(
            "A whole folder",
            key=folder,
            help="Images in one folder for each class, or several tables. Use the button: "
            "browsers hide the names of subfolders of a dropped folder.",
        )
        st.caption(
            "Table (CSV, Excel, text, Parquet, SPSS and others), zip of images in class folders, "
            f"or arrays (npz), up to {megabytes} MB."
        )
        _describe_formats(key)
    if not leads_to:
        _state().leads_to = ""
    files = files or _take_from_left_page(key)
    if files:
        _read(files)
        _state().leads_to = leads_to
        st.rerun()


def ask_again(awaited: FileData) -> None:
    """Ask for a file on which a link or a workspace is based."""
    with st.container(key="again"):
        st.header(text.escape(awaited.request), anchor=False)
        st.markdown(
            f"The server keeps a file until {browser_data.MINUTES_KEPT} minutes after your visit, "
            "unless the browser refuses cookies or the server restarts. Upload the same file again "
            "to restore its target, its test set and all settings. "
            + uploader.digest_sentence(awaited.sha256)
        )
        show(key="again.upload")
        show_progress()
        show_problem()
        uploader.offer_to_continue("again", link.forget, help="Forget the file, and start over.")


def _describe_formats(key: str) -> None:
    label = "Formats, sizes, privacy"
    with st.expander(label, key=f"{key}.limits", on_change="rerun") as panel:
        if not panel.open:
            return
        st.markdown(
            "- A table as CSV, TSV or text, also gzipped, a workbook (xlsx, xls, ods), JSON, ARFF, "
            "Parquet, SPSS, Stata or SAS; several tables, or a zip of them, to choose one "
            "from; a zip of images in one folder per class, or several images at once; an npz "
            "file of arrays.\n"
            f"- {text.escape(table_limits())} {text.escape(io.image_limits_sentence())}\n"
            "- It stays in the server's memory, for this browser only, until "
            f"{browser_data.MINUTES_KEPT} minutes after your visit."
        )


def forget() -> None:
    """Offer to delete the uploads of this browser."""
    if state.data_source().kind == "file" or state.kept_upload() is not None:
        st.button(
            "Forget my data",
            key="data.forget",
            icon=":material/delete:",
            on_click=_forget,
            help="Immediately deletes your upload and all results from the server. Other tabs "
            "that show it keep it until they are closed.",
        )


def _forget() -> None:
    """Delete the data of this session and of this browser with all results, and start over."""
    if not st.session_state.get("data.forget"):  # the callback also runs without a click
        return
    browser_data.STORE.forget(browser_data.this_browser())
    page_jobs.forget()
    # It is unknown which shared results belong to these data.
    page_jobs.shared.clear()
    cache.RESULTS.clear()
    displays.CACHED.clear()
    st.cache_data.clear()
    st.cache_resource.clear()
    link.clear()


def follow() -> None:
    """Show the page that an upload leads to, once its data are those of this session."""
    uploads = _state()
    if uploads.leads_to and state.has_dataset() and not commands.is_reading():
        leads_to, uploads.leads_to = uploads.leads_to, ""
        st.switch_page(leads_to)


def claim_uploads() -> None:
    """Apply uploads and finished reads on a page without an uploader."""
    _state().leads_to = ""
    files = _take_from_left_page(None)
    if files:
        _read(files)
    commands.apply_result()


def _read(files: Sequence[File]) -> None:
    with st.spinner(f"Reading {utils.megabytes(sum(len(content) for _, content in files))} …"):
        commands.begin(files)


def show_progress() -> None:
    """Draw the progress of reading, or that a file is being received."""
    job = page_jobs.current(commands.JOB)
    if job is not None and commands.is_reading():
        page_jobs.show(job)
    if _state().is_awaited:
        _await()


@st.fragment(run_every=0.5)
def _await() -> None:
    """Rerun the page when a file has arrived whose page was left during the transfer."""
    if not _is_sending():
        st.rerun()
    st.caption("Receiving a file …")


def show_problem() -> None:
    """State why the first file could not be used; later the sidebar does so."""
    notice = state.problem()
    if notice is not None and not state.has_dataset():
        text.show_problem(notice)
        st.page_link("pages/data.py", label="Import options on Data", icon=":material/table:")


def _take_from_left_page(key: str | None) -> list[File]:
    """Return the files of the uploader of the page that was left, once they are complete."""
    uploads = _state()
    offered = uploads.offered
    uploads.is_awaited = offered not in (None, key) and _is_sending()
    if uploads.is_awaited:
        return []
    uploads.offered = key
    if offered is None and key is not None:
        # Files that arrived too late in an earlier visit: they are no longer wanted.
        _take_unread()
    return [] if offered in (None, key) else _take_unread()


def _is_sending() -> bool:
    session = _compat.session_id()
    return session is not None and middleware.is_sending(session)


def _take_unread() -> list[File]:
    """Take the unread uploads of this session, unless more are in transfer."""
    return [] if _is_sending() else uploader.take(_compat.uploads())
