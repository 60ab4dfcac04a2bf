"""Names written beside moving lines, where they cover the least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from lincore.plots.base.style import Trace, compact, trace
from lincore.utils.typing import Array

# Pixels: of a plot, of a character, and between a label and its line.
SIDES, CHARACTER, GAP = np.array([500.0, 480.0]), (7.4, 17.0), 3.0
# A label moves by so many pixels rather than cover one more point.
PATIENCE = 80.0
DIRECTIONS = np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)], axis=1)


def words(names: Sequence[str], hues: Sequence[str], *, size: int = 14) -> Trace:
    """Return the look of words that move, one at each point."""
    font = {"color": list(hues), "size": size}
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
        found = np.array(points, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[:, self.is_log] = np.log10(found[:, self.is_log])
        return np.asarray((found - self.low) / (self.high - self.low) * self.sides)

    def points(self, pixels: Array) -> Array:
        found = pixels / self.sides * (self.high - self.low) + self.low
        found[:, self.is_log] = 10 ** found[:, self.is_log]
        return np.asarray(found)


def labelled(
    drawn: go.Figure, frames: Sequence[tuple[Array, ...]]
) -> tuple[go.Figure, list[tuple[Array, ...]]]:
    """Write the names of moving lines and rings beside them instead of into the legend.

    Parameters
    ----------
    drawn : plotly.graph_objects.Figure
        Of `stage`; not changed.
    frames : sequence of tuple of m ndarrays
        Places of the moving traces.

    Returns
    -------
    figure : plotly.graph_objects.Figure
        With one more moving trace, of the names.
    frames : list of tuple of m + 1 ndarrays
    """
    moving = [drawn.data[number] for number in drawn.layout.meta["moving"]]
    named = [i for i, look in enumerate(moving) if _is_named(look)]
    result, found = go.Figure(drawn), list(frames)
    for i in named:
        result.data[drawn.layout.meta["moving"][i]].showlegend = False
    for end in dict.fromkeys(_panel(moving[i]) for i in named):
        here = [i for i in named if _panel(moving[i]) == end]
        centres = _of_panel(drawn, moving, frames, here, end)
        found = [(*places, each) for places, each in zip(found, centres, strict=True)]
        hues = [moving[i].line.color or moving[i].marker.color for i in here]
        texts = words([moving[i].name for i in here], hues)
        x, y = (compact(column) for column in centres[0].T)
        result.add_trace({**texts, "x": x, "y": y, "xaxis": f"x{end}", "yaxis": f"y{end}"})
    result.layout.meta = {
        **drawn.layout.meta,
        "moving": [*drawn.layout.meta["moving"], *range(len(drawn.data), len(result.data))],
    }
    return result, found


def _of_panel(
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
        np.column_stack([one.x, one.y]).astype(float)
        for one in drawn.data
        if one.type in ("scatter", "scattergl") and one.mode == "markers" and len(one.x)
        if _panel(one) == end
    ]
    fixed = pixels.of_points(np.concatenate([np.empty((0, 2)), *rows]))
    former: list[Array] = [np.full(2, np.nan) for _ in named]
    found = []
    for places in frames:
        paths = {
            i: pixels.of_points(place[:, :2])
            for i, (place, look) in enumerate(zip(places, moving, strict=True))
            if _panel(look) == end
        }
        spread = [_along(path, 60) if i in named else path for i, path in paths.items()]
        former = _labels([paths[i] for i in named], halves, [fixed, *spread], former, pixels.sides)
        found.append(pixels.points(np.array(former)))
    return found


def _is_named(look: Any) -> bool:
    if look.type != "scatter" or look.fill == "toself" or not look.name:
        return False
    is_ring = look.mode == "markers" and look.marker.symbol == "circle-open"
    return "lines" in look.mode or is_ring


def _panel(look: Any) -> str:
    """Return the number of the axes of a trace, empty for the first."""
    return (look.xaxis or "x")[1:]


def _labels(
    paths: Sequence[Array],
    halves: Sequence[Array],
    others: list[Array],
    former: Sequence[Array],
    sides: Array,
) -> list[Array]:
    """Return the centre of each label, NaN if its line is not drawn."""
    found = []
    for path, half, before in zip(paths, halves, former, strict=True):
        centres = _candidates(path, half, sides)
        if not len(centres):
            found.append(np.full(2, np.nan))
            continue
        obstacles = np.concatenate(others)
        is_near = np.abs(centres[:, None] - obstacles) < half + GAP - 1
        cost = is_near.all(axis=2).sum(axis=1).astype(float)
        if np.isfinite(before).all():
            cost += np.linalg.norm(centres - before, axis=1) / PATIENCE
        best = centres[int(cost.argmin())]
        found.append(best)
        # Later labels avoid this one.
        corners = np.linspace(-1, 1, 9)[:, None] * [half[0], 0.0]
        others = [*others, *([best + corners] * 12)]
    return found


def _candidates(path: Array, half: Array, sides: Array) -> Array:
    """Return centres on both sides of a path for a label of half size (2,), inside the plot."""
    at = _along(path, 31)
    if not len(at):
        return np.empty((0, 2))
    if len(at) == 1:
        # A ring, whose radius is added.
        at, normals = np.repeat(at, len(DIRECTIONS), axis=0) + 9 * DIRECTIONS, DIRECTIONS
    else:
        along = np.gradient(at, axis=0)
        normals = np.stack([-along[:, 1], along[:, 0]], axis=1)
        normals = normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-9)[:, None]
        at, normals = np.vstack([at, at]), np.vstack([normals, -normals])
    centres = at + (np.abs(normals) @ half + GAP)[:, None] * normals
    is_inside = (centres - half >= 0) & (centres + half <= sides)
    return np.asarray(centres[is_inside.all(axis=1)])


def _along(path: Array, n: int) -> Array:
    """Return points at equal distances along the first part of a path, (n, 2)."""
    is_drawn = np.asarray(np.isfinite(path).all(axis=1))
    if not is_drawn.any():
        return np.empty((0, 2))
    start = int(is_drawn.argmax())
    rest = ~is_drawn[start:]
    part = path[start : start + int(rest.argmax())] if rest.any() else path[start:]
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(part, axis=0), axis=1)))
    if lengths[-1] < 1:
        return np.asarray(part[:1])
    shares = np.linspace(0, lengths[-1], n)
    return np.stack([np.interp(shares, lengths, part[:, i]) for i in (0, 1)], axis=1)
