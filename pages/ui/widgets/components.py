"""Components of our own: markup, look and script, each a file of one name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


@cache
def component(path: Path) -> Any:
    """Return a component, to be called with its data."""
    html, css, js = (path.with_suffix(end).read_text("utf-8") for end in (".html", ".css", ".js"))
    return st.components.v2.component(f"lincore_{path.name}", html=html, css=css, js=js)
