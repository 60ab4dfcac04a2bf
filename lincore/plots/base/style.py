"""Assembly of figures: traces, layout, escaped text, compact arrays."""

from __future__ import annotations

import html
import textwrap
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from lincore.plots.base.palette import CLEAR, GREY, GRID, INK
from lincore.utils.formatting import plain, shorten
from lincore.utils.formatting import shorten_all as shorten_all  # many plots need it

# A trace as Plotly writes it, with its type.
Trace = dict[str, Any]

# What Plotly makes of an empty template, so that a figure is the same whether or not Streamlit is
# loaded; as a dictionary it is not looked up by name first.
NO_TEMPLATE: dict[str, Any] = {"data": {"scatter": [{"type": "scatter"}]}}

# Characters per line on a phone, in Streamlit's font sizes.
TITLE_WIDTH = 44
TEXT_WIDTH = 54
LEGEND_WIDTH = 24
AXIS_WIDTH = 48
# The format of the ticks of an axis of shares.
PERCENT = "~%"
# Ticks between shares that differ by less have a decimal: 98.4 %.
CLOSE = 0.08

# Names that do not fit side by side are rotated to end at their columns. None is left out: by
# default Plotly hides a label that would extend beyond the figure.
CROWDED: dict[str, Any] = {"autotickangles": [0, -45, -90], "ticklabeloverflow": "allow"}

# Plotly's own subtitle is too far below the title. Streamlit would make all of it bold.
SUBTITLE = "<span style='font-size:13px;font-weight:400;fill-opacity:0.75'>{}</span>"


def figure(
    traces: Sequence[Trace],
    title: str,
    *,
    alt: str,
    subtitle: str = "",
    height: int = 480,
    bottom: int = 8,
    **layout: Any,
) -> go.Figure:
    """Return a figure, transparent so that it suits a light and a dark page."""
    # It is constructed at once: adding and updating traces takes Plotly many times as long. It is
    # not validated, which would take eight times as long; the tests validate every figure.
    lines = wrap(title, TITLE_WIDTH, even=True)
    lines += [SUBTITLE.format(line) for line in wrap(subtitle, TEXT_WIDTH)]
    top = 12 + 21 * len(lines)
    # Plotly puts a single line below this point, and the first of several above it.
    pad = {"t": 4 if len(lines) == 1 else 16}
    heading = {"text": "<br>".join(lines), "x": 0, "xanchor": "left", "pad": pad}
    # Plotly hides the last label of an axis of shares, "100 %", if it extends beyond the figure.
    right = 20 if layout.get("xaxis", {}).get("tickformat") == PERCENT else 8
    settings: dict[str, Any] = {
        "template": NO_TEMPLATE,
        "title": heading | {"y": 1, "yanchor": "top", "yref": "container"},
        "meta": {"alt": alt, "title": plain(title), "subtitle": plain(subtitle)},
        "height": height + top,
        "margin": {"t": top, "r": right, "l": 8, "b": bottom},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "hovermode": "closest",
        "hoverlabel": {"namelength": -1, "align": "left"},
        "legend": legend(),
        "modebar": {"bgcolor": CLEAR, "color": GREY, "activecolor": INK},
    }
    return go.Figure(list(traces), settings | layout, _validate=False)


def trace(kind: str, **settings: Any) -> Trace:
    """Return a trace for `figure` as a dict, which Plotly does not validate again."""
    return {"type": kind, **settings}


