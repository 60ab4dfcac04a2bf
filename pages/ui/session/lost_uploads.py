"""Notice in place of uploads that were lost when the page was reloaded."""

from __future__ import annotations

import streamlit as st

from pages.ui.session import link, uploads
from pages.ui.widgets import text


def show(awaited: link.Awaited, *, key: str) -> None:
    """Ask for the file that was here."""
    name = text.escape(awaited.name)
    with st.container(key=key):
        st.header(f"{name} was here: upload it again to go on.", anchor=False)
        st.markdown(
            "A file stays in the session that it was uploaded to, and this is a new one. The same "
            "file gets its target, its test set and the settings back."
        )
        uploads.show(key=f"{key}.upload")
        uploads.progress()
        uploads.problem()
        st.button(
            "Go on without it",
            key=f"{key}.forget",
            on_click=link.forget,
            help="Forget the file, and begin anew.",
        )
