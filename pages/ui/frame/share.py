"""The popover Share: the link and the workspace file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from lincore import analysis
from lincore.errors import DataError
from lincore.utils import listed
from pages.ui.session import link, specification
from pages.ui.widgets import components, text, uploader

if TYPE_CHECKING:
    from lincore.analysis import Analysis

KEY = "share"


def show(shown: Analysis) -> None:
    """Draw the popover; its content is created when it is opened."""
    with st.popover(
        "Share",
        key=KEY,
        icon=":material/share:",
        on_change="rerun",
        width="stretch",
    ) as panel:
        if panel.open:
            _link(shown)
            _file(shown)


def _link(shown: Analysis) -> None:
    try:
        query = shown.to_query()
    except DataError as error:
        st.caption(text.escape(error))
        return
    address = (st.context.url or "").partition("?")[0]
    with st.container(key=f"{KEY}.link", gap="xsmall"):
        st.markdown("**Link**")
        st.code(f"{address}?{link.PARAMETER}={query}", language=None)
        _copy_button("Copy the link", f"{link.PARAMETER}={query}", key=f"{KEY}.copy")
    rest = f" Anyone who opens it is asked for {listed(shown.files)}." if shown.files else ""
    st.caption(text.escape(f"It restores this page.{rest}"))


def _file(shown: Analysis) -> None:
    st.markdown("**Workspace**")
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    left.download_button(
        "Save",
        lambda: shown.to_json(indent=1).encode(),
        file_name="analysis.json",
        mime="application/json",
        key=f"{KEY}.save",
        on_click="ignore",
        icon=":material/download:",
        width="stretch",
        help="The choices of all pages as a JSON file, for this page and for `lincore run`.",
    )
    with right:
        files = uploader.ask(
            "Open a workspace file",
            type="json",
            key=f"{KEY}.open",
            max_upload_size=1,
            help="A file saved here or by `lincore.Analysis.to_json`.",
        )
    for _, raw in files:
        _open(raw)


def _open(raw: bytes) -> None:
    """Apply a workspace file, and show its page."""
    try:
        wanted = analysis.Analysis.from_json(raw)
    except DataError as error:
        text.show_problem(error.notice)
        return
    link.begin(wanted)
    st.switch_page(specification.page_of(wanted.question))


def _copy_button(label: str, query: str, *, key: str) -> None:
    """Draw a button that copies the address of this page with a given query."""
    button = components.component(Path(__file__).with_name("copy_button"))
    button(key=key, data={"label": label, "query": query, "done": "Copied"})
