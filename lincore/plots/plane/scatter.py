"""Rows in two coordinates (or one) by class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.data.kinds import RowNoun
from lincore.inspection.planes import drawable_units, named_units
from lincore.plots.base.palette import EDGE, INK, colour
from lincore.plots.base.sentences import join
from lincore.plots.base.style import Trace, axis, bare_axis, compact, figure, trace
from lincore.plots.plane.axis_limits import RADIUS, AxisLimits, equal_axes, share_unit
from lincore.plots.plane.markers import Marks, point_traces, verdict
from lincore.utils.formatting import capital, number
from lincore.utils.typing import Array

ELLIPSES = "Ellipses: 95 % of a Gaussian class."


def scatter(
    points: ArrayLike,
    codes: ArrayLike,
    classes: ArrayLike,
    axis_names: Sequence[str],
    *,
    title: str,
    rows: ArrayLike | None = None,
    predicted: ArrayLike | None = None,
    coloured: Sequence[int] = (),
    noun: RowNoun = "rows",
    ellipses: bool = False,
    limits: AxisLimits | None = None,
    subtitle: str = "",
) -> go.Figure:
    """Draw rows by class; large data sets as a sample of 20,000 that contains every class.

    Parameters
    ----------
    points : array-like of shape (n, d)
        d = 2; with d = 1 each class has a lane of its own.
    codes : array-like of shape (n,)
        Positions in `classes`.
    classes : array-like of shape (K,)
    axis_names : d str
        With units.
    title : str
    rows : array-like of shape (n,), optional
        Which rows of the data set they are: the `customdata` of the markers.
    predicted : array-like of shape (n,), optional
        Codes; misclassified rows are ringed.
    coloured : sequence of int, optional
        Codes of the classes with colours, if there are more than twelve; the others are grey.
    noun : {"rows", "texts", "images"}, default "rows"
        What the rows are.
    ellipses : bool, default False
        Draw for each class the ellipse of its rows' mean and covariance that holds 95 % of a
        Gaussian class.
    limits : AxisLimits, optional
        Ranges that several figures share.
    subtitle : str, optional

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> figure = scatter([[0, 0], [1, 2]], [0, 1], ["a", "b"], ["length", "width"], title="Two")
    >>> [trace.name for trace in figure.data]
    ['a (1)', 'b (1)']
    """
    # Limits are in the units of the points.
    units = drawable_units(points) if limits is None else np.ones(len(axis_names))
    names = named_units(axis_names, units)
    marks = Marks.from_arrays(
        np.asarray(points, dtype=float) / units, codes, classes,
        rows=rows, predicted=predicted, coloured=coloured, noun=noun,
    )  # fmt: skip
    drawn = marks.sample()
    rings = _ellipses(marks) if ellipses and len(names) == 2 else []
    if limits is not None:
        limits = limits.without(marks.points)
    elif len(marks.codes):
        limits = AxisLimits.around(marks.points, marks.codes)
        limits = limits.widened(*_boxes(rings)) if rings else limits
        limits = limits.with_equal_axes() if share_unit(axis_names) else limits
        limits = limits.without(marks.points)
    ranges = limits.ranges if limits else [[0, 1], [0, 1]]
    across = axis(names[0], range=ranges[0])
    up = bare_axis(range=[0, len(marks.labels)])
    if len(names) == 2:
        up = axis(names[1], range=ranges[1])
    both = {"xaxis": across, "yaxis": up}
    if limits is not None and limits.is_equal:
        both = equal_axes(across, up)
    return figure(
        [*point_traces(drawn, names), *rings],
        title,
        subtitle=join(
            subtitle,
            verdict(marks, drawn),
            ELLIPSES if rings else "",
            marks.note(drawn),
            limits.note if limits else "",
        ),
        alt=_alt(title, marks, names),
        xaxis=both["xaxis"],
        yaxis=both["yaxis"],
    )


def _ellipses(marks: Marks) -> list[Trace]:
    """Return an outline for each coloured class of three rows or more."""
    angle = np.linspace(0, 2 * np.pi, 73)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    traces = []
    for code, look in marks.looks.items():
        points = marks.points[marks.codes == code]
        if len(points) < 3:
            continue
        outline: Array = points.mean(axis=0) + RADIUS * circle @ _root(points)
        traces.append(
            trace(
                "scatter",
                x=compact(outline[:, 0]),
                y=compact(outline[:, 1]),
                mode="lines",
                line={"color": colour(look), "width": 2},
                legendgroup=str(code),
                showlegend=False,
                hoverinfo="skip",
            )
        )
    return traces


def _boxes(rings: list[Trace]) -> tuple[Array, Array]:
    """Return the corners of boxes about outlines, (m, 2) each."""
    outlines = np.stack([[ring["x"], ring["y"]] for ring in rings]).astype(float)
    return outlines.min(axis=2), outlines.max(axis=2)


def _root(points: Array) -> Array:
    """Return a root of the covariance (2, 2) of points (n, 2), singular or not."""
    scale = points.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(np.cov(points.T / scale[:, None]))
    # The symmetric one: signs of eigenvectors are arbitrary, of standardised points by rounding.
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T * scale)


def _alt(title: str, marks: Marks, axis_names: tuple[str, ...]) -> str:
    return join(
        f"{title}: scatter of {marks.counted} over {' and '.join(axis_names)}.",
        f"{capital(marks.noun)} by class: {marks.class_counts}.",
        verdict(marks),
    )


def with_row(plot: go.Figure, point: ArrayLike) -> go.Figure:
    """Return a copy of a plot of one or two coordinates with one more row as a star, or a line.

    Parameters
    ----------
    plot : plotly.graph_objects.Figure
        Its ranges are widened where the row lies outside.
    point : array-like of shape (d,)

    Examples
    --------
    >>> plot = scatter([[0.0, 0.0], [1.0, 2.0]], [0, 1], ["a", "b"], ["u", "v"], title="Two")
    >>> starred = with_row(plot, [0.5, 9.0])
    >>> starred.data[-1].marker.symbol, starred.layout.yaxis.range[1] > 9
    ('star', True)
    """
    row, plot = np.asarray(point, dtype=float), go.Figure(plot)
    for value, shown in zip(row.tolist(), (plot.layout.xaxis, plot.layout.yaxis), strict=False):
        if shown.range is not None:
            low, high = shown.range
            room = 0.05 * (high - low)
            shown.range = (min(low, value - room), max(high, value + room))
    if len(row) == 1:
        line = {"color": INK, "width": 3, "dash": "dot"}
        plot.add_shape(type="line", x0=row[0], x1=row[0], y0=0, y1=1, yref="paper", line=line)
    else:
        plot.add_trace(
            go.Scatter(
                x=row[:1],
                y=row[1:2],
                mode="markers",
                name="this row",
                marker={"symbol": "star", "size": 18, "color": INK,
                        "line": {"color": EDGE, "width": 1.5}},
                hovertemplate="%{x:.5~g}, %{y:.5~g}<extra></extra>",
            )
        )  # fmt: skip
    meta = plot.layout.meta or {}
    where = ", ".join(number(value) for value in row.tolist())
    plot.layout.meta = meta | {"alt": join(meta.get("alt", ""), f"This row: {where}.")}
    return plot
