"""Text on pages: escaped user text, and problems."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from lincore.errors import Notice

# All characters with a meaning in Streamlit's Markdown: a column called ![](http://…) must not load
# an image.
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")
# No line break between a number and its unit, or its sign of equality, or the ends of an interval.
_TOGETHER = re.compile(
    r"(?<=\d) (?=(?:%|points?|nats?|ms|s|kB|MB|GB)(?!\w))"
    r"|(?<=\d) (?=to [−+]?\d)|(?<=\d to) (?=[−+]?\d)"
    r"|(?<=\w) (?=[=<] [−\d])|(?<=\w [=<]) (?=[−\d])"
)
_DASH = re.compile(r"(?<=\d)–(?=[−\d])")


def escape(text: object) -> str:
    """Escape text for Markdown; numbers, their units and the ends of intervals stay together."""
    return _escape(str(text))


@lru_cache(maxsize=2000)
def _escape(text: str) -> str:
    line = _TOGETHER.sub("\u00a0", " ".join(text.split()))
    return _MARKUP.sub(r"\\\1", _DASH.sub("\u2060–\u2060", line))


def show_problem(notice: Notice) -> None:
    """Show a problem: cause, place and remedy."""
    where = f"**{escape(notice.where)}**  \n" if notice.where else ""
    remedy = f"  \n{escape(notice.remedy)}" if notice.remedy else ""
    st.error(f"{where}{escape(notice.what)}{remedy}")
