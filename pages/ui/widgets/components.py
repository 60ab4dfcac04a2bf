"""Our Streamlit components: JavaScript, HTML and CSS files with a common name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


@cache
def component(path: Path) -> Any:
    """Return a component, to be called with its data."""
    files = (path.with_suffix(end) for end in (".html", ".css", ".js"))
    html, css, js = (file.read_text("utf-8") if file.exists() else None for file in files)
    return st.components.v2.component(f"lincore_{path.name}", html=html, css=css, js=js)
