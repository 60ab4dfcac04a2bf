"""Preview of the rows of a table."""

from __future__ import annotations

import streamlit as st

from pages.ui.session.sources import Source
from pages.ui.widgets import tables

SHOWN_ROWS = 200
# More columns than this are slow in a browser, and nobody looks at them.
SHOWN_COLUMNS = 100


def rows(found: Source) -> None:
    """Show the first rows as they stand in the file."""
    if found.table is None or found.used is None:
        return
    frame = found.used.frame
    st.subheader("Rows", anchor=False)
    shown = frame.iloc[:SHOWN_ROWS, :SHOWN_COLUMNS]
    with st.container(key="data.rows"):
        tables.show(
            shown,
            hide_index=True,
            height=min(38 + 35 * len(shown), 320),
            alt=f"The first {len(shown)} rows of {found.name}.",
        )
    part = f"The first {len(shown):,} of" if len(shown) < len(frame) else "All"
    drawn = found.table.source is not None
    wide = frame.shape[1] > SHOWN_COLUMNS
    columns = f", the first {SHOWN_COLUMNS} of {frame.shape[1]:,} columns" if wide else ""
    st.caption(
        f"{part} {len(frame):,} rows{columns}"
        + ("." if found.bundled is not None else ", as in the file.")
        + (f" They were drawn at random from {found.table.source.n_rows:,}." if drawn else "")
    )
