"""Decision curves: net benefit against the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from lincore.plots.base.palette import GREY, INK
from lincore.plots.base.sentences import join
from lincore.plots.base.style import axis, figure, percent_ticks, trace
from lincore.plots.scores.sweeps import band
from lincore.utils.formatting import percent, quoted, shorten

if TYPE_CHECKING:
    from lincore.metrics.curves.net_benefit import DecisionCurve


def decision_curve(curve: DecisionCurve, name: str, *, title: str = "") -> go.Figure:
    """Draw the net benefit of a method, of predicting every row as the class, and of none.

    Parameters
    ----------
    curve : DecisionCurve
    name : str
        Of the method.
    title : str, optional
        The finding.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    label = quoted(shorten(str(curve.label), 24))
    top = max(curve.every_row.max(), curve.net_benefit.max(), 1e-9)
    benefit = np.stack([curve.net_benefit, curve.low, curve.high])
    shown = curve.every_row >= -0.2 * top
    others = [
        trace(
            "scatter", x=curve.thresholds[keep], y=line[keep], mode="lines", name=rule,
            line={"color": hue, "width": 1.8, "dash": dash}, hovertemplate="%{y:.3f}",
        )
        for rule, line, keep, hue, dash in (
            (f"every row as {label}", curve.every_row, shown, GREY, "dash"),
            (f"no row as {label}", np.zeros(len(shown)), np.ones(len(shown), bool), INK, "dot"),
        )
    ]  # fmt: skip
    *areas, line = band(0, name, curve.thresholds, benefit, as_percent=False)
    line.update(mode="lines", hovertemplate="%{y:.3f}")
    best = int(np.argmax(curve.net_benefit - np.maximum(curve.every_row, 0)))
    return figure(
        [*areas, *others, line],
        title or f"Net benefit of deciding for {label}",
        subtitle="Band: 95 %, over all thresholds together.",
        alt=join(
            f"Net benefit of {name} against the threshold of the posterior of {label}.",
            f"At {percent(curve.thresholds[best], 0)} it is {curve.net_benefit[best]:.3f}, and "
            f"{curve.every_row[best]:.3f} where every row is predicted as {label}.",
        ),
        hovermode="x unified",
        height=460,
        xaxis=axis(f"threshold: posterior of {label}", range=[0, 1], **percent_ticks()),
        yaxis=axis("net benefit per row", range=[-0.25 * top, 1.45 * top]),
    )
