"""Widgets used on more than one page, and widgets that survive a change of data."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.ui.server import _compat
from pages.ui.widgets import downloads, text

if TYPE_CHECKING:
    import plotly.graph_objects as go


# Margin above a figure without a title, in pixels: the height of its buttons.
TOP = 28
# The height of a figure with equal axes follows the width of its container (`cqw` is one percent of
# it): Plotly keeps the height of a figure, with a large blank below the axes on a phone.
FITTED = """<style>
.st-key-{outer} {{ container-type: inline-size; }}
.st-key-{inner}, .st-key-{inner} .stPlotlyChart {{
  height: calc(min(100cqw - {sides:.0f}px, {width:.0f}px) * {ratio:.4f} + {ends:.0f}px) !important;
}}
</style><div hidden></div>"""  # with a style alone Streamlit would refuse to replay it
# The share of the height of such a figure that its legend may take: on a phone it has more lines.
LEGEND_SHARE = 0.45
# Pixels beside and below the axes: a letter of a label, the title of an axis with its ticks, a
# colour bar, a line and an entry of a legend without its letters; and the width of a phone.
LETTER, AXIS, COLOUR_BAR, LINE, ENTRY, PHONE = 6.3, 55, 75, 28, 45, 340
_TAG = re.compile("<[^>]*>")
# The last page and the number of its visit; the visit in which each widget got its value.
_VISIT, _BEGUN = "shared.visit", "shared.visit.begun"
# The figures of the page in this run.
_FIGURES = "shared.figures"
_untitling = Lock()


def choose(label: str, options: Sequence[Any], *, key: str, **settings: Any) -> Any:
    """Ask for one of some options; a stored value that is no longer offered is forgotten."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]
    index = settings.pop("index", 0)
    if options and index is not None:
        begin_with(key, options[index])
    return st.selectbox(label, options, key=key, persist_state="session", **settings)


