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


def decision_curve(found: DecisionCurve, name: str, *, title: str = "") -> go.Figure:
    """Draw the net benefit of a method, of predicting every row as the class, and of none.

    Parameters
    ----------
    found : DecisionCurve
    name : str
        Of the method.
    title : str, optional
        The finding.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    label = quoted(shorten(str(found.label), 24))
    top = max(found.every_row.max(), found.net_benefit.max(), 1e-9)
    curve = np.stack([found.net_benefit, found.low, found.high])
    shown = found.every_row >= -0.2 * top
    others = [
        trace(
            "scatter", x=found.thresholds[kept], y=line[kept], mode="lines", name=what,
            line={"color": hue, "width": 1.8, "dash": dash}, hovertemplate="%{y:.3f}",
        )
        for what, line, kept, hue, dash in (
            (f"every row as {label}", found.every_row, shown, GREY, "dash"),
            (f"no row as {label}", np.zeros(len(shown)), np.ones(len(shown), bool), INK, "dot"),
        )
    ]  # fmt: skip
    *around, line = band(0, name, found.thresholds, curve, as_percent=False)
    line.update(mode="lines", hovertemplate="%{y:.3f}")
    best = int(np.argmax(found.net_benefit - np.maximum(found.every_row, 0)))
    return figure(
        [*around, *others, line],
        title or f"Net benefit of deciding for {label}",
        subtitle="Band: 95 %, over all thresholds together.",
        alt=join(
            f"Net benefit of {name} against the threshold of the posterior of {label}.",
            f"At {percent(found.thresholds[best], 0)} it is {found.net_benefit[best]:.3f}, and "
            f"{found.every_row[best]:.3f} where every row is predicted as {label}.",
        ),
        hovermode="x unified",
        height=460,
        xaxis=axis(f"threshold: posterior of {label}", range=[0, 1], **percent_ticks()),
        yaxis=axis("net benefit per row", range=[-0.25 * top, 1.45 * top]),
    )
