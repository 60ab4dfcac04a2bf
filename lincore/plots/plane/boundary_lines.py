"""Decision boundaries as lines: where the most probable class changes."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from lincore.geometry.binary_regions import MOST_MODELS, BinaryRegions, binary_regions
from lincore.inspection.views import View
from lincore.plots.plane.axis_limits import AxisLimits
from lincore.plots.plane.regions import NODES, Map, possible
from lincore.utils.typing import Array

Links = dict[int, list[int]]

# Points of a line are dropped if it passes them within this share of a cell, a fifth of a pixel:
# most boundaries are straight, or nearly so.
STRAIGHT = 0.05
# Number of points between which boundaries along a single coordinate are sought.
_POINTS = 2001


def exact_regions(view: View, limits: AxisLimits) -> BinaryRegions | None:
    """Return regions from planes, where a view has them and they are not too many."""
    model = view.half_planes
    if model is None or len(model.design_) > MOST_MODELS:
        return None
    return binary_regions(model, limits.low, limits.high)


def drawn_lines(view: View, limits: AxisLimits, *, whole: Map | None = None) -> Array:
    """Find the lines on which two classes are equally and most probable, as visible, (m, 2)."""
    exact = exact_regions(view, limits) if whole is None else None
    if exact is not None:
        return exact.boundary
    line = trace_lines(whole or Map.whole(view, limits))
    ends = np.flatnonzero(np.isnan(line[:, 0]))
    cell = (limits.high - limits.low) / (NODES - 1)
    bends = [
        first + _bends(line[first:last] / cell)
        for first, last in zip([0, *ends + 1], [*ends, len(line)], strict=True)
        if first < last
    ]
    return line[np.sort(np.concatenate([*bends, ends]))] if bends else line


def boundary_points(view: View, limits: AxisLimits) -> Array:
    """Find the boundaries along a single coordinate, shape (m,)."""
    x = np.linspace(limits.low[0], limits.high[0], _POINTS)
    left, share = _crossings(possible(view.scores(x[:, None])))
    return np.asarray(x[left[0]] + share * (x[1] - x[0]))


def trace_lines(grid: Map) -> Array:
    """Join the crossings of a grid's edges to polylines, as marching squares do.

    Where three or more classes meet in a cell, the lines meet at the mean of its crossings.

    Returns
    -------
    ndarray of shape (m, 2)
        Points in the units of the grid; a row of NaN ends a line.
    """
    points: dict[int, Array] = {}
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    steps = np.array([grid.x[1] - grid.x[0], grid.y[1] - grid.y[0]])
    # Edges along x first, each between the cells above and below it; then those along y.
    for values, along in ((grid.scores.swapaxes(0, 1), 0), (grid.scores, 1)):
        (lower, across), share = _crossings(values)
        row, column = (across, lower) if along == 0 else (lower, across)
        corner = np.column_stack([grid.x[column], grid.y[row]])
        corner[:, along] += share * steps[along]
        for r, c, point in zip(row.tolist(), column.tolist(), corner, strict=True):
            edge = len(points)
            points[edge] = point
            cells[r, c].append(edge)
            cells[(r - 1, c) if along == 0 else (r, c - 1)].append(edge)
    return _polylines(_links(cells, points), points)


def _crossings(scores: Array) -> tuple[tuple[NDArray[np.intp], ...], Array]:
    """Find the steps along the first axis at which the argmax of the last axis changes."""
    predicted = scores.argmax(axis=-1)
    where = np.nonzero(predicted[:-1] != predicted[1:])
    first, second = predicted[:-1][where], predicted[1:][where]
    before, after, line = scores[:-1][where], scores[1:][where], np.arange(len(first))
    with np.errstate(invalid="ignore"):
        lead = before[line, first] - before[line, second]
        lag = after[line, second] - after[line, first]
        share = lead / (lead + lag)
    return where, np.where(np.isfinite(share), share, 0.5)


def _links(cells: dict[tuple[int, int], list[int]], points: dict[int, Array]) -> Links:
    """Return which points are joined; adds a point in every cell where several lines meet."""
    links: Links = defaultdict(list)
    for edges in cells.values():
        pairs = [edges]
        if len(edges) > 2:
            centre = len(points)
            points[centre] = np.mean([points[edge] for edge in edges], axis=0)
            pairs = [[edge, centre] for edge in edges]
        for pair in pairs:
            if len(pair) == 2:
                links[pair[0]].append(pair[1])
                links[pair[1]].append(pair[0])
    return links


def _polylines(links: Links, points: dict[int, Array]) -> Array:
    """Walk along the links, from the ends and the junctions first, then round the loops."""
    pieces: list[Array] = []
    for start in sorted(links, key=lambda point: len(links[point]) == 2):
        while links[start]:
            path = [start]
            while links[path[-1]]:
                path.append(links[path[-1]].pop())
                links[path[-1]].remove(path[-2])
                if len(links[path[-1]]) != 1:
                    break  # an end, a junction, or the loop is closed
            pieces += [points[point] for point in path] + [np.full(2, np.nan)]
    return np.array(pieces[:-1]).reshape(-1, 2)


def _bends(path: Array) -> NDArray[np.intp]:
    """Return the necessary points (m, 2) of a polyline: its ends and bends."""
    bends, stretches = {0, len(path) - 1}, [(0, len(path) - 1)]
    while stretches:
        first, last = stretches.pop()
        if last - first < 2:
            continue
        away = _distances(path[first + 1 : last], path[first], path[last])
        farthest = int(away.argmax())
        if away[farthest] > STRAIGHT:
            bend = first + 1 + farthest
            bends.add(bend)
            stretches += [(first, bend), (bend, last)]
    return np.array(sorted(bends))


def _distances(points: Array, start: Array, end: Array) -> Array:
    """Return the distances of points (m, 2) from the segment between two others."""
    step = end - start
    length = float(step @ step)
    share = np.clip((points - start) @ step / length, 0, 1) if length > 0 else np.zeros(len(points))
    return np.asarray(np.hypot(*(points - start - share[:, None] * step).T))
