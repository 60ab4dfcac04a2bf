"""Entries to other data: upload, samples, generated classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    uploads.show_progress()


def show_folded() -> None:
    """Offer other data in a popover, if data have been chosen."""
    if not _is_first_visit():
        with st.popover(
            "Other data", icon=":material/upload_file:", key="data.upload.open", on_change="rerun"
        ) as panel:
            uploads.show(key="data.upload")  # a file may arrive after it was closed
            if panel.open:
                _samples()
        uploads.forget()


def show_generator() -> None:
    """Offer to generate classes, if data have been chosen."""
    if not _is_first_visit():
        gaussian_classes.show()


def _samples() -> None:
    """Offer samples and downloads."""
    samples, downloads = (
        {name: _TITLES.get(name, name.capitalize()) for name in names}
        for names in (io.SAMPLES, io.DOWNLOADS)
    )
    _offer("Samples", samples, "data.sample", state.choose_sample)
    _connections()
    help = "Needs a network; cached by the server."
    _offer("Downloads", downloads, "data.download", commands.download, help)
    st.caption(
        "Iris, wine, breast cancer and digits come with scikit-learn; “Gaussian” draws three "
        "classes whose true parameters are known; “PRML chapter 4 (R)” is exactly the data of that "
        "text."
    )


def _offer(
    label: str, titles: Mapping[str, str], key: str, load: Callable[[str], None], help: str = ""
) -> None:
    """Offer data to load, by name; none is left chosen, so that it can be loaded again."""

    def chosen() -> None:
        name = st.session_state.get(key)
        st.session_state[key] = None
        if name is not None:
            load(name)

    st.pills(
        label,
        list(titles),
        key=key,
        format_func=lambda name: titles.get(name, name),
        on_change=chosen,
        help=help or None,
        wrap=True,
    )


def _connections() -> None:
    """Offer the databases that are configured in .streamlit/secrets.toml."""
    names = connections.names()
    if names:
        titles = {name: text.escape(name) for name in names}
        _offer("Databases", titles, "data.connection", connections.load)


def _is_first_visit() -> bool:
    """Return whether the data are the unchanged default."""
    return state.data_source() == analysis.SampleData("iris") and state.refused() is None
