"""One coordinate: curves of each class over lanes of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from lincore.experiments.views import View
from lincore.plots.lines import boundary_points
from lincore.plots.palette import INK, colour, translucent
from lincore.plots.points import Marks, point_traces
from lincore.plots.regions import Quantity, possible, spread
from lincore.plots.style import axis, bare_axis, compact, count, empty_figure, escape
from lincore.plots.window import Window
from lincore.plots.words import class_counts, closest, heading, join, verdict

Array = NDArray[np.float64]

# Where the curves end and the lanes begin, as shares of the height.
LANES_END, CURVES_START = 0.26, 0.3


def curves(
    view: View, *, quantity: Quantity, focus: int | None = None, tinted: bool = False
) -> go.Figure:
    """Draw a view of one coordinate.

    Parameters
    ----------
    view : View
        With d = 1.
    quantity : {"posterior", "density"}
    focus : int, optional
        The code of a class whose curve is drawn alone.
    tinted : bool, default False
        Tint the stretch that each class wins.
    """
    marks, window = Marks.of(view), Window.of(view)
    drawn, cuts = marks.sample(), boundary_points(view, window)
    figure = empty_figure(
        "Decision boundary and regions" if tinted else heading(marks.labels, quantity, focus),
        subtitle=join(verdict(marks, drawn), _places(cuts), marks.note(drawn), window.note),
        alt=_alt(view, marks, quantity, cuts),
    )
    codes = range(len(marks.labels)) if focus is None else [focus]
    figure.add_traces([_curve(view, window, code, quantity, marks) for code in codes])
    traces = point_traces(drawn, view.axis_names)
    figure.add_traces([trace.update(yaxis="y2") for trace in traces])
    figure.update_layout(
        xaxis=axis(view.axis_names[0], range=window.ranges[0], showgrid=False, anchor="y2"),
        yaxis=_scale(quantity),
        yaxis2=bare_axis(
            domain=[0, LANES_END], range=[-0.2, len(marks.labels) + 0.2], fixedrange=True
        ),
        shapes=[*(_tints(view, window, cuts) if tinted else []), *_uprights(cuts)],
    )
    return figure


def _scale(quantity: Quantity) -> dict[str, Any]:
    if quantity == "posterior":
        return axis("posterior probability", domain=[CURVES_START, 1], range=[-0.02, 1.04])
    return axis("prior × density", domain=[CURVES_START, 1], rangemode="tozero", nticks=6)


def _curve(view: View, window: Window, code: int, quantity: Quantity, marks: Marks) -> go.Scatter:
    x = _places_to_evaluate(view, window, code)
    log = view.log_posterior if quantity == "posterior" else view.log_joint
    y = np.exp(possible(log(x[:, None]))[:, code])
    what = "posterior" if quantity == "posterior" else "prior × density"
    return go.Scatter(
        x=compact(x),
        y=y.astype(np.float32),
        mode="lines",
        name=escape(marks.labels[code]),
        legendgroup=str(code),
        showlegend=False,
        line={"color": colour(code), "width": 2.5},
        fill="tozeroy" if quantity == "density" else None,
        fillcolor=translucent(colour(code), 0.18),
        meta=[escape(marks.labels[code]), escape(view.axis_names[0])],
        hovertemplate=(
            f"<b>%{{meta[0]}}</b><br>{what} %{{y:.3~g}}<br>%{{meta[1]}}: %{{x:.4~g}}<extra></extra>"
        ),
    )


def _places_to_evaluate(view: View, window: Window, code: int) -> Array:
    """Return an even grid, finer near the class, so that a narrow one keeps its peak."""
    low, high = window.low[0], window.high[0]
    evenly = np.linspace(low, high, 301)
    mean, deviation = view.densities.means[code, 0], spread(view, code)[0]
    if not np.isfinite(mean + deviation):
        return evenly
    near = mean + deviation * np.linspace(-4, 4, 121)
    return np.union1d(evenly, near[(near >= low) & (near <= high)])


def _uprights(cuts: Array) -> list[dict[str, Any]]:
    """Return an upright line at each boundary."""
    common = {"type": "line", "xref": "x", "yref": "paper", "y0": 0, "y1": 1}
    line = {"color": INK, "width": 2}
    return [common | {"x0": cut, "x1": cut, "line": line} for cut in cuts.tolist()]


def _tints(view: View, window: Window, cuts: Array) -> list[dict[str, Any]]:
    ends = np.concatenate([window.low, cuts, window.high])
    middles = (ends[:-1] + ends[1:]) / 2
    winners = possible(view.log_joint(middles[:, None])).argmax(axis=1)
    common = {"type": "rect", "xref": "x", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    return [
        common
        | {"x0": start, "x1": stop, "line": {"width": 0}}
        | {"fillcolor": translucent(colour(code), 0.2)}
        for start, stop, code in zip(
            ends[:-1].tolist(), ends[1:].tolist(), winners.tolist(), strict=True
        )
    ]


def _places(cuts: Array) -> str:
    if not 0 < len(cuts) <= 4:
        return ""
    places = ", ".join(f"{cut:.4g}".replace("-", "\u2212") for cut in cuts.tolist())
    return f"The decision changes at {places}."


def _alt(view: View, marks: Marks, quantity: Quantity, cuts: Array) -> str:
    what = "posterior probability" if quantity == "posterior" else "density times prior"
    return join(
        f"Curves of the {what} of each class over {view.axis_names[0]}, above "
        f"{count(len(marks.codes), 'row')}: {class_counts(marks)}.",
        _places(cuts),
        verdict(marks),
        closest(view, marks.labels),
    )
