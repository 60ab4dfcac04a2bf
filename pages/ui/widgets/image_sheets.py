"""Contact sheets of images, sized to the width of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.widgets import controls, downloads

if TYPE_CHECKING:
    import plotly.graph_objects as go


def show(figure: go.Figure, *, key: str) -> None:
    """Show a sheet of images, with its text alternative."""
    controls.note_figure(figure, key=key)
    with st.container(gap=None, key=f"{key}.fit"):
        controls.replay(figure, key=key)
    with st.container(horizontal=True, horizontal_alignment="right"):
        downloads.offer(figure, key=key)
