"""Notice in place of an upload that a link or a workspace is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.session import link, uploads
from pages.ui.widgets import text

if TYPE_CHECKING:
    from lincore.analysis import FileData


def show(awaited: FileData, *, key: str) -> None:
    """Ask for the file."""
    name = text.escape(awaited.name)
    digits = awaited.sha256[: link.SHOWN_DIGITS]
    with st.container(key=key):
        st.header(f"{name} was here: upload it again to continue.", anchor=False)
        st.markdown(
            "A file is kept for its browser until 30 minutes after the visit, but not without "
            "cookies, and not after a restart of the server. The same file, uploaded again, "
            "restores its target, its test set and all settings."
            + (f" Its SHA-256 begins with `{digits}`." if digits else "")
        )
        uploads.show(key=f"{key}.upload")
        uploads.progress()
        uploads.problem()
        st.button(
            "Continue without it",
            key=f"{key}.forget",
            on_click=link.forget,
            help="Forget the file, and begin anew.",
        )
