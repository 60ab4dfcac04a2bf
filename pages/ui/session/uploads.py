"""The uploader: files are read once and kept in the session.

Files are taken over on another page too, where their visitor went on as soon as they had arrived,
or while they were on their way: where both requests reach the server together, Streamlit carries
out the later one only, and the uploader is gone before it was asked. The other page may have an
uploader of its own, as Data has for what was given to Start.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lincore import io
from lincore.limits import LIMITS, table_limits
from pages.ui.jobs import page_jobs
from pages.ui.server import _compat, browser_data, middleware
from pages.ui.session import cache, commands, kept_data, link, state
from pages.ui.widgets import text

# The uploader of the page that was drawn last, if it had one.
OFFERED = "shared.uploads.offered"
# Whether a file is on its way whose visitor has left its uploader.
AWAITED = "shared.uploads.awaited"
# The page to be shown when what was uploaded has been read.
LEADS_TO = "shared.uploads.leads_to"


def show(*, key: str, leads_to: str = "") -> None:
    """Offer to upload files, and make them the data set of this session."""
    megabytes = LIMITS.max_file_bytes // 10**6
    turn = st.session_state.setdefault(state.UPLOADS, 0)
    folder = f"{key}.folder"
    of_folder = bool(st.session_state.get(folder))
    with st.container(key=key):
        uploads = st.file_uploader(
            "Upload a folder" if of_folder else "Upload a file",
            accept_multiple_files="directory" if of_folder else True,
            key=f"{folder if of_folder else key}.{turn}",
            max_upload_size=megabytes,
            label_visibility="collapsed" if leads_to else "visible",
            help="A table as CSV, TSV or text, also gzipped, a workbook (xlsx, xls, ods), JSON, "
            "ARFF, Parquet, SPSS, Stata or SAS; several tables, or a zip of them, of which one is "
            "chosen; a zip of images in one folder per class, or several images at once; an npz "
            "file of arrays.",
        )
        st.toggle(
            "A whole folder",
            key=folder,
            help="Images in one folder for each class, or several tables. Use the button: "
            "browsers hide the names of subfolders of a dropped folder.",
        )
        st.caption(
            "Table (CSV, Excel, text, Parquet, SPSS and others), zip of images in class folders, "
            f"or arrays (npz), up to {megabytes} MB. It stays in the server's memory, for this "
            f"browser only, until {browser_data.SECONDS_KEPT / 60:.0f} minutes after your visit."
        )
    if not leads_to:
        st.session_state.pop(LEADS_TO, None)
    files = [_compat.Upload(one.name, one.getvalue(), one.file_id) for one in uploads]
    files = files or _given_to_another(key)
    if files:
        _read(files)
        st.session_state[LEADS_TO] = leads_to
        st.rerun()


def forget() -> None:
    """Offer to delete the files that this browser has brought."""
    if state.origin().kind == "file" or kept_data.recall() is not None:
        st.button(
            "Forget my data",
            key="data.forget",
            icon=":material/delete:",
            on_click=_forget,
            help="Immediately deletes your upload and all results from the server. Other tabs "
            "that show it keep it until they are closed.",
        )


def _forget() -> None:
    """Delete the data of this session and of this browser with all results, and begin anew."""
    if not st.session_state.get("data.forget"):  # an answer for a button that was not pressed
        return
    kept_data.forget()
    page_jobs.forget()
    # Which results are of these data, as they were read and used, is not known.
    page_jobs.shared.clear()
    cache.KEPT.clear()
    st.cache_data.clear()
    st.cache_resource.clear()
    link.clear()


def follow() -> None:
    """Show the page that an upload leads to, once its data are those of this session."""
    if state.has_dataset() and not commands.is_reading():
        leads_to = st.session_state.pop(LEADS_TO, "")
        if leads_to:
            st.switch_page(leads_to)


def claim_uploads() -> None:
    """Make what has been read the data set of this session, on a page without an uploader."""
    st.session_state.pop(LEADS_TO, None)
    left = _given_to_another(None)
    if left:
        _read(left)
    commands.apply_result()


def _read(files: Sequence[_compat.Upload]) -> None:
    """Read files, given with the names that the server has for them, and set them free."""
    with st.spinner(f"Reading {sum(len(content) for _, content, _ in files) / 1e6:.1f} MB …"):
        commands.begin([(name, content) for name, content, _ in files])
        for _, _, file_id in files:
            _compat.free_upload(file_id)
        # A new key gives an empty uploader, so that the next run does not read the files again.
        st.session_state[state.UPLOADS] = st.session_state.get(state.UPLOADS, 0) + 1


def limits() -> None:
    """Say how large files may be."""
    st.caption(
        f"How large: {text.escape(table_limits())} {text.escape(io.image_limits_sentence())}"
    )


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
        st.page_link("pages/data.py", label="Import options on Data", icon=":material/table:")


def _given_to_another(key: str | None) -> list[_compat.Upload]:
    """Return what was given to the uploader of the page that was left, once all of it is here."""
    offered = st.session_state.get(OFFERED)
    st.session_state[AWAITED] = offered not in (None, key) and _is_sending()
    if st.session_state[AWAITED]:
        return []
    st.session_state[OFFERED] = key
    if offered is None and key is not None:
        # They came too late in a former visit: nobody who goes on from here means them.
        for _, _, file_id in _left_behind():
            _compat.free_upload(file_id)
    return [] if offered in (None, key) else _left_behind()


def _is_sending() -> bool:
    session = _compat.session_id()
    return session is not None and middleware.is_sending(session)


def _left_behind() -> list[_compat.Upload]:
    """Return the files that this session has sent and nobody has read, unless more are coming."""
    return [] if _is_sending() else _compat.uploads()
