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
from lincore.plots.plane.shared_axes import SharedAxes
from lincore.utils.formatting import count

TINT = np.array([0.22])


def boundary(
    view: View, *, shared: SharedAxes | None = None, title: str = "", truth: View | None = None
) -> go.Figure:
    """Draw the rows over the region in which each class is the most probable.

    Parameters
    ----------
    view : View
        Of two coordinates; of one, the boundaries are upright lines among the curves of density
        times prior.
    shared : SharedAxes, optional
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
        return curves.curves(view, tinted=True, shared=shared, title=title)
    shared, title = shared or SharedAxes.of(view), title or "Decision boundary and regions"
    if truth is None:
        return over_regions(view, shared, title)
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
    """Draw rows over regions of two coordinates.

    Between them may lie `shades` of something else, with `keys` in the legend and what is `said`
    of them in the text alternative.
    """
    marks, limits = Marks.of(view), shared.around(view)
    drawn = marks.sample(MOST_OVER_SHADES)
    whole = Map.whole(view, limits)
    layers = region_layers(view, limits, whole)
    return figure(
        [
            *(shading.filled(layer, np.zeros(1), alphas=TINT) for layer in layers),
            *shades,
            shading.boundary_trace(drawn_lines(view, limits, whole=whole)),
            *point_traces(drawn, view.axis_names),
            *keys,
        ],
        title,
        subtitle=join(scope(view), verdict(marks, drawn), marks.note(drawn), limits.note),
        alt=join(_alt(view, marks), explanation),
        xaxis=plane_axis(view, 0, limits.ranges),
        yaxis=plane_axis(view, 1, limits.ranges),
    )


def _alt(view: View, marks: Marks) -> str:
    return join(
        f"Regions in which each class is the most probable, over {' and '.join(view.axis_names)}, "
        f"with {count(len(marks.codes), 'row')}: {class_counts(marks)}.",
        verdict(marks),
    )
