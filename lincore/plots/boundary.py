"""Rows over the regions of the classes, with the wrong ones ringed."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from lincore.experiments.views import View
from lincore.plots import curves, shading
from lincore.plots.lines import boundary_lines
from lincore.plots.points import Marks, point_traces
from lincore.plots.regions import region_layers
from lincore.plots.style import axis, count, empty_figure
from lincore.plots.window import Window
from lincore.plots.words import class_counts, join, verdict

TINT = np.array([0.22])


def boundary(view: View) -> go.Figure:
    """Draw the rows over the region in which each class is the most probable.

    Parameters
    ----------
    view : View
        Of two coordinates; of one, the boundaries are upright lines among the curves of density
        times prior.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if len(view.axis_names) == 1:
        return curves.curves(view, quantity="density", tinted=True)
    marks, window = Marks.of(view), Window.of(view)
    drawn = marks.sample()
    figure = empty_figure(
        "Decision boundary and regions",
        subtitle=join(verdict(marks, drawn), marks.note(drawn), window.note),
        alt=_alt(view, marks),
    )
    layers = region_layers(view, window)
    figure.add_traces([shading.filled(layer, np.zeros(1), alphas=TINT) for layer in layers])
    figure.add_trace(shading.boundary_trace(boundary_lines(view, window)))
    figure.add_traces(point_traces(drawn, view.axis_names))
    figure.update_xaxes(axis(view.axis_names[0], range=window.ranges[0], showgrid=False))
    figure.update_yaxes(axis(view.axis_names[1], range=window.ranges[1], showgrid=False))
    return figure


def _alt(view: View, marks: Marks) -> str:
    return join(
        f"Regions in which each class is the most probable, over {' and '.join(view.axis_names)}, "
        f"with {count(len(marks.codes), 'row')}: {class_counts(marks)}.",
        verdict(marks),
    )
