"""Several models in one plane: small pictures of their regions, on the same axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from lincore.experiments.views import View
from lincore.plots import shading
from lincore.plots.boundary import TINT
from lincore.plots.frame import Frame
from lincore.plots.lines import drawn_lines
from lincore.plots.points import Marks, point_traces
from lincore.plots.regions import region_layers
from lincore.plots.style import (
    AXIS_WIDTH,
    axis,
    count,
    empty_figure,
    enumerate_words,
    escape,
    percent,
    shorten,
)
from lincore.plots.words import class_counts, join, scope

# Points in each small picture: more are a blot.
MOST_POINTS = 600
# Values in all layers of all pictures.
CELLS = 30_000
# Pixels of a small picture's height, and of the gap above it for its name.
TALL, GAP = 230, 48


def small_multiples(
    views: Sequence[View],
    titles: Sequence[str],
    *,
    columns: int = 2,
    frame: Frame | None = None,
    title: str = "",
) -> go.Figure:
    """Draw the regions and boundaries of several models in one plane.

    Parameters
    ----------
    views : sequence of M View
        Of two coordinates, in the same plane and of the same classes.
    titles : sequence of M str
        Names of the models; the share that is wrong is added.
    columns : int, default 2
        Three are too narrow for a phone.
    frame : Frame, optional
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
    shared = frame or Frame.of(*views)
    columns = max(1, min(columns, len(views)))
    n_lines = -(-len(views) // columns)
    first = Marks.of(views[0])
    drawn = first.sample(MOST_POINTS)
    figure = empty_figure(
        title or f"Regions of {count(len(views), 'model')}",
        subtitle=join(
            f"Across {shorten(views[0].axis_names[0], 20)}, up "
            f"{shorten(views[0].axis_names[1], 20)}.",
            scope(views[0]),
            first.note(drawn),
        ),
        alt=_alt(views, titles, first),
        height=n_lines * (TALL + GAP) + 60,
    )
    height = n_lines * (TALL + GAP)
    for position, (view, name) in enumerate(zip(views, titles, strict=True)):
        row, column = divmod(position, columns)
        place = _place(row, column, columns, n_lines, height)
        _add(figure, view, position, place, shared, CELLS // len(views))
        _name(figure, _title(view, name), place)
    return figure


def _place(
    row: int, column: int, columns: int, n_lines: int, height: float
) -> tuple[list[float], list[float]]:
    """Return the ends of a small picture across and up, as shares of the whole."""
    gap = 0.04
    width = (1 - gap * (columns - 1)) / columns
    left = column * (width + gap)
    top = 1 - row / n_lines - GAP / height
    bottom = 1 - (row + 1) / n_lines + 0.01
    return [left, min(left + width, 1.0)], [max(bottom, 0.0), top]


def _add(
    figure: go.Figure,
    view: View,
    position: int,
    place: tuple[list[float], list[float]],
    frame: Frame,
    cells: int,
) -> None:
    number = "" if position == 0 else str(position + 1)
    own = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    window = frame.around(view)
    layers = region_layers(view, window, cells=cells)
    traces: list[Any] = [shading.filled(layer, np.zeros(1), alphas=TINT) for layer in layers]
    traces.append(shading.boundary_trace(drawn_lines(view, window)))
    marks = Marks.of(view).sample(MOST_POINTS)
    points = point_traces(marks, view.axis_names)
    for trace in points:
        wrong = trace.customdata is None
        trace.marker.size = trace.marker.size * (0.75 if wrong else 0.6)
        # Rings of every model would be as many lines in the legend.
        trace.showlegend = bool(trace.showlegend) and position == 0 and not wrong
    figure.add_traces([trace.update(own) for trace in traces + points])
    plain = {"showticklabels": False, "ticks": "", "showgrid": False, "showline": False}
    across, up = window.ranges
    figure.update_layout(
        {
            f"xaxis{number}": axis(domain=place[0], anchor=own["yaxis"], range=across)
            | plain
            | ({"matches": "x"} if position else {}),
            f"yaxis{number}": axis(domain=place[1], anchor=own["xaxis"], range=up)
            | plain
            | ({"matches": "y"} if position else {}),
        }
    )


def _name(figure: go.Figure, text: str, place: tuple[list[float], list[float]]) -> None:
    figure.add_annotation(
        x=place[0][0], y=place[1][1], xref="paper", yref="paper", xanchor="left",
        yanchor="bottom", text=text, showarrow=False, font={"size": 12}, align="left",
    )  # fmt: skip


def _title(view: View, name: str) -> str:
    return f"<b>{escape(shorten(name, 22))}</b><br>{_wrong(view)}"


def _wrong(view: View) -> str:
    if not len(view.codes):
        return ""
    return percent(float(np.mean(view.predicted != view.codes))) + " wrong"


def _alt(views: Sequence[View], titles: Sequence[str], marks: Marks) -> str:
    said = [f"{name} {_wrong(view)}" for view, name in zip(views, titles, strict=True)]
    where = " and ".join(shorten(name, AXIS_WIDTH) for name in views[0].axis_names)
    return join(
        f"Regions of {count(len(views), 'model')} over {where}: {enumerate_words(said, most=12)}.",
        f"Rows by class: {class_counts(marks)}.",
        scope(views[0]),
    )
