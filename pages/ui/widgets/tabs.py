"""Tabs, of which the open one is drawn; the page scrolls to a tab that a link opens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from time import monotonic
from typing import Any

import streamlit as st

_AWAITED = "shared.arrival"
# Seconds until a page opened by a link has drawn its tabs, on a slow machine.
_FRESH = 30.0
# The content above still grows for a moment; the first scroll by the visitor ends this.
_SCRIPT = """
const STAYS = 10000, EVERY = 100; // milliseconds
const done = new Set();

export default function ({ data, parentElement }) {
  if (done.has(data)) return;
  done.add(data);
  const anchor = parentElement.host ?? parentElement;
  anchor.style.scrollMarginTop = "4rem"; // below the bar with the menu
  const stop = () => clearInterval(timer);
  const timer = setInterval(() => anchor.scrollIntoView({ block: "start" }), EVERY);
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
    """Remember the tabs in a link, and when it was opened."""
    st.session_state[_AWAITED] = (monotonic(), frozenset(view))


def show(
    key: str, panels: Mapping[str, Callable[[], None]], within: Mapping[str, str] | None = None
) -> None:
    """Draw tabs, and the content of the open one; a link may name what is `within` a tab."""
    labels, asked = list(panels), st.session_state.get(key)
    held = asked if within is None else within.get(asked or "", asked)
    if held not in (asked, None) and held in panels:
        st.session_state[key] = held
    when, keys = st.session_state.get(_AWAITED, (0.0, frozenset()))
    if key in keys and held in labels[1:]:  # it lies beyond the first screen
        _component()(key=f"{key}.arrival", data=when)
    # Other tabs are another widget, which would open the first.
    if st.session_state.get(f"{key}.labels") != labels and held in panels:
        st.session_state[key] = held
    st.session_state[f"{key}.labels"] = labels
    tabs = st.tabs(labels, key=key, on_change="rerun")
    for tab, draw in zip(tabs, panels.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def is_fresh(key: str) -> bool:
    """Return whether a link has just opened a tab with this key, so that its work may start."""
    when, keys = st.session_state.get(_AWAITED, (0.0, frozenset()))
    return key in keys and monotonic() - when < _FRESH
