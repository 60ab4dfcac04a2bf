"""A button that copies a text to the clipboard."""

from __future__ import annotations

from pathlib import Path

from pages.ui.widgets import components


def show(label: str, query: str, *, key: str) -> None:
    """Draw a button that copies the address of this page with a given query."""
    button = components.component(Path(__file__).with_suffix(""))
    button(key=key, data={"label": label, "query": query, "done": "Copied"})
