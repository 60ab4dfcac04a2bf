"""Ambiguous regions of combined binary models: claimed by none, by several, tied."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from lincore.estimators.multiclass import Ambiguity
from lincore.geometry.binary_regions import BinaryRegions
from lincore.inspection.views import View
from lincore.plots.base.palette import CLEAR, EDGE
from lincore.plots.base.style import Trace, compact, trace
from lincore.plots.plane import shading
from lincore.plots.plane.boundary import over_regions
from lincore.plots.plane.boundary_lines import exact_regions
from lincore.plots.plane.regions import nodes
from lincore.plots.plane.shared_axes import SharedAxes
from lincore.utils.formatting import listed, percent

# Nodes on each axis, of one byte each.
NODES = 180
# The codes of `lincore.estimators.multiclass.Ambiguity` with their names and colours: grey or
# purple, unlike any class, and opaque, so that they look the same in the legend.
MEANINGS = {1: "claimed by no class", 2: "claimed by several", 3: "tied votes"}
SHADES = {1: "#9B9BA4", 2: "#B583C6", 3: "#B583C6"}


def ambiguity(view: View) -> go.Figure:
    """Draw regions and boundary, and the areas where binary models do not agree on a class.

    Parameters
    ----------
    view : View
        Of two coordinates of one-versus-rest or one-versus-one.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For a model that is not made of binary ones, and for one coordinate.
    """
    if view.ambiguous is None or len(view.axis_names) != 2:
        raise ValueError("Ambiguity needs one-versus-rest or one-versus-one in two coordinates.")
    shared = SharedAxes.of(view)
    exact = exact_regions(view, shared.limits)
    areas, shades = _areas_from_grid(view, shared) if exact is None else _areas_from_planes(exact)
    rows = view.ambiguous.ambiguity(view.points) if len(view.points) else np.zeros(0, int)
    finding, n_ambiguous = _finding(areas), int(np.count_nonzero(rows))
    return over_regions(
        view,
        shared,
        finding,
        shades=shades,
        keys=[_key(code, areas[code]) for code in MEANINGS if areas[code]],
        explanation=f"{finding}. {n_ambiguous:,} of the {len(rows):,} {view.noun} lie there.",
    )


def _areas_from_planes(exact: BinaryRegions) -> tuple[dict[int, float], list[Trace]]:
    """Return the share of each kind of ambiguity, its places, and the lines of the models."""
    areas = exact.areas()
    shades = [
        shading.polygons([p.polygon for p in exact.pieces if p.ambiguity == code], SHADES[code])
        for code in MEANINGS
        if areas[Ambiguity(code)]
    ]
    line = shading.boundary_trace(exact.lines)
    line |= {"name": "lines of the binary models", "showlegend": True}
    line["line"] = line["line"] | {"dash": "dash", "width": 1.2}
    return {code: areas[Ambiguity(code)] for code in MEANINGS}, [*shades, line]


def _areas_from_grid(view: View, shared: SharedAxes) -> tuple[dict[int, float], list[Trace]]:
    """Return the same for models with curved boundaries, from a grid."""
    low, high = shared.limits.low, shared.limits.high
    x, y = (np.linspace(low[i], high[i], NODES) for i in range(2))
    assert view.ambiguous is not None
    codes = view.ambiguous.ambiguity(nodes(x, y)).reshape(NODES, NODES)
    areas = {code: float(np.mean(codes == code)) for code in MEANINGS}
    return areas, [_shade(x, y, codes)]


def _shade(x: np.ndarray, y: np.ndarray, codes: np.ndarray) -> Trace:
    scale: list[list[object]] = []
    for code in range(4):
        shade = SHADES[code] if code else CLEAR
        scale += [[code / 4, shade], [(code + 1) / 4, shade]]
    return trace(
        "heatmap",
        x=compact(x),
        y=compact(y),
        z=codes.astype(np.uint8),
        zmin=-0.5,
        zmax=3.5,
        colorscale=scale,
        showscale=False,
        zsmooth=False,
        hoverinfo="skip",
    )


def _key(code: int, area: float) -> Trace:
    return trace(
        "scatter",
        x=[None],
        y=[None],
        mode="markers",
        name=f"{MEANINGS[code]} ({percent(area)})",
        marker={
            "symbol": "square",
            "size": 12,
            "color": SHADES[code],
            "line": {"color": EDGE, "width": 1},
        },
        hoverinfo="skip",
    )


def _finding(areas: dict[int, float]) -> str:
    shares = [f"{MEANINGS[code]}: {percent(area)}" for code, area in areas.items() if area]
    if not shares:
        return "No place in this plot is ambiguous"
    return f"Ambiguous part of this plot: {listed(shares, most=6)}"
