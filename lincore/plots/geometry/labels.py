"""Names written beside moving lines, where they cover the least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from lincore.plots.base.style import Trace, compact, trace
from lincore.utils.typing import Array

# Pixels: the sides of a plot in a window of 1280, the size of a character, the gap between a label
# and its line, the radii of a row and a ring, and how much further from a ring a label may be.
SIDES, CHARACTER, GAP = np.array([390.0, 375.0]), (7.4, 17.0), 3.0
ROW, RING, FURTHER = 4.0, 9.0, 16.0
# A label is moved by up to this many pixels to avoid covering one more point.
PATIENCE = 80.0
# Cost of covering another label, in points covered.
NAME = 100.0
# Cost of a position at the end of a line, or further from a ring, in points covered.
PRICE = 0.9
# A halo in the colour of the page keeps rows and lines away from the letters of a label.
HALO = ", ".join(f"{x}px {y}px 1px Canvas" for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)
_TURNS = np.arange(16) * np.pi / 8
DIRECTIONS = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)


def words(names: Sequence[str], hues: Sequence[str]) -> Trace:
    """Return the look of words that move, one at each point."""
    font = {"color": list(hues), "size": 14, "shadow": HALO}
    return trace(
        "scatter",
        mode="text",
        name="names",
        text=list(names),
        textfont=font,
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )


class _Pixels(NamedTuple):
    """The conversion between coordinates and pixels, from the lower left corner."""

    low: Array
    high: Array
    is_log: Array
    sides: Array

    @classmethod
    def of(cls, drawn: go.Figure, end: str) -> _Pixels:
        axes = drawn.layout[f"xaxis{end}"], drawn.layout[f"yaxis{end}"]
        low, high = np.array([axis.range for axis in axes], dtype=float).T
        sides = SIDES * [np.ptp(axis.domain or (0, 1)) for axis in axes]
        if axes[1].scaleanchor:
            sides = np.minimum(sides, sides.min() * (high - low) / (high - low).max())
        return cls(low, high, np.array([axis.type == "log" for axis in axes]), sides)

    def of_points(self, points: Array) -> Array:
        converted = np.array(points, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            converted[:, self.is_log] = np.log10(converted[:, self.is_log])
        return np.asarray((converted - self.low) / (self.high - self.low) * self.sides)

    def points(self, pixels: Array) -> Array:
        points = pixels / self.sides * (self.high - self.low) + self.low
        points[:, self.is_log] = 10 ** points[:, self.is_log]
        return np.asarray(points)


def labelled(
    drawn: go.Figure, frames: Sequence[tuple[Array, ...]]
) -> tuple[go.Figure, list[tuple[Array, ...]]]:
    """Write the names of moving lines and rings beside them: one more moving trace."""
    moving = [drawn.data[number] for number in drawn.layout.meta["moving"]]
    named = [i for i, look in enumerate(moving) if _is_named(look)]
    result, new_frames = go.Figure(drawn), list(frames)
    for i in named:
        result.data[drawn.layout.meta["moving"][i]].showlegend = False
    for end in dict.fromkeys(_panel(moving[i]) for i in named):
        in_panel = [i for i in named if _panel(moving[i]) == end]
        centres = _label_centres(drawn, moving, frames, in_panel, end)
        new_frames = [(*frame, new) for frame, new in zip(new_frames, centres, strict=True)]
        hues = [moving[i].line.color or moving[i].marker.color for i in in_panel]
        texts = words([moving[i].name for i in in_panel], hues)
        x, y = (compact(column) for column in centres[0].T)
        result.add_trace({**texts, "x": x, "y": y, "xaxis": f"x{end}", "yaxis": f"y{end}"})
    result.layout.meta = {
        **drawn.layout.meta,
        "moving": [*drawn.layout.meta["moving"], *range(len(drawn.data), len(result.data))],
    }
    return result, new_frames


def _label_centres(
    drawn: go.Figure,
    moving: Sequence[Any],
    frames: Sequence[tuple[Array, ...]],
    named: Sequence[int],
    end: str,
) -> list[Array]:
    """Return the centres of the labels of one plane in each frame."""
    pixels = _Pixels.of(drawn, end)
    halves = [np.array([len(moving[i].name), 1.0]) * CHARACTER / 2 for i in named]
    rows = [
        np.column_stack([shown.x, shown.y]).astype(float)
        for shown in drawn.data
        if shown.type in ("scatter", "scattergl") and shown.mode == "markers" and len(shown.x)
        if _panel(shown) == end
    ]
    fixed = pixels.of_points(np.concatenate([np.empty((0, 2)), *rows]))
    curves = [
        _resample(pixels.of_points(np.column_stack([shown.x, shown.y])), 60)
        for number, shown in enumerate(drawn.data)
        if shown.type == "scatter" and shown.mode == "lines" and _panel(shown) == end
        if number not in drawn.layout.meta["moving"]
    ]
    former: list[Array] = [np.full(2, np.nan) for _ in named]
    centres = []
    for frame in frames:
        paths = {
            i: pixels.of_points(points[:, :2])
            for i, (points, look) in enumerate(zip(frame, moving, strict=True))
            if _panel(look) == end
        }
        lines = np.concatenate(
            [*curves, *(_resample(path, 60) if i in named else path for i, path in paths.items())]
        )
        own = [paths[i] for i in named]
        former = _place_labels(own, halves, fixed, lines, former, pixels.sides)
        centres.append(pixels.points(np.array(former)))
    return centres


def _is_named(look: Any) -> bool:
    if look.type != "scatter" or look.fill == "toself" or not look.name:
        return False
    is_ring = look.mode == "markers" and look.marker.symbol == "circle-open"
    return "lines" in look.mode or is_ring


def _panel(look: Any) -> str:
    """Return the number of the axes of a trace, empty for the first."""
    return (look.xaxis or "x")[1:]


def _place_labels(
    paths: Sequence[Array],
    halves: Sequence[Array],
    rows: Array,
    others: Array,
    former: Sequence[Array],
    sides: Array,
) -> list[Array]:
    """Return the centre of each label, NaN if its line is not drawn."""
    centre_of_each = [np.full(2, np.nan) for _ in paths]
    others = others[np.isfinite(others).all(axis=1)]
    # The label of a short line has the fewest candidates, so it is placed first.
    for i in sorted(range(len(paths)), key=lambda i: _extent(paths[i])):
        centres, cost = _candidates(paths[i], halves[i], sides)
        if not len(centres):
            continue
        cost += _covered(centres, halves[i] + ROW, rows)
        cost += _covered(centres, halves[i] + GAP - 1, others)
        for half, name in zip(halves, centre_of_each, strict=True):
            cost += NAME * _covered(centres, halves[i] + half, name[None])
        if np.isfinite(former[i]).all():
            cost += np.linalg.norm(centres - former[i], axis=1) / PATIENCE
        centre_of_each[i] = centres[int(cost.argmin())]
    return centre_of_each


def _extent(path: Array) -> float:
    """Return the diagonal of the rectangle about a path."""
    drawn = path[np.isfinite(path).all(axis=1)]
    return float(np.hypot(*np.ptp(drawn, axis=0))) if len(drawn) else 0.0


def _covered(centres: Array, half: Array, points: Array) -> Array:
    """Count the points in rectangles about centres."""
    is_beside = np.abs(centres[:, :1] - points[:, 0]) < half[0]
    is_level = np.abs(centres[:, 1:] - points[:, 1]) < half[1]
    return np.asarray((is_beside & is_level).sum(axis=1), dtype=float)


def _candidates(path: Array, half: Array, sides: Array) -> tuple[Array, Array]:
    """Return centres inside the plot for a label of half size (2,), and what each costs."""
    # They are on both sides of the path; those at its ends, or further from a ring, cost more.
    on_path = _resample(path, 31)
    if not len(on_path):
        return np.empty((0, 2)), np.empty(0)
    if len(on_path) == 1:
        # Several lines may begin at one point: three circles have room for all their names.
        spots = np.concatenate([on_path + (RING + i * FURTHER) * DIRECTIONS for i in range(3)])
        directions = np.tile(DIRECTIONS, (3, 1))
        offsets = _distance_to_edge(directions, half)
        cost = PRICE * np.repeat(range(3), len(DIRECTIONS))
    else:
        tangents = np.gradient(on_path, axis=0)
        tangents /= np.maximum(np.linalg.norm(tangents, axis=1), 1e-9)[:, None]
        normals = np.stack([-tangents[:, 1], tangents[:, 0]], axis=1)
        ends = np.stack([-tangents[0], tangents[-1]])
        spots = np.vstack([on_path, on_path, on_path[[0, -1]]])
        directions = np.vstack([normals, -normals, ends])
        offsets = np.concatenate([np.abs(directions[:-2]) @ half, _distance_to_edge(ends, half)])
        cost = np.append(np.zeros(2 * len(on_path)), [PRICE, PRICE])
    centres = spots + (offsets + GAP)[:, None] * directions
    is_inside = ((centres - half >= 0) & (centres + half <= sides)).all(axis=1)
    return np.asarray(centres[is_inside]), cost[is_inside]


def _distance_to_edge(directions: Array, half: Array) -> Array:
    """Return the distance from the centre of a label to its edge in some directions."""
    return np.asarray((half / np.maximum(np.abs(directions), 1e-9)).min(axis=1))


def _resample(path: Array, n: int) -> Array:
    """Return points at equal distances along the first part of a path, (n, 2)."""
    is_drawn = np.asarray(np.isfinite(path).all(axis=1))
    if not is_drawn.any():
        return np.empty((0, 2))
    start = int(is_drawn.argmax())
    is_gap = ~is_drawn[start:]
    stretch = path[start : start + int(is_gap.argmax())] if is_gap.any() else path[start:]
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(stretch, axis=0), axis=1)))
    if lengths[-1] < 1:
        return np.asarray(stretch[:1])
    shares = np.linspace(0, lengths[-1], n)
    return np.stack([np.interp(shares, lengths, stretch[:, i]) for i in (0, 1)], axis=1)
