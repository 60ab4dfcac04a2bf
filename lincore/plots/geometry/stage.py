"""The figure of an experiment: what stays, and what moves from frame to frame, on equal axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import CLEAR, INK, colour, translucent
from lincore.plots.base.style import Trace, axis, compact, figure, trace
from lincore.plots.plane.axis_limits import equal_axes
from lincore.plots.plane.markers import Marks, point_traces
from lincore.utils.typing import Array

# A head of an arrow, in shares of the width of the window.
HEAD = 0.022


class StagePlane(NamedTuple):
    """The part of a plane that is drawn.

    Attributes
    ----------
    low, high : ndarray of shape (2,)
    names : tuple of two str
        Of the axes.
    is_equal : bool
        Whether both axes have the same unit, and so the same pixels per unit.
    """

    low: Array
    high: Array
    names: tuple[str, str] = ("x1", "x2")
    is_equal: bool = True

    @classmethod
    def around(
        cls, points: ArrayLike, *, margin: float = 0.12, names: tuple[str, str] = ("x1", "x2")
    ) -> StagePlane:
        """Return the square about all points (n, 2), with a margin."""
        found = np.asarray(points, dtype=float)
        low, high = found.min(axis=0), found.max(axis=0)
        half = (0.5 + margin) * float((high - low).max())
        centre = (low + high) / 2
        return cls(centre - half, centre + half, names)


def line(name: str, hue: str = INK, *, dash: str = "solid", width: float = 2.5) -> Trace:
    """Return the look of a line that moves."""
    look = {"color": hue, "width": width, "dash": dash}
    return trace("scatter", mode="lines", name=name, line=look, hoverinfo="skip")


def area(name: str, hue: str, strength: float = 0.35) -> Trace:
    """Return the look of an area that moves, drawn below the rows."""
    return trace(
        "scatter",
        mode="lines",
        name=name,
        fill="toself",
        fillcolor=translucent(hue, strength),
        line={"width": 0, "color": CLEAR},
        hoverinfo="skip",
    )


def dots(name: str, code: int, *, size: float = 8) -> Trace:
    """Return the look of rows of a class that move."""
    shape = ("circle", "diamond", "square")[code % 3]
    look = {"color": colour(code), "size": size, "symbol": shape}
    return trace("scatter", mode="markers", name=name, marker=look, hoverinfo="skip")


def ring(name: str, hue: str = INK) -> Trace:
    """Return the look of a ring around what is looked at."""
    look = {"symbol": "circle-open", "size": 17, "color": hue, "line": {"width": 2.5}}
    return trace("scatter", mode="markers", name=name, marker=look, hoverinfo="skip")


def bars(name: str, hue: str) -> Trace:
    """Return the look of bars that move."""
    return trace("bar", name=name, marker={"color": hue}, hoverinfo="skip")


def arrow(plane: StagePlane, start: ArrayLike, end: ArrayLike) -> Array:
    """Return an arrow as a line, (6, 2), with a head of one size whatever its length."""
    tail, tip = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    way = tip - tail
    length = float(np.hypot(*way))
    if length == 0:
        return np.full((6, 2), np.nan)
    along = HEAD * float((plane.high - plane.low)[0]) * way / length
    across = 0.6 * np.array([-along[1], along[0]])
    gap = np.full(2, np.nan)
    return np.array([tail, tip, gap, tip - along + across, tip, tip - along - across])


def joined(parts: Sequence[Array]) -> Array:
    """Return lines or polygons one after the other, with a row of NaN between them."""
    gap = np.full((1, 2), np.nan)
    pieces = [piece for part in parts for piece in (part, gap)][:-1]
    return np.concatenate(pieces) if pieces else np.full((1, 2), np.nan)


def contours(x: Array, y: Array, z: Array, name: str) -> Trace:
    """Return lines of equal height, that stay."""
    return trace(
        "contour",
        x=compact(x),
        y=compact(y),
        z=z.astype(np.float32),
        name=name,
        contours={"coloring": "lines"},
        ncontours=28,
        line={"width": 1},
        colorscale=[[0, "#868DE4"], [1, "#7F7F7F"]],
        showscale=False,
        hoverinfo="skip",
    )


def stage(
    plane: StagePlane,
    moving: Sequence[Trace],
    places: Sequence[Array],
    *,
    title: str,
    alt: str,
    rows: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    fixed: Sequence[Trace] = (),
    height: int = 560,
    across: Mapping[str, Any] | None = None,
    up: Mapping[str, Any] | None = None,
) -> go.Figure:
    """Draw an experiment in one of its frames."""
    drawn = [
        {**look, "x": compact(place[:, 0]), "y": compact(place[:, 1])}
        for look, place in zip(moving, places, strict=True)
    ]
    is_below = [look.get("fill") == "toself" for look in moving]
    stays = [*fixed]
    if rows is not None:
        stays += point_traces(Marks.from_arrays(*rows), plane.names)
    below = [i for i, under in enumerate(is_below) if under]
    above = [i for i, under in enumerate(is_below) if not under]
    traces = [*(drawn[i] for i in below), *stays, *(drawn[i] for i in above)]
    order = [*below, *([-1] * len(stays)), *above]
    settings: dict[str, Any] = {
        "xaxis": axis(plane.names[0], range=_ends(plane, 0), **(across or {})),
        "yaxis": axis(plane.names[1], range=_ends(plane, 1), **(up or {})),
    }
    if plane.is_equal:
        settings |= equal_axes(settings["xaxis"], settings["yaxis"])
    found = figure(traces, title, alt=alt, height=height, dragmode=False, **settings)
    found.layout.meta = {**found.layout.meta, "moving": [order.index(i) for i in range(len(drawn))]}
    return found


def in_frame(drawn: go.Figure, places: Sequence[Array]) -> go.Figure:
    """Return a figure of `stage` in another of its frames."""
    found = go.Figure(drawn)
    for number, place in zip(drawn.layout.meta["moving"], places, strict=True):
        found.data[number].update(x=compact(place[:, 0]), y=compact(place[:, 1]))
    return found


def _ends(plane: StagePlane, number: int) -> list[float]:
    return [float(plane.low[number]), float(plane.high[number])]
