"""Entries to other data: upload, samples, generated classes."""

from __future__ import annotations

import streamlit as st

from pages.ui.data import gaussian_classes, samples
from pages.ui.session import state, uploads
from pages.ui.session.sources import AS_PROPOSED


def show() -> None:
    """Lead with the ways in on a first visit; fold them into a line over data that were chosen."""
    if _is_first_visit():
        left, right = st.columns(2, gap="large")
        with left:
            uploads.show(key="data.upload")
        with right:
            samples.show()
        gaussian_classes.show()
    else:
        with st.container(horizontal=True, key="data.ways"):
            with st.popover("Upload a file", icon=":material/upload_file:", key="data.upload.open"):
                uploads.show(key="data.upload")
            with st.popover("Samples", icon=":material/dataset:", key="data.samples.open"):
                samples.show()
    uploads.progress()


def generator() -> None:
    """Offer to generate classes under data that were chosen."""
    if not _is_first_visit():
        gaussian_classes.show()


def _is_first_visit() -> bool:
    """Return whether the data are those that nobody has chosen, as they are."""
    untouched = state.origin() == state.Origin("sample", "iris") and state.refused() is None
    found = state.source()
    return untouched and (found is None or found.choices == AS_PROPOSED)
