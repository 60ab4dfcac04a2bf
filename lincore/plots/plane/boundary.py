"""Decision regions with the rows, misclassified ones ringed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from lincore.geometry.binary_regions import BinaryRegions
from lincore.inspection.views import View
from lincore.plots.base.palette import MANY_CLASSES, colour, translucent
from lincore.plots.base.sentences import join, scope
from lincore.plots.base.style import Trace, figure
from lincore.plots.plane import curves, shading
from lincore.plots.plane.axis_limits import AxisLimits, plane_axes
from lincore.plots.plane.boundary_lines import drawn_lines, exact_regions
from lincore.plots.plane.markers import (
    MOST_OVER_SHADES,
    Marks,
    behind,
    point_traces,
    verdict,
)
from lincore.plots.plane.regions import CELLS, Map, region_layers
from lincore.plots.plane.shared_axes import SharedAxes

TINT = np.array([0.22])


def boundary(
    view: View,
    *,
    shared: SharedAxes | None = None,
    title: str = "",
    truth: View | None = None,
    training: View | None = None,
) -> go.Figure:
    """Draw the rows over the region in which each class is the most probable.

    Parameters
    ----------
    view : View
        Of two coordinates; of one, the boundaries are vertical lines among the curves of density
        times prior.
    shared : SharedAxes, optional
        Ranges that several figures share.
    title : str, optional
        Instead of "Decision boundary and regions".
    truth : View, optional
        Of the best possible classifier, over the same two coordinates: its boundary is dashed.
    training : View, optional
        As in `contour`.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if len(view.axis_names) == 1:
        return curves.curves(view, tinted=True, shared=shared, title=title)
    shared, title = shared or SharedAxes.of(view), title or "Decision boundary and regions"
    if truth is None:
        return over_regions(view, shared, title, shades=behind(training))
    line = shading.boundary_trace(drawn_lines(truth, shared.limits))
    line |= {"name": "best possible (dashed)", "showlegend": True}
    line["line"] = line["line"] | {"dash": "dash", "width": 1.5}
    explanation = "Dashed: the boundary of the best possible classifier."
    return over_regions(view, shared, title, shades=[line], explanation=explanation)


def over_regions(
    view: View,
    shared: SharedAxes,
    title: str,
    *,
    shades: Sequence[Trace] = (),
    keys: Sequence[Trace] = (),
    explanation: str = "",
) -> go.Figure:
    """Draw rows over regions of two coordinates."""
    # `shades` between rows and regions have `keys` in the legend and an `explanation` in the text
    # alternative.
    marks, limits = Marks.of(view), shared.around(view)
    drawn = marks.sample(MOST_OVER_SHADES)
    *regions, line = region_traces(view, limits)
    return figure(
        [
            *regions,
            *shades,
            line,
            *point_traces(drawn, view.axis_names),
            *keys,
        ],
        title,
        subtitle=join(scope(view), verdict(marks, drawn), marks.note(drawn), limits.note),
        alt=join(_alt(view, marks), explanation),
        **plane_axes(view, limits),
    )


def region_traces(view: View, limits: AxisLimits, *, cells: int = CELLS) -> list[Trace]:
    """Return the region of each class, tinted, and after these the boundary."""
    if len(view.classes) > MANY_CLASSES:  # too many for colours
        return [shading.boundary_trace(drawn_lines(view, limits))]
    exact = exact_regions(view, limits)
    if exact is not None:
        return [*_polygons(view, exact), shading.boundary_trace(exact.boundary)]
    whole = Map.whole(view, limits)
    layers = region_layers(view, limits, whole, cells=cells)
    return [
        *(shading.filled(layer, np.zeros(1), alphas=TINT) for layer in layers),
        shading.boundary_trace(drawn_lines(view, limits, whole=whole)),
    ]


def _polygons(view: View, exact: BinaryRegions) -> list[Trace]:
    """Return the region of each class from planes."""
    known = view.half_planes.classes_ if view.half_planes is not None else view.classes
    return [
        shading.polygons(
            [piece.polygon for piece in exact.pieces if piece.code == k],
            translucent(colour(int(code)), float(TINT[0])),
            legendgroup=str(code),
        )
        for k, code in enumerate(known)
    ]


def _alt(view: View, marks: Marks) -> str:
    return join(
        f"Regions in which each class is the most probable, over {' and '.join(view.axis_names)}, "
        f"with {marks.counted}: {marks.class_counts}.",
        verdict(marks),
    )
