"""Rows in three coordinates by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.data.kinds import RowNoun
from lincore.inspection.planes import drawable_units, named_units
from lincore.plots.base.palette import CLEAR, GREY, INK, colour, symbol_3d
from lincore.plots.base.sentences import join
from lincore.plots.base.style import Trace, compact, escape, escape_scene, figure, narrow, trace
from lincore.plots.plane.axis_limits import AxisLimits
from lincore.plots.plane.markers import Marks, legend_name, verdict
from lincore.utils.formatting import capital, listed, shorten

# Without a graphics card, scenes with more points are slow to rotate.
MOST_POINTS = 6_000
# Far enough that the names of the axes fit on a phone.
CAMERA = {"eye": {"x": 2.05, "y": -2.35, "z": 1.2}, "center": {"x": -0.03, "y": -0.05, "z": -0.17}}


def scatter_3d(
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
    subtitle: str = "",
) -> go.Figure:
    """Draw rows by class in a scene that can be rotated; large data sets as a sample by class.

    Parameters
    ----------
    points : array-like of shape (n, 3)
    codes : array-like of shape (n,)
        Positions in `classes`.
    classes : array-like of shape (K,)
    axis_names : three str
    title : str
    rows : array-like of shape (n,), optional
        Which rows of the data set they are: the `customdata` of the markers.
    predicted : array-like of shape (n,), optional
        Codes; misclassified rows are ringed.
    coloured : sequence of int, optional
        Codes of the classes with colours, if there are more than twelve; the others are grey.
    noun : {"rows", "texts", "images"}, default "rows"
        What the rows are.
    subtitle : str, optional

    Returns
    -------
    plotly.graph_objects.Figure
    """
    units = drawable_units(points)
    axis_names = named_units(axis_names, units)
    marks = Marks.from_arrays(
        np.asarray(points, dtype=float) / units, codes, classes,
        rows=rows, predicted=predicted, coloured=coloured, noun=noun,
    )  # fmt: skip
    drawn = marks.sample(MOST_POINTS)
    limits = AxisLimits.around(marks.points, marks.codes) if len(marks.codes) else None
    if limits is not None:
        # A scene does not clip points beyond its axes.
        seen = ((drawn.points >= limits.low) & (drawn.points <= limits.high)).all(axis=1)
        drawn = drawn.only(np.asarray(seen))
    return figure(
        _traces(drawn, list(axis_names)),
        title,
        subtitle=join(
            subtitle, verdict(marks, drawn), marks.note(marks.sample(MOST_POINTS)),
            limits.note if limits else "",
        ),
        alt=join(f"{title}: scatter of {marks.counted} over "
                 f"{listed(list(axis_names), most=6)}.",
                 f"{capital(marks.noun)} by class: {marks.class_counts}.", verdict(marks)),
        height=440,
        scene=_scene(axis_names, limits),
    )  # fmt: skip


def _scene(axis_names: tuple[str, ...], limits: AxisLimits | None) -> dict[str, Any]:
    common = {"showbackground": False, "gridcolor": GREY, "zeroline": False, "nticks": 5}
    sides: dict[str, Any] = {}
    for letter, name, position in zip("xyz", axis_names, range(3), strict=True):
        # What is in brackets gets its own line.
        text = escape_scene(shorten(name, 24)).replace(" (", "<br>(")
        sides[f"{letter}axis"] = common | {"title": {"text": text}}
        if limits:
            sides[f"{letter}axis"]["range"] = limits.ranges[position]
    look = {"bgcolor": CLEAR, "aspectmode": "cube", "camera": CAMERA, "dragmode": "orbit"}
    return sides | look


def _traces(marks: Marks, axis_names: list[str]) -> list[Trace]:
    x, y, z = (compact(marks.points[:, i]) for i in range(3))
    size = float(np.clip(6.5 - np.log10(max(len(marks.codes), 1)), 2.5, 5))
    places = "".join(f"<br>%{{meta[{i + 1}]}}: %{{{'xyz'[i]}:.4~g}}" for i in range(3))
    labels = np.array([escape(label) for label in marks.labels], dtype=object)
    grey = {"color": GREY, "symbol": "circle", "opacity": 0.5}
    groups: list[tuple[Any, ...]] = [
        (marks.others, labels[marks.codes[marks.others]], marks.name_of_others, grey)
    ]
    for code, number in marks.looks.items():
        name = legend_name(marks.labels, code, int(marks.counts[code]))
        look = {"color": colour(number), "symbol": symbol_3d(number)}
        groups.append((marks.codes == code, labels[code], name, look))
    traces = [
        trace(
            "scatter3d",
            x=x[chosen],
            y=y[chosen],
            z=z[chosen],
            mode="markers",
            name=name,
            legendgroup=name,
            marker=look | {"size": size},
            customdata=narrow(marks.rows[chosen]),
            text=text,
            meta=["", *(escape(name) for name in axis_names)],
            hovertemplate=f"<b>%{{text}}</b>, {marks.one} %{{customdata}}{places}<extra></extra>",
        )
        for chosen, text, name, look in groups
        if chosen.any()
    ]
    wrong = marks.wrong
    if wrong.any():
        traces.append(
            trace(
                "scatter3d",
                x=x[wrong],
                y=y[wrong],
                z=z[wrong],
                mode="markers",
                name=f"misclassified ({marks.n_wrong:,})",
                marker={"symbol": "circle-open", "size": size + 4, "color": INK},
                hoverinfo="skip",
            )
        )
    return traces
