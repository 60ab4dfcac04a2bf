"""Widgets used on more than one page, and widgets that survive a change of data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import streamlit as st
from plotly.basedatatypes import BaseFigure

from lincore.plots.base import shorten_all
from pages.ui.server import _compat
from pages.ui.widgets import downloads, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.displays import Display

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
# The height of any other figure, and of one that ends above the fold of a low window, as on a
# projector: `room` pixels are left for the content above it.
AS_HIGH = """<style>
.st-key-{inner}, .st-key-{inner} .stPlotlyChart {{ height: {height:.0f}px !important; }}
</style><div hidden></div>"""
LOW = """<style>
@media (min-width: 768px) and (max-height: 800px) {{
  .st-key-{inner}, .st-key-{inner} .stPlotlyChart {{ max-height: calc(100vh - {room}px); }}
}}
</style><div hidden></div>"""
# The share of the height of such a figure that its legend may take: on a phone it has more lines.
LEGEND_SHARE = 0.45
# Pixels beside and below the axes: a letter of a label, the title of an axis with its ticks, a
# colour bar, a line and an entry of a legend without its letters; and the width of a phone.
LETTER, AXIS, COLOUR_BAR, LINE, ENTRY, PHONE = 6.3, 55, 75, 28, 45, 340
# The default width of a select box, of the space around its text, and of a letter.
SELECT, AROUND, BROAD = 300, 50, 7
_TAG = re.compile("<[^>]*>")
# The last page, and its widgets that got their value since it was opened.
_VISIT = "shared.visit"
# The figures and displays of the page in this run.
_SHOWN = "shared.shown"


def choose(label: str, options: Sequence[Any], *, key: str, **settings: Any) -> Any:
    """Ask for one of some options; a stored value that is no longer offered is forgotten."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]
    index = settings.pop("index", 0)
    if options and index is not None:
        begin_with(key, options[index])
    return st.selectbox(label, options, key=key, persist_state="session", **settings)


def named(
    options: Sequence[Any], names: Iterable[object], width: int | None = None
) -> dict[str, Any]:
    """Return the arguments of a select box for options with names from the visitor's data.

    Long names are shortened in their middle, unless two became equal: Streamlit tells options apart
    by what they show.
    """
    whole, most = [str(name) for name in names], ((width or SELECT) - AROUND) // BROAD
    if any(len(name) > most for name in whole):
        short = shorten_all(whole, most)
        whole = short if len(set(short)) == len(set(whole)) else whole
    naming = dict(zip(options, whole, strict=True))
    arguments = {
        "options": list(options),
        "format_func": lambda option: naming.get(option, str(option)),
    }
    return arguments if width is None else arguments | {"width": width}


def begin_among(key: str, options: Sequence[Any], first: Any) -> None:
    """Give a widget an initial value, and remove stored values that it does not offer."""
    held = st.session_state.get(key)
    if isinstance(held, list):
        if not set(held) <= set(options):
            st.session_state[key] = [value for value in held if value in options]
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
    width: int | Literal["stretch"] = "stretch",
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
    begun = note_visit()
    if key not in begun or key not in st.session_state:
        st.session_state[key] = st.session_state.get(key, value)
    begun.add(key)


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

    begun = note_visit()
    if key not in begun or st.session_state.get(key) != value:
        st.session_state[key] = value
    begun.add(key)
    return {"key": key, "on_change": changed, "persist_state": "session"}


def note_visit() -> set[str]:
    """Return the widgets that got their value in this visit; to be called on every page."""
    page = _compat.page()
    former, begun = st.session_state.get(_VISIT, (None, set()))
    if page != former:
        begun = set[str]()
        st.session_state[_VISIT] = page, begun
    return begun


def figure(
    fig: go.Figure,
    *,
    key: str,
    exported: go.Figure | None = None,
    result: str = "",
    room: int | None = None,
) -> None:
    """Show a figure of lincore.plots, with its text alternative; a result replaces the title.

    With `room` it ends above the fold of a low window, below so many pixels of the page.
    """
    note_figure(exported or fig, key=key)
    with st.container(gap=None, key=f"{key}.fit"):
        show_title(exported or fig, key=key, result=result)
        _draw_cached(identity=id(fig), key=key, room=room, _fig=fig)


# Streamlit replays the messages of a cached function. The key is the identity of the figure, which
# is unique while the cache holds it.
@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _draw_cached(identity: int, key: str, room: int | None, _fig: go.Figure) -> go.Figure:
    draw(_fig, key=key, room=room)
    return _fig


def draw(fig: go.Figure, *, key: str, room: int | None = None, **selection: Any) -> None:
    """Draw a figure; one with equal axes is as high as the width of its container allows.

    The container around it has the key with the suffix ".fit".
    """
    sent = _sent_figure(identity=id(fig), _fig=fig)
    names = {"outer": f"{key}.fit", "inner": key}
    classes = {name: re.sub(r"[^a-zA-Z0-9_-]", "-", word) for name, word in names.items()}
    if sent.fitted:
        st.html(FITTED.format(**classes, **sent.fitted))
    elif room is not None:
        st.html(AS_HIGH.format(**classes, height=sent.to_dict()["layout"]["height"]))
    if room is not None:
        st.html(LOW.format(**classes, room=room))
    st.plotly_chart(
        sent,
        key=key,
        height="stretch" if sent.fitted or room is not None else "content",
        alt=fig.layout.meta["alt"],
        config={"displaylogo": False},
        **selection,
    )


