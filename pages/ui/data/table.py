"""Preview of the rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.widgets import displays, tables, text

if TYPE_CHECKING:
    from lincore.displays import Display

SHOWN_ROWS = 200


def rows(display: Display) -> None:
    """Show the first rows unchanged."""
    st.subheader("Rows", anchor=False)
    _table(identity=display.key, _display=display)
    st.caption(text.escape(displays.parts(display).finding))


# Numbers are not rounded as in other displays, so that they can be compared with the file.
@st.cache_resource(max_entries=16, ttl="2h", show_spinner=False)
def _table(identity: str, _display: Display) -> None:
    frame = _display.frame()
    with st.container(key="data.rows"):
        tables.show(
            frame,
            hide_index=True,
            height=min(38 + 35 * len(frame), 320),
            alt=f"The first {len(frame)} rows.",
        )
