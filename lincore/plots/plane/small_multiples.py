"""Several models in one plane as small multiples on common axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.views import View
from lincore.plots.base.sentences import join, scope
from lincore.plots.base.style import AXIS_WIDTH, Trace, axis, escape, figure
from lincore.plots.plane.boundary import region_traces
from lincore.plots.plane.markers import Marks, point_traces
from lincore.plots.plane.shared_axes import SharedAxes
from lincore.utils.formatting import capital, count, listed, percent, shorten

# Maximum number of points in a small plot: more would be a blot.
MOST_POINTS = 600
# More rings than this would hide a small plot.
MOST_RINGS = 60
# Values in all layers of all plots.
CELLS = 30_000
# Pixels of a small plot's height, and of the gap above it for its name.
TALL, GAP = 230, 48
# Pixels of a line of the legend, and its number of classes on a wide page.
LEGEND_LINE, IN_A_LINE = 19, 4

# Horizontal and vertical extent, as shares of the figure.
Domain = tuple[list[float], list[float]]


def small_multiples(
    views: Sequence[View],
    titles: Sequence[str],
    *,
    columns: int = 2,
    title: str = "",
) -> go.Figure:
    """Draw the regions and boundaries of several models in one plane.

    Parameters
    ----------
    views : sequence of M View
        Of two coordinates, in the same plane and of the same classes.
    titles : sequence of M str
        Names of the models; the share that is misclassified is added.
    columns : int, default 2
        Three are too narrow for a phone.
    title : str, optional

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        Without views, or for views of one coordinate.
    """
    if not views or any(len(view.axis_names) != 2 for view in views):
        raise ValueError("Small multiples need views of two coordinates.")
    shared = SharedAxes.of(*views)
    columns = max(1, min(columns, len(views)))
    n_lines = -(-len(views) // columns)
    first = Marks.of(views[0])
    drawn = [Marks.of(view).sample(MOST_POINTS) for view in views]
    ringed = all(np.count_nonzero(marks.wrong) <= MOST_RINGS for marks in drawn)
    height = n_lines * (TALL + GAP)
    domains = [
        _domain(*divmod(position, columns), columns, n_lines, height)
        for position in range(len(views))
    ]
    axes: dict[str, Any] = {}
    for position, domain in enumerate(domains):
        axes |= _axes(position, domain, shared.limits.ranges)
    cells = CELLS // len(views)
    traces = []
    for position, view in enumerate(views):
        regions = region_traces(view, shared.around(view), cells=cells)
        points = _points(drawn[position], view, ringed=ringed, in_legend=position == 0)
        traces += [part | _axis_names(position) for part in (*regions, *points)]
    return figure(
        traces,
        title or f"Regions of {count(len(views), 'model')}",
        subtitle=join(
            f"x axis: {shorten(views[0].axis_names[0], 20)}; y axis: "
            f"{shorten(views[0].axis_names[1], 20)}.",
            scope(views[0]),
            _marking(drawn, ringed),
            first.note(drawn[0]),
        ),
        alt=_alt(views, titles, first),
        height=height + 60 + LEGEND_LINE * max(0, -(-len(first.labels) // IN_A_LINE) - 2),
        annotations=[
            _name(_title(view, name), domain)
            for view, name, domain in zip(views, titles, domains, strict=True)
        ],
        **axes,
    )


def _domain(row: int, column: int, columns: int, n_lines: int, height: float) -> Domain:
    gap = 0.04
    width = (1 - gap * (columns - 1)) / columns
    left = column * (width + gap)
    top = 1 - row / n_lines - GAP / height
    bottom = 1 - (row + 1) / n_lines + 0.01
    return [left, min(left + width, 1.0)], [max(bottom, 0.0), top]


def _points(marks: Marks, view: View, *, ringed: bool, in_legend: bool) -> list[Trace]:
    points = point_traces(marks, view.axis_names, ringed=ringed)
    return [_smaller(point, in_legend=in_legend) for point in points]


def _smaller(point: Trace, *, in_legend: bool) -> Trace:
    wrong = "customdata" not in point
    size = point["marker"]["size"] * (0.75 if wrong else 0.6)
    # Otherwise the rings of every model would have a line in the legend.
    shown = in_legend and not wrong and point["showlegend"]
    return point | {"marker": point["marker"] | {"size": size}, "showlegend": shown}


def _axis_names(position: int) -> dict[str, str]:
    """Return the axes of the traces of a small plot."""
    number = str(position + 1) if position else ""
    return {"xaxis": f"x{number}", "yaxis": f"y{number}"}


def _axes(position: int, domain: Domain, ranges: list[list[float]]) -> dict[str, Any]:
    own, first = _axis_names(position), _axis_names(0)
    plain = {"showticklabels": False, "ticks": "", "showgrid": False, "showline": False}
    axes = {}
    for i, (name, crossing) in enumerate((("xaxis", "yaxis"), ("yaxis", "xaxis"))):
        shared = {"matches": first[name]} if position else {}
        settings = axis(domain=domain[i], anchor=own[crossing], range=ranges[i])
        axes[own[name].replace(name[0], name)] = settings | plain | shared
    return axes


def _name(text: str, domain: Domain) -> dict[str, Any]:
    return {
        "x": domain[0][0], "y": domain[1][1], "xref": "paper", "yref": "paper", "xanchor": "left",
        "yanchor": "bottom", "text": text, "showarrow": False, "font": {"size": 12},
        "align": "left",
    }  # fmt: skip


def _title(view: View, name: str) -> str:
    return f"<b>{escape(shorten(name, 22))}</b><br>{_misclassified(view)}"


def _misclassified(view: View) -> str:
    if not len(view.codes):
        return ""
    return percent(float(np.mean(view.predicted != view.codes))) + " misclassified"


def _marking(drawn: Sequence[Marks], ringed: bool) -> str:
    """State how misclassified rows are marked in all of the plots."""
    if drawn[0].by_verdict or not any(marks.wrong.any() for marks in drawn):
        return ""
    return f"Misclassified {drawn[0].noun} have a {'ring' if ringed else 'dot'}."


def _alt(views: Sequence[View], titles: Sequence[str], marks: Marks) -> str:
    phrases = [f"{name} {_misclassified(view)}" for view, name in zip(views, titles, strict=True)]
    where = " and ".join(shorten(name, AXIS_WIDTH) for name in views[0].axis_names)
    return join(
        f"Regions of {count(len(views), 'model')} over {where}: {listed(phrases, most=12)}.",
        f"{capital(marks.noun)} by class: {marks.class_counts}.",
        scope(views[0]),
    )
