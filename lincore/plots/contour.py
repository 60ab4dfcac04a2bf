"""Rows over filled contours of what the model believes of the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from lincore.experiments.views import View
from lincore.plots import curves, shading
from lincore.plots.lines import boundary_lines
from lincore.plots.points import Marks, point_traces
from lincore.plots.regions import Quantity, floor_level, whole_layer, winning_layers
from lincore.plots.style import axis, count, empty_figure
from lincore.plots.window import Window
from lincore.plots.words import class_counts, closest, heading, join, verdict

Array = NDArray[np.float64]


def contour(view: View, *, quantity: Quantity = "posterior", focus: int | None = None) -> go.Figure:
    """Draw the rows over filled contours, with the decision boundary.

    Parameters
    ----------
    view : View
        Of two coordinates; of one, curves are drawn in place of contours.
    quantity : {"posterior", "density"}
        The posterior probability of a class, or its density times its prior.
    focus : int, optional
        The code of a class to show alone, everywhere. Otherwise every class is shown where it
        wins; densities then by share of the peak of their class, so that a broad class is seen
        beside a narrow one.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if len(view.axis_names) == 1:
        return curves.curves(view, quantity=quantity, focus=focus)
    marks, window = Marks.of(view), Window.of(view)
    drawn = marks.sample()
    figure = empty_figure(
        heading(marks.labels, quantity, focus),
        subtitle=join(verdict(marks, drawn), marks.note(drawn), window.note),
        alt=_alt(view, marks, quantity, focus),
    )
    figure.add_traces(_shades(view, window, quantity, focus))
    figure.add_trace(shading.boundary_trace(boundary_lines(view, window)))
    figure.add_traces(point_traces(drawn, view.axis_names))
    figure.update_xaxes(axis(view.axis_names[0], range=window.ranges[0], showgrid=False))
    figure.update_yaxes(axis(view.axis_names[1], range=window.ranges[1], showgrid=False))
    return figure


def _shades(view: View, window: Window, quantity: Quantity, focus: int | None) -> list[Any]:
    if focus is None:
        return _all_classes(view, window, quantity)
    layer = whole_layer(view, window, focus, quantity)
    if quantity == "posterior":
        levels, top, title = np.arange(1, 10) / 10, 1.0, "posterior probability"
    else:
        peak = float(layer.z.max()) or 1.0
        levels, top, title = _levels(peak), peak, "prior × density"
    hover = f"{title} %{{z:.3~g}}<extra></extra>"
    shade = shading.filled(layer, levels, hover=hover)
    return [shade, shading.bar(levels, top, title, code=focus, nticks=6)]


def _all_classes(view: View, window: Window, quantity: Quantity) -> list[Any]:
    layers = winning_layers(view, window, quantity)
    if quantity == "posterior":
        start = floor_level(len(view.classes), quantity)
        levels = np.arange(round(10 * start), 10) / 10
        shades = [shading.filled(layer, levels) for layer in layers]
        return [*shades, shading.bar(levels, 1.0, "posterior probability of the winner", nticks=6)]
    shades = [shading.filled(layer, _levels(float(layer.z.max()) or 1.0)) for layer in layers]
    shares = _levels(1.0)
    title = "prior × density, share of the peak"
    return [*shades, shading.bar(shares, 1.0, title, tickformat=".0%", nticks=6)]


def _levels(peak: float) -> Array:
    """Return levels from a tenth of a peak to nine tenths."""
    return peak * np.arange(1, 10) / 10


def _alt(view: View, marks: Marks, quantity: Quantity, focus: int | None) -> str:
    labels = marks.labels
    what = "posterior probability" if quantity == "posterior" else "density times prior"
    whom = "each class where it wins" if focus is None else labels[focus]
    return join(
        f"Filled contours of the {what} of {whom} over {' and '.join(view.axis_names)}, with the "
        f"decision boundary and {count(len(marks.codes), 'row')}: {class_counts(marks)}.",
        verdict(marks),
        closest(view, labels),
    )
