"""Selection of points or cells in a figure.

Markers carry the number of their row as `customdata`, cells of a confusion matrix the codes of
their true and predicted class. Heat maps, contours and surfaces report no selection in Streamlit.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from pages.ui.widgets import controls

if TYPE_CHECKING:
    import plotly.graph_objects as go


Mode = Literal["points", "box", "lasso"]

# Suffix of the key of a figure, for the key of its selection.
PICKED = ".picked"


def figure(
    fig: go.Figure,
    *,
    key: str,
    modes: Sequence[Mode] = ("points", "box", "lasso"),
    read: Callable[[Any], list[int]] | None = None,
) -> list[int]:
    """Show a figure of lincore.plots in which points can be selected; return the selection.

    The session keeps it under the key with the suffix `PICKED`, and it is part of the link.
    """
    controls.note_figure(fig, key=key)
    with st.container(gap=None, key=f"{key}.fit"):
        controls.show_title(fig, key=key)
        controls.draw(
            fig,
            key=key,
            on_select=partial(_keep, key, read or rows),
            selection_mode=modes,
        )
    return list(st.session_state.get(f"{key}{PICKED}", ()))


def _keep(key: str, read: Callable[[Any], list[int]]) -> None:
    st.session_state[f"{key}{PICKED}"] = read(st.session_state.get(key))


def offer_to_clear(*keys: str) -> None:
    """Offer to clear a selection from a link, which is not visible in the figure."""
    held = [key for key in keys if st.session_state.get(f"{key}{PICKED}")]
    if held and not any(_points(st.session_state.get(key)) for key in held):
        st.button(
            "Clear the selection",
            key=f"{keys[0]}.clear",
            on_click=_clear,
            args=(held,),
            help="Forget the selected points.",
        )


def _clear(keys: Sequence[str]) -> None:
    for key in keys:
        st.session_state[f"{key}{PICKED}"] = []


def rows(event: Any) -> list[int]:
    """Return the selected rows, each once, in the order of the figure."""
    selected = [_whole(point.get("customdata")) for point in _points(event)]
    return list(dict.fromkeys(codes[0] for codes in selected if len(codes) == 1 and codes[0] >= 0))


def cell(event: Any) -> list[int]:
    """Return the codes of true and predicted class of the last selected cell, or []."""
    selected = [_whole(point.get("customdata")) for point in _points(event)]
    cells = [codes for codes in selected if len(codes) == 2]
    return cells[-1] if cells else []


def _points(event: Any) -> list[Mapping[str, Any]]:
    try:
        points = event["selection"]["points"]
    except (TypeError, KeyError):
        return []
    return [point for point in points or [] if isinstance(point, Mapping)]


def _whole(value: Any) -> list[int]:
    """Return customdata as whole numbers; [] for lines and ellipses, which have none."""
    # Two-dimensional typed arrays come from the browser as objects with positions as keys.
    if isinstance(value, Mapping):
        value = [value[name] for name in sorted(value, key=str)]
    if not isinstance(value, list | tuple):
        value = [value]
    if not all(isinstance(number, numbers.Real) and float(number).is_integer() for number in value):
        return []
    return [int(number) for number in value]
