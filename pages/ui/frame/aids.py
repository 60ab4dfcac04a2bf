"""Aids of every page: tooltips with whole names, and the focus of the keyboard (`aids.js`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pages.ui.widgets import components


def show(names: Sequence[str]) -> None:
    """Begin or go on with the aids; `names` are those that the page may shorten."""
    components.component(Path(__file__).with_suffix(""))(
        key="shared.aids", data={"names": tuple(names)}, height=1
    )