class SentFigure(BaseFigure):
    """A figure as it is sent: measured, and written as a dictionary, once and not in every run."""

    fitted: Mapping[str, float] = {}

    def __init__(self, fig: go.Figure) -> None:
        self._written = fig.to_dict()
        layout = self._written["layout"]
        _leave_out_title(layout)
        self.fitted = _proportions(self._written["data"], layout)
        if self.fitted:
            layout["legend"]["maxheight"] = LEGEND_SHARE
            if _names_have_a_margin(layout["xaxis"]):
                # Plotly keeps a square that was small when first drawn; here the page fits it.
                del layout["yaxis"]["scaleanchor"]

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as a dictionary, which nobody changes."""
        return self._written


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def _sent_figure(identity: int, _fig: go.Figure) -> SentFigure:
    return SentFigure(_fig)


def _leave_out_title(layout: dict[str, Any]) -> None:
    """Remove the title of a figure, which is part of the page."""
    layout.pop("title", None)
    spare = layout["margin"]["t"] - TOP
    if spare > 0:
        layout["margin"]["t"] = TOP
        layout["height"] -= spare


def _names_have_a_margin(axis: dict[str, Any]) -> bool:
    """Return whether an axis of names, as of a matrix of many classes, brings its own margin."""
    return "ticktext" in axis and not axis.get("automargin", True)


def _proportions(data: list[dict[str, Any]], layout: dict[str, Any]) -> dict[str, float]:
    """Return the proportions of a figure of one pair of equal axes, in pixels; {} for others."""
    margin, across, up = layout["margin"], layout.get("xaxis", {}), layout.get("yaxis", {})
    sides, ends = margin["l"] + margin["r"], margin["t"] + margin["b"]
    if "sheet" in layout["meta"]:
        return {"sides": sides, "ends": ends, **layout["meta"]["sheet"]}
    if up.get("scaleanchor") != "x" or "xaxis2" in layout:
        return {}
    labels = ([_TAG.sub("", text) for text in axis.get("ticktext", ())] for axis in (up, across))
    letters, under = (max(map(len, texts), default=3) for texts in labels)
    # Labels that are longer than the distance of their ticks are turned.
    is_turned = LETTER * under * len(across.get("ticktext", ())) > PHONE * 2 / 3
    has_bar = any(trace.get("marker", {}).get("showscale") for trace in data)
    lines, used = 0, float(PHONE)
    for trace in data if layout.get("showlegend", True) else ():
        if "name" in trace and trace.get("showlegend", True):
            entry = ENTRY + LETTER * len(trace["name"])
            lines, used = (lines + 1, entry) if used + entry > PHONE else (lines, used + entry)
    sides += AXIS - 15 + LETTER * letters + COLOUR_BAR * has_bar
    ends += LINE * lines
    if not _names_have_a_margin(across):
        ends += AXIS + LETTER * under * is_turned
    (left, right), (bottom, top) = across["range"], up["range"]
    ratio = abs(top - bottom) / abs(right - left)
    return {
        "sides": sides, "ends": ends, "ratio": ratio, "width": (layout["height"] - ends) / ratio
    }  # fmt: skip


class PageContents(NamedTuple):
    """The figures and displays of a page by key, in the order of drawing."""

    figures: dict[str, go.Figure]
    displays: dict[str, Display]


def begin_page() -> PageContents:
    """Start collecting the figures and displays of a page."""
    shown = st.session_state[_SHOWN] = PageContents({}, {})
    return shown


def note_figure(fig: go.Figure, *, key: str) -> None:
    """Note a figure for the export."""
    shown = st.session_state.get(_SHOWN)
    if shown is not None:
        shown.figures[key] = fig


def note_display(display: Display, *, key: str) -> None:
    """Note a display for script and report, replacing the former one with the same key."""
    shown = st.session_state.get(_SHOWN)
    if shown is not None:
        shown.displays[key] = display


def show_title(fig: go.Figure, *, key: str, result: str = "") -> None:
    """Write the title of a figure, or a result, above it, with its downloads."""
    meta = fig.layout.meta
    subtitle = f"  \n:small[:gray[{text.escape(meta['subtitle'])}]]" if meta["subtitle"] else ""
    title = f"**{text.escape(result or meta['title'])}**{subtitle}"
    if not downloads.are_offered(key):
        st.markdown(title)
        return
    with st.container(horizontal=True, wrap=False, gap="xsmall", key=f"{key}.title"):
        st.markdown(title, width="stretch")
        downloads.offer(fig, key=key)


def marks(key: str, values: Mapping[str, Any], keep: Callable[[Any], None]) -> None:
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
