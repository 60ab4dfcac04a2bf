"""Filled contours of a model's densities or posteriors under the rows."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.views import Quantity, View
from lincore.plots.base.palette import shade_colour
from lincore.plots.base.sentences import UNITS, closest, heading, join, scope
from lincore.plots.base.style import Trace, figure, percent_ticks
from lincore.plots.plane import curves, shading
from lincore.plots.plane.axis_limits import plane_axes
from lincore.plots.plane.boundary_lines import drawn_lines
from lincore.plots.plane.markers import (
    MOST_OVER_SHADES,
    Marks,
    behind,
    point_traces,
    verdict,
)
from lincore.plots.plane.regions import checked, floor_level, whole_layer, winning_layers
from lincore.plots.plane.shared_axes import SharedAxes
from lincore.utils.typing import Array

ALT = {
    "posterior": "posterior probability",
    "density": "density times prior",
    "score": "margin",
}


def contour(
    view: View,
    *,
    quantity: Quantity | None = None,
    focus: int | None = None,
    shared: SharedAxes | None = None,
    title: str = "",
    training: View | None = None,
) -> go.Figure:
    """Draw the rows over filled contours, with the decision boundary.

    Parameters
    ----------
    view : View
        Of two coordinates; of one, curves are drawn in place of contours.
    quantity : {"posterior", "density", "score"}, optional
        The posterior probability of a class, its density times its prior, or the margin of
        the best score over the next; one of `view.quantities`, the first by default.
    focus : int, optional
        The code of a class to show alone, everywhere. Otherwise every class is shown where it is
        predicted; densities then as shares of the peak of their class, so that a broad class is
        seen beside a narrow one.
    shared : SharedAxes, optional
        Ranges and scale that several figures share.
    title : str, optional
        Instead of what is shaded.
    training : View, optional
        The same plane with the training rows, which are drawn faintly behind the others if they are
        few.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For a quantity that the model does not have.
    """
    quantity = checked(view, quantity)
    if len(view.axis_names) == 1:
        return curves.curves(view, quantity=quantity, focus=focus, shared=shared, title=title)
    shared = shared or SharedAxes.of(view)
    marks, limits = Marks.of(view), shared.around(view)
    drawn = marks.sample(MOST_OVER_SHADES)
    return figure(
        [
            *_shades(view, shared, quantity, focus),
            shading.boundary_trace(drawn_lines(view, limits)),
            *behind(training),
            *point_traces(drawn, view.axis_names),
        ],
        title or heading(marks.labels, quantity, focus),
        subtitle=join(scope(view), verdict(marks, drawn), marks.note(drawn), limits.note),
        alt=_alt(view, marks, quantity, focus),
        **plane_axes(view, limits),
    )


def _shades(view: View, shared: SharedAxes, quantity: Quantity, focus: int | None) -> list[Trace]:
    if focus is None or quantity == "score":
        return _all_classes(view, shared, quantity)
    layer = whole_layer(view, shared.limits, focus, quantity)
    if quantity == "posterior":
        levels, top = np.arange(1, 10) / 10, 1.0
    else:
        top = float(shared.peaks[focus]) or 1.0
        levels = _levels(top)
    title = UNITS[quantity]
    hover = f"{title} %{{z:.3~g}}<extra></extra>"
    shade = shading.filled(layer, levels, hover=hover)
    return [shade, shading.bar(levels, top, title, code=focus, nticks=6)]


def _all_classes(view: View, shared: SharedAxes, quantity: Quantity) -> list[Trace]:
    layers, n_classes = winning_layers(view, shared.limits, quantity), len(view.classes)
    hues = [shade_colour(layer.code, n_classes) for layer in layers]
    if quantity == "posterior":
        start = floor_level(n_classes, quantity)
        levels = np.arange(round(10 * start), 10) / 10
        shades = [
            shading.filled(layer, levels, hue=hue) for layer, hue in zip(layers, hues, strict=True)
        ]
        return [*shades, shading.bar(levels, 1.0, "posterior of the predicted class", nticks=6)]
    if quantity == "density":
        tops = [float(shared.peaks[layer.code]) or 1.0 for layer in layers]
    else:
        tops = [max((float(layer.z.max()) for layer in layers), default=0.0) or 1.0] * len(layers)
    shades = [
        shading.filled(layer, _levels(top), hue=hue)
        for layer, top, hue in zip(layers, tops, hues, strict=True)
    ]
    shares = _levels(1.0)
    title = (
        "margin, share of the largest"
        if quantity == "score"
        else ("prior × density, share of the peak")
    )
    return [*shades, shading.bar(shares, 1.0, title, **percent_ticks(), nticks=6)]


def _levels(peak: float) -> Array:
    """Return levels from a tenth of a peak to nine tenths."""
    return peak * np.arange(1, 10) / 10


def _alt(view: View, marks: Marks, quantity: Quantity, focus: int | None) -> str:
    labels = marks.labels
    whom = "each class where it is predicted" if focus is None else labels[focus]
    return join(
        f"Filled contours of the {ALT[quantity]} of {whom} over "
        f"{' and '.join(view.axis_names)}, with the decision boundary and "
        f"{marks.counted}: {marks.class_counts}.",
        scope(view),
        verdict(marks),
        closest(view, labels),
    )
