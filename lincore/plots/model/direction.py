"""A single decision direction: histograms and densities by class, and the threshold."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.views import View
from lincore.plots.base.palette import colour, translucent
from lincore.plots.base.sentences import join, scope
from lincore.plots.base.style import Trace, axis, compact, escape, figure, trace
from lincore.plots.plane.axis_limits import AxisLimits, plane_axis
from lincore.plots.plane.boundary_lines import boundary_points
from lincore.plots.plane.curves import boundary_shapes, cut_sentence, tints
from lincore.plots.plane.markers import Marks, verdict
from lincore.plots.plane.shared_axes import SharedAxes
from lincore.utils.typing import Array

FEWEST_BINS, MOST_BINS = 10, 60
# Number of points at which a density is evaluated.
NODES = 301


def direction_histogram(view: View, *, counts: bool = False, title: str = "") -> go.Figure:
    """Draw the rows of each class along one direction, with its density and the threshold.

    Parameters
    ----------
    view : View
        With d = 1.
    counts : bool, default False
        Heights are numbers of rows. Otherwise every class has area one, so that a small class is
        seen beside a large one.
    title : str, optional

    Returns
    -------
    plotly.graph_objects.Figure
        The curves are the class densities of the model where it has any, and otherwise Gaussian
        kernel estimates from the rows of the class.

    Raises
    ------
    ValueError
        For a view of two coordinates.
    """
    if len(view.axis_names) != 1:
        raise ValueError("A histogram shows one direction; this view has two.")
    marks, limits = Marks.of(view), SharedAxes.of(view).around(view)
    edges, cuts = _edges(view, limits), boundary_points(view, limits)
    height = view.noun if counts else "density within the class"
    return figure(
        [
            *(_bars(view, marks, code, edges, counts) for code in _present(view)),
            *(_curve(view, marks, code, limits, edges, counts) for code in _present(view)),
        ],
        title or f"Classes along the {view.axis_names[0].lower()}, with the threshold",
        subtitle=join(scope(view), verdict(marks), cut_sentence(cuts), limits.note),
        alt=join(
            f"Overlaid histograms of {marks.counted} along "
            f"{view.axis_names[0]}: {marks.class_counts}.",
            cut_sentence(cuts),
            verdict(marks),
        ),
        xaxis=plane_axis(view, 0, limits.ranges),
        yaxis=axis(height, rangemode="tozero", nticks=6),
        barmode="overlay",
        bargap=0,
        shapes=[*tints(view, limits, cuts), *boundary_shapes(cuts)],
    )


def _present(view: View) -> list[int]:
    return np.unique(view.codes).tolist()


def _edges(view: View, limits: AxisLimits) -> Array:
    n_bins = int(np.clip(2 * np.sqrt(max(len(view.points), 1)), FEWEST_BINS, MOST_BINS))
    return np.linspace(limits.low[0], limits.high[0], n_bins + 1)


def _bars(view: View, marks: Marks, code: int, edges: Array, counts: bool) -> Trace:
    along = view.points[view.codes == code, 0]
    number = np.histogram(along, edges)[0]
    heights = number if counts else number / (len(along) * np.diff(edges))
    label = escape(marks.labels[code])
    return trace(
        "bar",
        x=compact((edges[:-1] + edges[1:]) / 2),
        y=compact(heights),
        width=float(edges[1] - edges[0]),
        name=f"{label} ({len(along):,})",
        legendgroup=str(code),
        marker={
            "color": translucent(colour(code), 0.4),
            "line": {"color": colour(code), "width": 1},
        },
        customdata=number,
        meta=[label, escape(view.axis_names[0])],
        hovertemplate=f"<b>%{{meta[0]}}</b><br>%{{customdata}} {view.noun}"
        "<br>%{meta[1]}: about %{x:.3~g}"
        "<extra></extra>",
    )


def _curve(
    view: View, marks: Marks, code: int, limits: AxisLimits, edges: Array, counts: bool
) -> Trace:
    along = view.points[view.codes == code, 0]
    x = np.linspace(limits.low[0], limits.high[0], NODES)
    if view.densities is not None and np.isfinite(view.densities.means[code]).all():
        density = np.exp(view.densities.log_density(x[:, None])[:, code])
    else:
        density = _kernel_density(along, x)
    scale = len(along) * float(edges[1] - edges[0]) if counts else 1.0
    return trace(
        "scatter",
        x=compact(x),
        y=compact(scale * density),
        mode="lines",
        name=f"{escape(marks.labels[code])}: density",
        legendgroup=str(code),
        showlegend=False,
        line={"color": colour(code), "width": 2.5},
        hoverinfo="skip",
    )


def _kernel_density(along: Array, x: Array) -> Array:
    """Return a Gaussian kernel estimate at points (g,); NaN where fewer than two values differ."""
    spread = float(np.std(along, ddof=1)) if len(along) > 1 else 0.0
    if spread == 0:
        return np.full(len(x), np.nan)
    quartiles = np.quantile(along, [0.25, 0.75])
    narrow = float(quartiles[1] - quartiles[0]) / 1.34 or spread
    width = 0.9 * min(spread, narrow) * len(along) ** -0.2
    # From bins, so that the cost does not depend on the number of rows.
    number, edges = np.histogram(along, 512)
    centres = (edges[:-1] + edges[1:]) / 2
    kernel = np.exp(-0.5 * ((x[:, None] - centres) / width) ** 2)
    return np.asarray(kernel @ number / (len(along) * width * np.sqrt(2 * np.pi)))
