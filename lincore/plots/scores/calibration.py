"""Reliability diagrams: observed frequency against predicted probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from lincore.plots.base.palette import GREY, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import LEGEND_WIDTH, axis, escape, figure, percent_ticks, trace
from lincore.plots.scores.roc import guide, look_of
from lincore.utils.formatting import class_named, percent, shorten

if TYPE_CHECKING:
    from lincore.metrics.curves.calibration import Calibration

#: Edges of the bars that count posteriors; the curve itself has no bins.
_EDGES = np.linspace(0, 1, 51)


def calibration(curve: Calibration, *, code: int | None = None, title: str = "") -> go.Figure:
    """Draw observed frequencies against posteriors with the band of a calibrated model.

    The number of rows is below it.

    Parameters
    ----------
    curve : Calibration
    code : int, optional
        The class, for its colour.
    title : str, optional
        The finding; otherwise the miscalibration.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    name = "predicted class" if curve.label is None else str(curve.label)
    of_whom = f"the {name}" if curve.label is None else class_named(name)
    hue, dash, marker = look_of(0, code)
    x, y, low, high = (
        np.asarray(values, dtype=np.float32)
        for values in (curve.predicted, curve.observed, curve.low, curve.high)
    )
    hover = [
        f"posterior {percent(posterior)}, observed {percent(share)}; calibrated: "
        f"{percent(start)} to {percent(stop)}"
        for posterior, share, start, stop in zip(
            curve.predicted, curve.observed, curve.low, curve.high, strict=True
        )
    ]
    counts, _ = np.histogram(curve.predicted, _EDGES, weights=curve.n_rows)
    label = escape(shorten(name, LEGEND_WIDTH))
    meta = [escape(name)]
    return figure(
        [
            trace(
                "scatter", x=np.concatenate([x, x[::-1]]), y=np.concatenate([high, low[::-1]]),
                mode="lines", line={"width": 0}, fill="toself", name="calibrated",
                fillcolor=translucent(GREY, 0.25), hoverinfo="skip",
            ),
            guide([0, 1], [0, 1]),
            trace(
                "scatter", x=x, y=y, mode="lines+markers", name=label,
                line={"color": hue, "width": 2, "dash": dash},
                marker={"symbol": marker, "size": 4},
                hovertext=hover, meta=meta,
                hovertemplate="<b>%{meta[0]}</b><br>%{hovertext}<extra></extra>",
            ),
            trace(
                "bar", x=(_EDGES[1:] + _EDGES[:-1]) / 2, y=counts, yaxis="y2", showlegend=False,
                width=0.02, marker={"color": translucent(hue, 0.5), "line": {"width": 0}},
                meta=meta, hovertemplate="<b>%{meta[0]}</b><br>%{y:,} rows<extra></extra>",
            ),
        ],
        title or f"Miscalibration {curve.parts.miscalibration:.3f}",
        subtitle="Band: where the whole curve of a calibrated model lies in 95 % of samples.",
        alt=join(
            f"Observed frequency of {of_whom} against its posterior.",
            f"It rises from {percent(curve.observed[0])} at {percent(curve.predicted[0])} to "
            f"{percent(curve.observed[-1])} at {percent(curve.predicted[-1])}.",
        ),
        height=520,
        xaxis=axis("posterior", range=[-0.02, 1.02], **percent_ticks(), anchor="y2"),
        yaxis=axis("observed frequency", range=[-0.02, 1.04], **percent_ticks(), domain=[0.3, 1]),
        yaxis2=axis("rows", domain=[0, 0.2], nticks=3, tickformat="~s", rangemode="tozero"),
    )  # fmt: skip
