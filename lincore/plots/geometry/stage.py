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
# Fixed space for ticks and titles of axes: with automatic margins Plotly draws each figure twice.
FIXED, MARGIN = {"automargin": False}, {"l": 60, "r": 10, "b": 84}
# Pixels: the figure, which fills a projector below a strip of controls; a line of a legend.
HEIGHT = 560
LINE = 29
Share = tuple[float, float]
WHOLE: Share = (0.0, 1.0)


class StagePlane(NamedTuple):
    """The drawn part of a plane."""

    low: Array  # (2,)
    high: Array  # (2,)
    names: tuple[str, str] = ("x1", "x2")
    is_equal: bool = True  # whether a unit has the same length on both axes

    @classmethod
    def around(
        cls, points: ArrayLike, *, margin: float = 0.12, names: tuple[str, str] = ("x1", "x2")
    ) -> StagePlane:
        """Return the square about all points (n, 2), with a margin."""
        coordinates = np.asarray(points, dtype=float)
        low, high = coordinates.min(axis=0), coordinates.max(axis=0)
        half = (0.5 + margin) * float((high - low).max())
        centre = (low + high) / 2
        return cls(centre - half, centre + half, names)


class Spot(NamedTuple):
    """The part of a figure that a plane fills, in shares of its width and of its height."""

    across: Share = WHOLE
    up: Share = WHOLE


FULL = Spot()


class Panel(NamedTuple):
    """Another plane of a figure."""

    plane: StagePlane
    spot: Spot
    across: Mapping[str, Any] = {}  # settings of the x axis
    up: Mapping[str, Any] = {}

    def axes(self, number: int = 1) -> dict[str, Any]:
        """Return both axes for the layout of a figure in which it has this number."""
        end = "" if number == 1 else str(number)
        ends = [[float(low), float(high)] for low, high in zip(*self.plane[:2], strict=True)]
        given = (FIXED | {**self.across}, FIXED | {**self.up})
        x, y = (
            axis(name, range=ends[i], domain=[*self.spot[i]], anchor=f"{'yx'[i]}{end}", **given[i])
            for i, name in enumerate(self.plane.names)
        )
        both = equal_axes(x, y, end=end) if self.plane.is_equal else {"xaxis": x, "yaxis": y}
        return {f"{name}{end}": settings for name, settings in both.items()}


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


def stems(name: str, hue: str, *, width: float = 1, size: float = 4) -> Trace:
    """Return the look of points that stand on lines from zero."""
    down = {"type": "percent", "symmetric": False, "value": 0, "valueminus": 100, "width": 0}
    look = {"color": hue, "size": size}
    bar = {**down, "color": hue, "thickness": width}
    return trace("scatter", mode="markers", name=name, marker=look, error_y=bar, hoverinfo="skip")


def ring(name: str, hue: str = INK) -> Trace:
    """Return the look of a ring that marks a point."""
    look = {"symbol": "circle-open", "size": 17, "color": hue, "line": {"width": 2.5}}
    return trace("scatter", mode="markers", name=name, marker=look, hoverinfo="skip")


def bars(name: str, hue: str) -> Trace:
    """Return the look of bars that move."""
    return trace("bar", name=name, marker={"color": hue}, hoverinfo="skip")


def arrow(plane: StagePlane, start: ArrayLike, end: ArrayLike) -> Array:
    """Return an arrow as a line, (6, 2), with a head of constant size."""
    tail, tip = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    step = tip - tail
    length = float(np.hypot(*step))
    if length == 0:
        return np.full((6, 2), np.nan)
    along = HEAD * float((plane.high - plane.low)[0]) * step / length
    across = 0.6 * np.array([-along[1], along[0]])
    gap = np.full(2, np.nan)
    return np.array([tail, tip, gap, tip - along + across, tip, tip - along - across])


def within(look: Trace, panel: int = 0) -> Trace:
    """Return the look of a trace of a panel, counted from 0."""
    return {**look, "xaxis": f"x{panel + 2}", "yaxis": f"y{panel + 2}", "showlegend": False}


def joined(parts: Sequence[Array]) -> Array:
    """Concatenate lines or polygons, separated by rows of NaN."""
    gap = np.full((1, 2), np.nan)
    pieces = [piece for path in parts for piece in (path, gap)][:-1]
    return np.concatenate(pieces) if pieces else np.full((1, 2), np.nan)


