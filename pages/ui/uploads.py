"""The uploader: a file is read once, kept in the session, and the upload set free."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from lincore.limits import LIMITS
from pages.ui import state


def show(*, key: str) -> None:
    """Offer to upload a file, and make it the data set of this session."""
    megabytes = LIMITS.max_file_bytes // 10**6
    turn = st.session_state.setdefault(state.UPLOADS, 0)
    with st.container(key=key):
        upload = st.file_uploader(
            "Bring a file",
            key=f"{key}.{turn}",
            max_upload_size=megabytes,
            help="A table as CSV, TSV or text, also gzipped, with the names of its columns in the "
            "first line; or a zip of images in one folder for each class.",
        )
        st.caption(
            f"A table (CSV, TSV, text) or a zip of images in class folders, up to {megabytes} MB. "
            "It stays in this session and is never written to disk."
        )
    if upload is None:
        return
    with st.spinner(f"Reading {upload.size / 1e6:.1f} MB …"):
        state.choose_upload(upload.getvalue(), upload.name)
    _forget(upload.file_id)
    # A new key gives an empty uploader, so that the next run does not read the file again.
    st.session_state[state.UPLOADS] = turn + 1
    st.rerun()


def _forget(file_id: str) -> None:
    """Free the server's copy now instead of when the session ends."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    # The manager is not public API: without it the copy goes with the session.
    with suppress(AttributeError, KeyError):
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file_id)  # type: ignore[union-attr]
