"""One coordinate: curves of each class over lanes of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.views import Quantity, View
from lincore.plots.base.palette import INK, colour, translucent
from lincore.plots.base.sentences import UNITS, closest, heading, join, scope
from lincore.plots.base.style import Trace, axis, bare_axis, compact, escape, figure, trace
from lincore.plots.plane.axis_limits import AxisLimits, plane_axis, spread
from lincore.plots.plane.boundary_lines import boundary_points
from lincore.plots.plane.markers import Marks, point_traces, verdict
from lincore.plots.plane.regions import possible
from lincore.plots.plane.shared_axes import SharedAxes
from lincore.utils.formatting import true_minus
from lincore.utils.typing import Array

# Where the curves end and the lanes begin, as shares of the height.
LANES_END, CURVES_START = 0.26, 0.3


def curves(
    view: View,
    *,
    quantity: Quantity | None = None,
    focus: int | None = None,
    tinted: bool = False,
    shared: SharedAxes | None = None,
    title: str = "",
) -> go.Figure:
    """Draw a view of one coordinate."""
    usual: Quantity = "density" if view.densities is not None else view.quantities[0]
    quantity = quantity or usual
    marks, limits = Marks.of(view), (shared or SharedAxes.of(view)).around(view)
    drawn, cuts = marks.sample(), boundary_points(view, limits)
    codes = range(len(marks.labels)) if focus is None else [focus]
    points = point_traces(drawn, view.axis_names)
    return figure(
        [
            *(_curve(view, limits, code, quantity, marks) for code in codes),
            *(point | {"yaxis": "y2"} for point in points),
        ],
        title or _title(marks, quantity, focus, tinted),
        subtitle=join(
            scope(view), verdict(marks, drawn), cut_sentence(cuts), marks.note(drawn), limits.note
        ),
        alt=_alt(view, marks, quantity, cuts),
        xaxis=plane_axis(view, 0, limits.ranges, anchor="y2"),
        yaxis=_scale(quantity, shared),
        yaxis2=bare_axis(
            domain=[0, LANES_END], range=[-0.2, len(marks.labels) + 0.2], fixedrange=True
        ),
        shapes=[*(tints(view, limits, cuts) if tinted else []), *boundary_shapes(cuts)],
    )


def _title(marks: Marks, quantity: Quantity, focus: int | None, tinted: bool) -> str:
    if tinted:
        return "Decision boundary and regions"
    return "Scores of each class" if quantity == "score" else heading(marks.labels, quantity, focus)


def _scale(quantity: Quantity, shared: SharedAxes | None) -> dict[str, Any]:
    if quantity == "score":
        return axis("score", domain=[CURVES_START, 1], nticks=6)
    if quantity == "posterior":
        return axis("posterior probability", domain=[CURVES_START, 1], range=[-0.02, 1.04])
    top = {} if shared is None else {"range": [0, 1.04 * float(shared.peaks.max())]}
    look = {"domain": [CURVES_START, 1], "rangemode": "tozero", "nticks": 6}
    return axis("prior × density", **(look | top))


def _curve(view: View, limits: AxisLimits, code: int, quantity: Quantity, marks: Marks) -> Trace:
    x = _evaluation_grid(view, limits, code)
    if quantity == "score":
        y = possible(view.scores(x[:, None]))[:, code]
        y = np.where(np.isfinite(y), y, np.nan)
    else:
        log = view.log_posterior if quantity == "posterior" else view.log_joint
        y = np.exp(possible(log(x[:, None]))[:, code])
    unit = "posterior" if quantity == "posterior" else UNITS[quantity]
    return trace(
        "scatter",
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
            f"<b>%{{meta[0]}}</b><br>{unit} %{{y:.3~g}}<br>%{{meta[1]}}: %{{x:.4~g}}<extra></extra>"
        ),
    )


def _evaluation_grid(view: View, limits: AxisLimits, code: int) -> Array:
    """Return an even grid, refined near the class so that narrow densities keep their peak."""
    low, high = limits.low[0], limits.high[0]
    evenly = np.linspace(low, high, 301)
    if view.densities is None:
        return evenly
    mean, deviation = view.densities.means[code, 0], spread(view, code)[0]
    if not np.isfinite(mean + deviation):
        return evenly
    near = mean + deviation * np.linspace(-4, 4, 121)
    return np.union1d(evenly, near[(near >= low) & (near <= high)])


def boundary_shapes(cuts: Array) -> list[dict[str, Any]]:
    """Return a vertical line at each boundary."""
    common = {"type": "line", "xref": "x", "yref": "paper", "y0": 0, "y1": 1}
    line = {"color": INK, "width": 2}
    return [common | {"x0": cut, "x1": cut, "line": line} for cut in cuts.tolist()]


def tints(view: View, limits: AxisLimits, cuts: Array) -> list[dict[str, Any]]:
    """Return a shape behind each interval in which a class is predicted."""
    ends = np.concatenate([limits.low, cuts, limits.high])
    middles = (ends[:-1] + ends[1:]) / 2
    winners = possible(view.scores(middles[:, None])).argmax(axis=1)
    common = {"type": "rect", "xref": "x", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    return [
        common
        | {"x0": start, "x1": stop, "line": {"width": 0}}
        | {"fillcolor": translucent(colour(code), 0.2)}
        for start, stop, code in zip(
            ends[:-1].tolist(), ends[1:].tolist(), winners.tolist(), strict=True
        )
    ]


def cut_sentence(cuts: Array) -> str:
    """State where the decision changes; "" if nowhere or at many places."""
    if not 0 < len(cuts) <= 4:
        return ""
    return (
        f"The decision changes at {', '.join(true_minus(f'{cut:.4g}') for cut in cuts.tolist())}."
    )


def _alt(view: View, marks: Marks, quantity: Quantity, cuts: Array) -> str:
    words = {"posterior": "posterior probability", "density": "density times prior"}
    return join(
        f"Curves of the {words.get(quantity, 'score')} of each class over {view.axis_names[0]}, "
        f"above {marks.counted}: {marks.class_counts}.",
        scope(view),
        cut_sentence(cuts),
        verdict(marks),
        closest(view, marks.labels),
    )
