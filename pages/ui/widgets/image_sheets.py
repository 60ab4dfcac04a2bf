"""Contact sheets of images, sized to the width of the screen.

Plotly keeps the height that a figure was given. A sheet of images that is shrunk to the width of
a phone would stand above a blank that is twice its size.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.widgets import controls, downloads

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The sheet stands in a container that is measured; `cqw` is a hundredth of its width.
STYLE = """<style>
.st-key-{outer} {{ container-type: inline-size; }}
.st-key-{inner}, .st-key-{inner} .stPlotlyChart {{
  height: calc(min(100cqw - {sides}px, {width:.0f}px) * {ratio:.4f} + {ends}px) !important;
}}
</style>"""


def show(figure: go.Figure, *, key: str) -> None:
    """Show a figure of `lincore.plots.images` and its kin, with its text alternative."""
    controls.note_figure(figure, key=key)
    layout = figure.layout
    margin, sheet = layout.margin, layout.meta["sheet"]
    outer = f"{key}.sheet"
    style = STYLE.format(
        outer=_as_class(outer),
        inner=_as_class(key),
        sides=margin.l + margin.r,
        ends=margin.t + margin.b,
        **sheet,
    )
    with st.container(key=outer):
        st.html(style)
        st.plotly_chart(
            figure,
            key=key,
            height="stretch",
            alt=layout.meta["alt"],
            config={"displaylogo": False},
        )
    with st.container(horizontal=True, horizontal_alignment="right"):
        downloads.offer(figure, key=key)


def _as_class(key: str) -> str:
    """Return what Streamlit makes of a key in the name of a class."""
    return re.sub(r"[^a-zA-Z0-9_-]", "-", key)
