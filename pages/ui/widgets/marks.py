"""Named values of a slider as buttons below it: the file's own and the balanced one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.ui.widgets import text


def draw(key: str, values: Mapping[str, Any], keep: Callable[[Any], None]) -> None:
    """Draw a button for each named value, which `keep` chooses."""
    with st.container(horizontal=True, gap="small", key=f"{key}.marks"):
        for position, (name, value) in enumerate(values.items()):
            st.button(
                text.escape(name),
                key=f"{key}.mark.{position}",
                type="tertiary",
                on_click=keep,
                args=(value,),
            )
