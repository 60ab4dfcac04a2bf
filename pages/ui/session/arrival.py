"""Scroll to the tab that a link opens: it lies below a figure, beyond the first screen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from time import monotonic
from typing import Any

import streamlit as st

_AWAITED = "shared.arrival"
# Seconds in which a page that a link opens has drawn its tabs, on a slow machine.
_FRESH = 30.0
# What is drawn above goes on to grow for a moment; whoever scrolls has arrived.
_SCRIPT = """
const STAYS = 10000, EVERY = 100; // milliseconds
const done = new Set();

export default function ({ data, parentElement }) {
  if (done.has(data)) return;
  done.add(data);
  const here = parentElement.host ?? parentElement;
  here.style.scrollMarginTop = "4rem"; // below the bar with the menu
  const stop = () => clearInterval(timer);
  const timer = setInterval(() => here.scrollIntoView({ block: "start" }), EVERY);
  setTimeout(stop, STAYS);
  ["wheel", "touchstart", "pointerdown", "keydown"].forEach((name) =>
    addEventListener(name, stop, { once: true, capture: true })
  );
}
"""


@cache
def _component() -> Any:
    return st.components.v2.component("lincore_arrival", html="<span></span>", js=_SCRIPT)


def expect(view: Mapping[str, Any]) -> None:
    """Remember which tabs a link names, and when it was opened."""
    st.session_state[_AWAITED] = (monotonic(), frozenset(view))


def show(key: str, first: str) -> None:
    """Scroll to here if a link has opened another tab than the first of those with this key."""
    when, keys = st.session_state.get(_AWAITED, (0.0, frozenset()))
    if key in keys and st.session_state.get(key) not in (None, first):
        _component()(key=f"{key}.arrival", data=when)


def is_fresh(key: str) -> bool:
    """Return whether a link has just opened a tab with this key, so that its work may start."""
    when, keys = st.session_state.get(_AWAITED, (0.0, frozenset()))
    return key in keys and monotonic() - when < _FRESH