def begin_among(key: str, options: Sequence[Any], first: Any) -> None:
    """Give a widget an initial value, and remove stored values that it does not offer."""
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
    """Ask for a whole number within a range; a stored value outside of it is clipped."""
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

    It is set in the session: a visible widget whose key is deleted (for another data set) would
    otherwise keep its value. It is set again at every visit of a page, because number inputs and
    sliders return their default in the first run of a page, whatever the session holds.
    """
    visit, begun = count_visits(), st.session_state.setdefault(_BEGUN, {})
    if key not in st.session_state or begun.get(key) != visit:
        st.session_state[key] = st.session_state.get(key, value)
    begun[key] = visit


def edits(
    key: str, value: Any, keep: Callable[[Any], None], *, or_none: bool = False
) -> dict[str, Any]:
    """Return the arguments of a widget that shows a value and reports changes.

    The value is stored elsewhere; it replaces the state of the widget, also at every visit of a
    page, as in `begin_with`. It is persistent, because a browser that draws the widget later (in a
    popover that was closed) gets no other value. With `or_none` the widget may be empty.
    """

    def changed() -> None:
        # A late click may come after its widget is gone.
        chosen = st.session_state.get(key)
        if chosen is not None or (or_none and key in st.session_state):
            keep(chosen)

    visit, begun = count_visits(), st.session_state.setdefault(_BEGUN, {})
    if begun.get(key) != visit or st.session_state.get(key) != value:
        st.session_state[key] = value
    begun[key] = visit
    return {"key": key, "on_change": changed, "persist_state": "session"}


def count_visits() -> int:
    """Return the number of page visits so far, including this one; to be called on every page."""
    page = _compat.page()
    former, number = st.session_state.get(_VISIT, (None, 0))
    if page != former:
        number += 1
        st.session_state[_VISIT] = (page, number)
    return int(number)


def figure(fig: go.Figure, *, key: str, taken: go.Figure | None = None, result: str = "") -> None:
    """Show a figure of lincore.plots, with its text alternative; a result replaces the title."""
    note_figure(taken or fig, key=key)
    with st.container(gap=None, key=f"{key}.fit"):
        show_title(taken or fig, key=key, result=result)
        _chart(id(fig), key, fig)


# Streamlit replays the messages of a cached function without serialising the figure again. The key
# is the identity of the figure, which is unique while the cache holds it.
@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _chart(identity: int, key: str, _fig: go.Figure) -> go.Figure:
    draw(without_title(_fig), key=key)
    return _fig


def draw(fig: go.Figure, *, key: str, **selection: Any) -> None:
    """Draw a figure; one with equal axes is as high as the width of its container allows.

    The container around it has the key with the suffix ".fit".
    """
    fitted = _proportions(fig)
    if fitted:
        names = {"outer": f"{key}.fit", "inner": key}
        classes = {name: re.sub(r"[^a-zA-Z0-9_-]", "-", word) for name, word in names.items()}
        st.html(FITTED.format(**classes, **fitted))
        fig.layout.legend.maxheight = LEGEND_SHARE
    st.plotly_chart(
        fig,
        key=key,
        height="stretch" if fitted else "content",
        alt=fig.layout.meta["alt"],
        config={"displaylogo": False},
        **selection,
    )


def _proportions(fig: go.Figure) -> dict[str, float]:
    """Return the proportions of a figure of one pair of equal axes, in pixels; {} for others."""
    layout = fig.layout.to_plotly_json()
    margin, across, up = layout["margin"], layout.get("xaxis", {}), layout.get("yaxis", {})
    sides, ends = margin["l"] + margin["r"], margin["t"] + margin["b"]
    if "sheet" in layout["meta"]:
        return {"sides": sides, "ends": ends, **layout["meta"]["sheet"]}
    if up.get("scaleanchor") != "x" or "xaxis2" in layout:
        return {}
    labels = ([_TAG.sub("", text) for text in one.get("ticktext", ())] for one in (up, across))
    letters, under = (max(map(len, texts), default=3) for texts in labels)
    # Labels that are longer than the distance of their ticks are turned.
    is_turned = LETTER * under * len(across.get("ticktext", ())) > PHONE * 2 / 3
    traces = fig.to_plotly_json()["data"]
    has_bar = any(trace.get("marker", {}).get("showscale") for trace in traces)
    lines, used = 0, PHONE
    for trace in traces if layout.get("showlegend", True) else ():
        if "name" in trace and trace.get("showlegend", True):
            entry = ENTRY + LETTER * len(trace["name"])
            lines, used = (lines + 1, entry) if used + entry > PHONE else (lines, used + entry)
    sides += AXIS - 15 + LETTER * letters + COLOUR_BAR * has_bar
    ends += AXIS + LETTER * under * is_turned + LINE * lines
    (left, right), (bottom, top) = across["range"], up["range"]
    ratio = abs(top - bottom) / abs(right - left)
    return {
        "sides": sides, "ends": ends, "ratio": ratio, "width": (layout["height"] - ends) / ratio
    }  # fmt: skip


def begin_figures() -> dict[str, go.Figure]:
    """Start collecting the figures of a page; return the dictionary that will hold them by key."""
    noted: dict[str, go.Figure] = {}
    st.session_state[_FIGURES] = noted
    return noted


def note_figure(fig: go.Figure, *, key: str) -> None:
    """Note a figure for the export."""
    if _FIGURES in st.session_state:
        st.session_state[_FIGURES][key] = fig


def show_title(fig: go.Figure, *, key: str, result: str = "") -> None:
    """Write the title of a figure, or a result, above it, with its downloads."""
    meta = fig.layout.meta
    subtitle = f"  \n:small[:gray[{text.escape(meta['subtitle'])}]]" if meta["subtitle"] else ""
    with st.container(horizontal=True, wrap=False, gap="xsmall", key=f"{key}.title"):
        st.markdown(f"**{text.escape(result or meta['title'])}**{subtitle}", width="stretch")
        downloads.offer(fig, key=key)


def without_title(fig: go.Figure) -> go.Figure:
    """Return a figure without its title, which is part of the page."""
    with _untitling:  # a copy, as visitors share figures
        layout = fig.layout
        layout.title = None
        spare = layout.margin.t - TOP
        if spare > 0:
            layout.margin.t, layout.height = TOP, layout.height - spare
    return fig
