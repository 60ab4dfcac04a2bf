"""The posterior or margin of the predicted class as a surface."""

from __future__ import annotations

from typing import Any

import numpy as np

from lincore.inspection.views import Quantity, View
from lincore.plots.base.palette import colour
from lincore.plots.base.sentences import UNITS, join, scope
from lincore.plots.base.style import Trace, compact, narrow, trace
from lincore.plots.plane.axis_limits import AxisLimits
from lincore.plots.plane.markers import Marks
from lincore.plots.plane.regions import Map, floor_level, winning_values

# Nodes on each axis: 50 kB of heights, and a quarter of that for colours.
NODES = 96


def posterior_surface(view: View, limits: AxisLimits, quantity: Quantity) -> Trace:
    """Return the surface of the predicted class's quantity, coloured by that class."""
    grid = Map.of(view, limits.low, limits.high, NODES)
    z = winning_values(view, grid, quantity)
    n_classes = len(view.classes)
    return trace(
        "surface",
        x=compact(grid.x),
        y=compact(grid.y),
        z=z.astype(np.float32),
        surfacecolor=narrow(grid.predicted),
        cmin=-0.5,
        cmax=n_classes - 0.5,
        colorscale=_bands(n_classes),
        showscale=False,
        opacity=0.88,
        name="predicted class",
        showlegend=False,
        contours={axis: {"highlight": False} for axis in "xyz"},
        lighting={"ambient": 0.85, "diffuse": 0.25, "specular": 0.05, "roughness": 0.9},
        hovertemplate=f"{UNITS[quantity]} %{{z:.3~g}}<extra></extra>",
    )


def upright(quantity: Quantity, n_classes: int, top: float) -> tuple[float, dict[str, Any]]:
    """Return the height of the floor under the surface, and the settings of the vertical axis."""
    low = floor_level(n_classes, quantity)
    top = 1.0 if quantity == "posterior" else top
    floor = low - 0.45 * (top - low)
    step = 0.2 if quantity == "posterior" else (top - low) / 2
    ticks = np.arange(np.ceil(low / step - 1e-9), np.floor(top / step + 1e-9) + 1) * step
    return floor, {
        "range": [floor - 0.02 * (top - low), top + 0.02 * (top - low)],
        "tickvals": [float(f"{tick:.3g}") for tick in ticks],
        "tickformat": "~g",
    }


def posterior_surface_alt(view: View, marks: Marks, quantity: Quantity) -> str:
    """Return the text alternative of such a figure."""
    return join(
        f"Surface of the {UNITS[quantity]} of the predicted class over "
        f"{' and '.join(view.axis_names)}, in its colour, above {marks.counted} "
        f"on the floor: {marks.class_counts}.",
        scope(view),
    )


def _bands(n_classes: int) -> list[list[Any]]:
    """Return a colour scale with one constant colour for each class."""
    scale: list[list[Any]] = []
    for code in range(n_classes):
        hue = colour(code)
        scale += [[code / n_classes, hue], [(code + 1) / n_classes, hue]]
    return scale
