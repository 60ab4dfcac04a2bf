"""Rows in two coordinates (or one) by class."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.points import Marks, point_traces
from lincore.plots.style import axis, bare_axis, count, empty_figure
from lincore.plots.window import Window
from lincore.plots.words import class_counts, join, verdict


def scatter(
    points: ArrayLike,
    codes: ArrayLike,
    classes: ArrayLike,
    axis_names: Sequence[str],
    *,
    title: str,
    rows: ArrayLike | None = None,
    predicted: ArrayLike | None = None,
) -> go.Figure:
    """Draw rows by class, as large data sets by a sample of 20,000 in which every class is kept.

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
        Codes; rows that are taken for another class are ringed.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> figure = scatter([[0, 0], [1, 2]], [0, 1], ["a", "b"], ["length", "width"], title="Two")
    >>> [trace.name for trace in figure.data]
    ['a (1)', 'b (1)']
    """
    marks = Marks.from_arrays(points, codes, classes, rows=rows, predicted=predicted)
    drawn = marks.sample()
    window = Window.around(marks.points, marks.codes) if len(marks.codes) else None
    names = tuple(axis_names)
    figure = empty_figure(
        title,
        subtitle=join(verdict(marks, drawn), marks.note(drawn), window.note if window else ""),
        alt=_alt(title, marks, names),
    )
    figure.add_traces(point_traces(drawn, names))
    ranges = window.ranges if window else [[0, 1], [0, 1]]
    figure.update_xaxes(axis(names[0], range=ranges[0]))
    if len(names) == 1:
        figure.update_yaxes(bare_axis(range=[0, len(marks.labels)]))
    else:
        figure.update_yaxes(axis(names[1], range=ranges[1]))
    return figure


def _alt(title: str, marks: Marks, axis_names: tuple[str, ...]) -> str:
    return join(
        f"{title}: scatter of {count(len(marks.codes), 'row')} over {' and '.join(axis_names)}.",
        f"Rows by class: {class_counts(marks)}.",
        verdict(marks),
    )
