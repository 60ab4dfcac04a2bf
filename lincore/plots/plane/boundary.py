"""Decision regions with the rows, misclassified ones ringed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.views import View
from lincore.plots.base.sentences import join, scope
from lincore.plots.base.style import Trace, figure
from lincore.plots.plane import curves, shading
from lincore.plots.plane.axis_limits import plane_axis
from lincore.plots.plane.boundary_lines import drawn_lines
from lincore.plots.plane.markers import MOST_OVER_SHADES, Marks, class_counts, point_traces, verdict
from lincore.plots.plane.regions import Map, region_layers
from lincore.plots.plane.shared_axes import Frame
from lincore.utils.formatting import count

TINT = np.array([0.22])


def boundary(
    view: View, *, frame: Frame | None = None, title: str = "", truth: View | None = None
) -> go.Figure:
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
    truth : View, optional
        Of the best possible classifier, over the same two coordinates: its boundary is dashed.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if len(view.axis_names) == 1:
        return curves.curves(view, tinted=True, frame=frame, title=title)
    frame, title = frame or Frame.of(view), title or "Decision boundary and regions"
    if truth is None:
        return over_regions(view, frame, title)
    line = shading.boundary_trace(drawn_lines(truth, frame.window))
    line |= {"name": "best possible (dashed)", "showlegend": True}
    line["line"] = line["line"] | {"dash": "dash", "width": 1.5}
    said = "Dashed: the boundary of the best possible classifier."
    return over_regions(view, frame, title, shades=[line], said=said)


def over_regions(
    view: View,
    frame: Frame,
    title: str,
    *,
    shades: Sequence[Trace] = (),
    keys: Sequence[Trace] = (),
    said: str = "",
) -> go.Figure:
    """Draw rows over regions of two coordinates.

    Between them may lie `shades` of something else, with `keys` in the legend and what is `said`
    of them in the text alternative.
    """
    marks, window = Marks.of(view), frame.around(view)
    drawn = marks.sample(MOST_OVER_SHADES)
    whole = Map.whole(view, window)
    layers = region_layers(view, window, whole)
    return figure(
        [
            *(shading.filled(layer, np.zeros(1), alphas=TINT) for layer in layers),
            *shades,
            shading.boundary_trace(drawn_lines(view, window, whole=whole)),
            *point_traces(drawn, view.axis_names),
            *keys,
        ],
        title,
        subtitle=join(scope(view), verdict(marks, drawn), marks.note(drawn), window.note),
        alt=join(_alt(view, marks), said),
        xaxis=plane_axis(view, 0, window.ranges),
        yaxis=plane_axis(view, 1, window.ranges),
    )


def _alt(view: View, marks: Marks) -> str:
    return join(
        f"Regions in which each class is the most probable, over {' and '.join(view.axis_names)}, "
        f"with {count(len(marks.codes), 'row')}: {class_counts(marks)}.",
        verdict(marks),
    )
