"""Rows over the regions of the classes, with the wrong ones ringed."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from lincore.experiments.views import View
from lincore.plots import curves, shading
from lincore.plots.frame import Frame
from lincore.plots.lines import drawn_lines
from lincore.plots.points import MOST_OVER_SHADES, Marks, point_traces
from lincore.plots.regions import region_layers
from lincore.plots.style import count, empty_figure
from lincore.plots.window import plane_axis
from lincore.plots.words import class_counts, join, scope, verdict

TINT = np.array([0.22])


def boundary(view: View, *, frame: Frame | None = None, title: str = "") -> go.Figure:
    """Draw the rows over the region in which each class is the most probable.

    Parameters
    ----------
    view : View
        Of two coordinates; of one, the boundaries are upright lines among the curves of density
        times prior.
    frame : Frame, optional
        Ranges that several figures share.
    title : str, optional
        Instead of "Decision boundary and regions".

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if len(view.axis_names) == 1:
        return curves.curves(view, tinted=True, frame=frame, title=title)
    marks, window = Marks.of(view), (frame or Frame.of(view)).around(view)
    drawn = marks.sample(MOST_OVER_SHADES)
    figure = empty_figure(
        title or "Decision boundary and regions",
        subtitle=join(scope(view), verdict(marks, drawn), marks.note(drawn), window.note),
        alt=_alt(view, marks),
    )
    layers = region_layers(view, window)
    figure.add_traces([shading.filled(layer, np.zeros(1), alphas=TINT) for layer in layers])
    figure.add_trace(shading.boundary_trace(drawn_lines(view, window)))
    figure.add_traces(point_traces(drawn, view.axis_names))
    figure.update_xaxes(plane_axis(view, 0, window.ranges))
    figure.update_yaxes(plane_axis(view, 1, window.ranges))
    return figure


def _alt(view: View, marks: Marks) -> str:
    return join(
        f"Regions in which each class is the most probable, over {' and '.join(view.axis_names)}, "
        f"with {count(len(marks.codes), 'row')}: {class_counts(marks)}.",
        verdict(marks),
    )
