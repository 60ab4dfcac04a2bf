"""Widgets used on more than one page, and widgets that survive a change of data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.ui.server import _compat
from pages.ui.widgets import downloads, text

if TYPE_CHECKING:
    import plotly.graph_objects as go


# Pixels over a figure whose title stands in the page: the height of its buttons.
TOP = 28
# The last page and the number of its visit; for each widget, the visit in which it began.
_VISIT, _BEGUN = "shared.visit", "shared.visit.begun"
# The figures that a page has shown in this run of it.
_FIGURES = "shared.figures"
_untitling = Lock()


def choose(label: str, options: Sequence[Any], *, key: str, **settings: Any) -> Any:
    """Return one of some options; a stored value that is no longer offered is forgotten."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]
    index = settings.pop("index", 0)
    if options and index is not None:
        begin_with(key, options[index])
    return st.selectbox(label, options, key=key, persist_state="session", **settings)


def begin_among(key: str, options: Sequence[Any], first: Any) -> None:
    """Give a widget a first value, and take away what it does not offer, one or several."""
    held = st.session_state.get(key)
    if isinstance(held, list):
        if not set(held) <= set(options):
            st.session_state[key] = [one for one in held if one in options]
    elif held is not None and held not in options:
        del st.session_state[key]
    begin_with(key, first)


def number(
    label: str,
    low: int,
    high: int,
    default: int,
    *,
    key: str,
    help: str,
    width: int | str = "stretch",
) -> int:
    """Return a whole number from a range; a stored value outside of it is brought inside."""
    if key in st.session_state and not low <= st.session_state[key] <= high:
        st.session_state[key] = min(max(st.session_state[key], low), high)
    begin_with(key, min(max(default, low), high))
    return int(
        st.number_input(
            label,
            low,
            high,
            step=1,
            key=key,
            help=help,
            persist_state="session",
            width=width,
        )
    )


def begin_with(key: str, value: Any) -> None:
    """Give a widget a value until the visitor chooses one.

    Through the session: a widget that is on the screen when its key is forgotten (another data
    set has come) would else go on with the former value. And anew at every visit of a page: a
    number or a slider returns its default in the first run of a page, whatever the session holds.
    """
    visit, begun = count_visits(), st.session_state.setdefault(_BEGUN, {})
    if key not in st.session_state or begun.get(key) != visit:
        st.session_state[key] = st.session_state.get(key, value)
    begun[key] = visit


def edits(key: str, value: Any, keep: Callable[[Any], None]) -> dict[str, Any]:
    """Return the settings of a widget that shows a value and hands on what the visitor chooses.

    The value lives elsewhere: whatever the widget held before is replaced by it, and anew at every
    visit of a page, as in `begin_with`. It persists, as a browser that draws the widget later, in a
    popover that was closed, gets no other value.
    """

    def changed() -> None:
        # A click may come when its widget is gone.
        chosen = st.session_state.get(key)
        if chosen is not None:
            keep(chosen)

    visit, begun = count_visits(), st.session_state.setdefault(_BEGUN, {})
    if begun.get(key) != visit or st.session_state.get(key) != value:
        st.session_state[key] = value
    begun[key] = visit
    return {"key": key, "on_change": changed, "persist_state": "session"}


def count_visits() -> int:
    """Return how many pages were visited, this one included; every page asks at least once."""
    page = _compat.page()
    former, number = st.session_state.get(_VISIT, (None, 0))
    if page != former:
        number += 1
        st.session_state[_VISIT] = (page, number)
    return int(number)


def standardize(**settings: Any) -> bool:
    """Ask whether to bring features to unit variance; `settings` of the toggle."""
    return st.toggle(
        "Standardise",
        **settings,
        help="Scale every feature to mean 0 and variance 1 over the training rows, so that units "
        "do not matter. Pixels share one unit and are better left unchanged.",
    )


def figure(fig: go.Figure, *, key: str, taken: go.Figure | None = None) -> None:
    """Show a figure of lincore.plots, with its text alternative."""
    note_figure(taken or fig, key=key)
    with st.container(gap=None):
        show_title(taken or fig, key=key)
        _chart(id(fig), key, fig)


# Streamlit sends again what a cached function sent, without reading the figure. It is known by its
# identity, which no other can have while the cache holds it.
@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _chart(identity: int, key: str, _fig: go.Figure) -> go.Figure:
    st.plotly_chart(
        without_title(_fig), key=key, alt=_fig.layout.meta["alt"], config={"displaylogo": False}
    )
    return _fig


def begin_figures() -> dict[str, go.Figure]:
    """Begin to note the figures of a page, and return where they will be, by their keys."""
    noted: dict[str, go.Figure] = {}
    st.session_state[_FIGURES] = noted
    return noted


def note_figure(fig: go.Figure, *, key: str) -> None:
    """Note a figure that is shown, so that it can be taken away."""
    if _FIGURES in st.session_state:
        st.session_state[_FIGURES][key] = fig


def show_title(fig: go.Figure, *, key: str) -> None:
    """Write the title of a figure over it, with what it can be downloaded as."""
    meta = fig.layout.meta
    subtitle = f"  \n:small[:gray[{text.escape(meta['subtitle'])}]]" if meta["subtitle"] else ""
    with st.container(horizontal=True, wrap=False, gap="xsmall"):
        st.markdown(f"**{text.escape(meta['title'])}**{subtitle}", width="stretch")
        downloads.offer(fig, key=key)


def without_title(fig: go.Figure) -> go.Figure:
    """Take off the title, which stands in the page; of a figure without one nothing."""
    with _untitling:  # visitors share figures
        layout = fig.layout
        layout.title = None
        spare = layout.margin.t - TOP
        if spare > 0:
            layout.margin.t, layout.height = TOP, layout.height - spare
    return fig