def legend(**settings: Any) -> dict[str, Any]:
    """Return the settings of a legend under the plot, at most as tall as the bottom margin."""
    under = {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yanchor": "bottom"}
    common = {"yref": "container", "itemsizing": "constant", "maxheight": 0.26}
    return under | common | settings


def axis(title: str = "", **settings: Any) -> dict[str, Any]:
    """Return the settings of an axis; the title is escaped here.

    Parameters
    ----------
    title : str
        Text, with the unit; HTML in it is shown and not obeyed.
    **settings
        Settings of Plotly's axis, which override those of all axes.

    Returns
    -------
    dict
        For ``xaxis`` or ``yaxis`` of a layout.
    """
    text = escape(shorten(title, AXIS_WIDTH))
    common = {"showgrid": True, "gridcolor": GRID, "zeroline": False, "automargin": True}
    return {"title": {"text": text, "standoff": 12}} | common | settings


def label_axis(
    labels: Sequence[str],
    *,
    width: int,
    title: str = "",
    most: int = 40,
    positions: Sequence[int] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the settings of an axis with a label at each position, by default from 0 on."""
    # Of more than `most` labels, every second, third, ... is written.
    every = -(-len(labels) // most) or 1
    short = [escape(label) for label in shorten_all(labels, width)]
    ticks = list(range(len(labels)) if positions is None else positions)
    return axis(title, tickvals=ticks[::every], ticktext=short[::every], showgrid=False, **settings)


def line_labels(labels: Sequence[str], *, width: int) -> tuple[dict[str, Any], int]:
    """Return the settings of a y axis with a label on each line, and the height of a line.

    The first is on top. Long labels are broken into two lines and shortened to these.
    """
    ticks = [_two_lines(label, width) for label in shorten_all(labels, 2 * width)]
    settings = axis(
        tickvals=list(range(len(labels))),
        ticktext=["<br>".join(lines) for lines in ticks],
        range=[len(labels) - 0.4, -0.6],
        showgrid=False,
    )
    return settings, 26 if all(len(lines) == 1 for lines in ticks) else 36


def _two_lines(label: str, width: int) -> list[str]:
    """Break a label into at most two lines; words that leave room would make a third."""
    room = 2 * width
    while len(lines := wrap(shorten(label, room), width)) > 2:
        room -= 1
    return lines


def bare_axis(**settings: Any) -> dict[str, Any]:
    """Return the settings of a hidden axis."""
    return {"visible": False, "showgrid": False, "zeroline": False} | settings


def vertical_line(x: float, **settings: Any) -> dict[str, Any]:
    """Return the shape of a vertical line over the whole height, at a value of x."""
    ends = {"xref": "x", "x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", "line": {"color": INK, "width": 1.5} | settings} | ends


def error_bars(
    value: ArrayLike, low: ArrayLike, high: ArrayLike, **settings: Any
) -> dict[str, Any]:
    """Return the settings of error bars from `low` to `high` around the values."""
    middle = np.atleast_1d(np.asarray(value, dtype=float))
    with np.errstate(invalid="ignore"):  # a log loss may be infinite, with both of its ends
        above, below = np.asarray(high) - middle, middle - np.asarray(low)
    ends = {"array": above.astype(np.float32), "arrayminus": below.astype(np.float32)}
    return {"type": "data", "symmetric": False, "color": GREY} | ends | settings


def escape(text: object) -> str:
    """Escape text for Plotly, which renders some HTML.

    Quotation marks stay: Plotly has no entity for them, and they are harmless outside of tags.
    A zero-width space keeps Plotly from replacing ``%{...}`` in names and titles.
    """
    return html.escape(plain(text), quote=False).replace("%{", "%\u200b{")


def escape_scene(text: object) -> str:
    """Escape text for an axis of a scene, where tags are rendered but entities are not."""
    return plain(text).replace("<", "<\u200b").replace("%{", "%\u200b{")


def wrap(text: str, width: int, *, even: bool = False) -> list[str]:
    """Break text into escaped lines of at most `width` characters, on request of `even` length."""
    # A number and its per cent sign stay together.
    whole = plain(text).replace(" %", "\u00a0%")
    lines = textwrap.wrap(whole, width)
    if even and len(lines) > 1:
        # The narrowest width with as few lines; each line break replaces a blank.
        least = max(1, len(whole) // len(lines) - 1)
        width = bisect_left(
            range(width), -len(lines), lo=least, key=lambda w: -len(textwrap.wrap(whole, w))
        )
        lines = textwrap.wrap(whole, width)
    return [escape(line) for line in lines]


def names(classes: ArrayLike) -> list[str]:
    """Return the labels of the classes as text."""
    return [plain(label) for label in np.asarray(classes).tolist()]


def percent_ticks(values: ArrayLike = ()) -> dict[str, Any]:
    """Return the settings of an axis of shares; `values` decide whether tenths are needed."""
    # Plotly writes "20%", sentences "20 %". It has no setting for that but a name for each tick;
    # where one is missing, because somebody zoomed in, the tick keeps Plotly's form.
    shares = np.asarray(values, dtype=float)
    shares = shares[np.isfinite(shares)]
    ticks = set(range(-1000 if shares.min(initial=0) < 0 else 0, 1001, 10))
    if shares.size and np.ptp(shares) < CLOSE:
        low, high = (shares.min() - CLOSE / 2, shares.max() + CLOSE / 2)
        ticks |= set(range(int(1000 * low), int(1000 * high) + 1))
    numbers = [f"{per_mille / 10:g}".replace("-", "−") for per_mille in sorted(ticks)]
    return {"tickformat": PERCENT, "labelalias": {f"{n}%": f"{n}\u00a0%" for n in numbers}}


def compact(values: ArrayLike) -> NDArray[Any]:
    """Return coordinates as float32, half the bytes, unless the difference would be visible."""
    # At an offset of 1e6 float32 moves a point by up to 0.03, so such coordinates stay
    # float64. So do numbers beyond the range of float32.
    wide = np.asarray(values, dtype=np.float64)
    finite = wide[np.isfinite(wide)]
    with np.errstate(over="ignore", under="ignore"):
        narrow = wide.astype(np.float32)
        span = np.ptp(finite) if finite.size else 0.0
        error = np.abs(finite - finite.astype(np.float32)).max(initial=0.0)
    return wide if error > 1e-5 * span else narrow


def narrow(numbers: ArrayLike) -> NDArray[Any]:
    """Return nonnegative integers in the smallest type that holds them."""
    whole = np.asarray(numbers)
    largest = int(whole.max(initial=0))
    kind = np.uint8 if largest < 2**8 else np.uint16 if largest < 2**16 else np.int32
    return whole.astype(kind)
