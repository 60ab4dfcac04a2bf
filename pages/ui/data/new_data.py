"""Entries to other data: upload, samples, generated classes."""

from __future__ import annotations

import streamlit as st

from lincore import analysis, io
from pages.ui.data import connections, gaussian_classes
from pages.ui.frame import uploads
from pages.ui.session import commands, state
from pages.ui.widgets import text

_TITLES = {
    "prml chapter 4": "PRML chapter 4 (R)",
    "olivetti faces": "Olivetti faces",
    "mnist": "MNIST",
    "fashion mnist": "Fashion-MNIST",
}


def show() -> None:
    """Show the entries openly on a first visit."""
    if _is_first_visit():
        left, right = st.columns(2, gap="large")
        with left:
            uploads.show(key="data.upload")
        with right:
            _samples()
        gaussian_classes.show()
    uploads.progress()


def folded() -> None:
    """Offer other data in a popover, if data have been chosen."""
    if not _is_first_visit():
        with st.popover(
            "Other data", icon=":material/upload_file:", key="data.upload.open", on_change="rerun"
        ) as panel:
            uploads.show(key="data.upload")  # a file may arrive after it was closed
            if panel.open:
                _samples()
        uploads.forget()


def generator() -> None:
    """Offer to generate classes, if data have been chosen."""
    if not _is_first_visit():
        gaussian_classes.show()


def _samples() -> None:
    """Offer samples and downloads."""
    st.markdown("**Samples**")
    with st.container(horizontal=True):
        for name in io.SAMPLES:
            st.button(
                _TITLES.get(name, name.capitalize()),
                key=f"data.sample.{name}",
                on_click=state.choose_sample,
                args=(name,),
            )
    _connections()
    st.markdown("**Downloads**")
    with st.container(horizontal=True):
        for name in io.DOWNLOADS:
            st.button(
                _TITLES[name],
                key=f"data.download.{name}",
                on_click=commands.download,
                args=(name,),
                help="Needs a network; cached by the server.",
            )
    st.caption(
        "Iris, wine, breast cancer and digits come with scikit-learn; “Gaussian” draws three "
        "classes whose true parameters are known, “PRML chapter 4 (R)” is exactly the data of that "
        "text."
    )


def _connections() -> None:
    """Offer the databases that are configured in .streamlit/secrets.toml."""
    names = connections.names()
    if not names:
        return
    st.markdown("**Databases**")
    with st.container(horizontal=True):
        for name in names:
            st.button(
                text.escape(name),
                key=f"data.connection.{name}",
                icon=":material/database:",
                on_click=connections.load,
                args=(name,),
            )


def _is_first_visit() -> bool:
    """Return whether the data are the unchanged default."""
    return state.data_source() == analysis.SampleData("iris") and state.refused() is None
