"""Components of the page Geometry: markup, look and script, each a file beside this one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent


@cache
def component(name: str) -> Any:
    """Return the component of a name, to be called with its data.

    Parameters
    ----------
    name : {"player", "board"}
    """
    html, css, js = ((HERE / f"{name}.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    return st.components.v2.component(f"lincore_{name}", html=html, css=css, js=js)
