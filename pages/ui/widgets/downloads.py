"""Downloads beside a figure: the figure as HTML, and the data behind it as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import export

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Figures without downloads: no room, or their numbers are on the page already.
_WITHOUT = ("sidebar.", "start.")
# A figure that the page itself does not draw with Plotly.
_NOT_DRAWN_BY_PLOTLY = "geometry.board"


def are_offered(key: str) -> bool:
    """Return whether a figure with this key has downloads."""
    return not key.startswith(_WITHOUT)


def offer(fig: go.Figure, *, key: str) -> None:
    """Offer a figure and its data, created on a click; the camera of a figure saves a PNG."""
    title = str(fig.layout.meta["title"]) or "figure"
    with st.popover(
        ":material/download:",
        type="tertiary",
        width="content",
        key=f"{key}.download",
        on_change="rerun",
        help="This plot as HTML, and the data behind it as CSV. PNG: the camera "
        + ("in the HTML." if key.startswith(_NOT_DRAWN_BY_PLOTLY) else "over the plot."),
    ) as panel:
        if not panel.open:
            return
        st.download_button(
            "Plot (HTML)",
            lambda: export.render_html(title, [export.Section("Plot", figures=(fig,))]).encode(),
            file_name=f"{title}.html",
            mime="text/html",
            key=f"{key}.download.html",
            on_click="ignore",
            help="One self-contained file; its camera button saves a PNG.",
        )
        st.download_button(
            "Data (CSV)",
            lambda: export.figure_to_csv(fig).encode(),
            file_name=f"{title}.csv",
            mime="text/csv",
            key=f"{key}.download.csv",
            on_click="ignore",
            help="One line per point, bar or cell.",
        )