def contours(x: Array, y: Array, z: Array, name: str) -> Trace:
    """Return contour lines that do not move."""
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
    across: Mapping[str, Any] | None = None,
    up: Mapping[str, Any] | None = None,
    spot: Spot = FULL,
    panels: Sequence[Panel] = (),
) -> go.Figure:
    """Draw an experiment in one of its frames: `rows` in the plane, which fills its `spot`."""
    # The third column of points of shape (k, 3) holds the sizes of markers.
    drawn = [{**look, **_coordinates(points)} for look, points in zip(moving, places, strict=True)]
    is_below = [look.get("fill") == "toself" for look in moving]
    stays = [*fixed]
    if rows is not None:
        stays += point_traces(Marks.from_arrays(*rows), plane.names)
    below = [i for i, under in enumerate(is_below) if under]
    above = [i for i, under in enumerate(is_below) if not under]
    traces = [*(drawn[i] for i in below), *stays, *(drawn[i] for i in above)]
    order = [*below, *([-1] * len(stays)), *above]
    settings: dict[str, Any] = {}
    for number, panel in enumerate((Panel(plane, spot, across or {}, up or {}), *panels), start=1):
        settings |= panel.axes(number)
    result = figure(traces, title, alt=alt, height=HEIGHT, dragmode=False, **settings)
    result.layout.margin.update(MARGIN)
    result.layout.meta = {
        **result.layout.meta,
        "moving": [order.index(i) for i in range(len(drawn))],
        "narrow": _narrow_layout(len(panels)) if spot.across[1] < 0.7 else {},
    }
    return result


def _narrow_layout(n_panels: int) -> dict[str, Any]:
    """Return the layout on a phone: panels below the plane, and legends of two lines."""
    layout: dict[str, Any] = {"xaxis.domain": WHOLE, "yaxis.domain": (0.48, 1.0)}
    layout["margin.b"] = MARGIN["b"] + LINE
    for i, across in enumerate([WHOLE] if n_panels == 1 else [(0.0, 0.4), (0.6, 1.0)], start=2):
        layout |= {f"xaxis{i}.domain": across, f"yaxis{i}.domain": (0.0, 0.34)}
    return layout


def _coordinates(points: Array) -> Trace:
    """Return the changes of a trace for other points, in Plotly's notation with underscores."""
    changes = {"x": compact(points[:, 0]), "y": compact(points[:, 1])}
    return changes if points.shape[1] == 2 else {**changes, "marker_size": compact(points[:, 2])}


def with_ghost(drawn: go.Figure, places: Sequence[tuple[Array, Array]], name: str) -> go.Figure:
    """Return a figure of `stage` with the first line of (expected, final) places that differ."""
    result = go.Figure(drawn)
    ranges = [np.ptp(axis.range) for axis in (drawn.layout.xaxis, drawn.layout.yaxis)]
    for number, (expected, final) in zip(drawn.layout.meta["moving"], places, strict=True):
        look = drawn.data[number]
        is_line = look.type == "scatter" and look.mode == "lines" and look.fill != "toself"
        if is_line and _differ(expected, final, 0.01 * np.array(ranges)):
            ghost = line(name, look.line.color, dash="dot", width=3)
            points = {"x": compact(expected[:, 0]), "y": compact(expected[:, 1])}
            axes = {"xaxis": look.xaxis, "yaxis": look.yaxis}
            result.add_trace({**ghost, **points, **axes, "opacity": 0.55})
            break
    return result


def _differ(expected: Array, final: Array, least: Array) -> bool:
    if not np.isfinite(expected).any():
        return False
    if expected.shape != final.shape or not np.isfinite(final).any():
        return True
    with np.errstate(invalid="ignore"):
        return bool((np.abs(expected - final) > least).any())


def in_frame(drawn: go.Figure, places: Sequence[Array]) -> go.Figure:
    """Return a figure of `stage` in another of its frames."""
    result = go.Figure(drawn)
    for number, points in zip(drawn.layout.meta["moving"], places, strict=True):
        result.data[number].update(_coordinates(points))
    return result
