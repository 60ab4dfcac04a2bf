"""Cumulative gains: the share of a class that is found, against the share of rows taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from lincore.plots.base.palette import EDGE, colour, symbol
from lincore.plots.base.sentences import join
from lincore.plots.base.style import axis, figure, percent_ticks, trace
from lincore.plots.scores.roc import guide, thin
from lincore.utils.formatting import percent, quoted, shorten

if TYPE_CHECKING:
    from lincore.metrics.curves.gains import Gains


def gains(curve: Gains, *, code: int, point: tuple[float, float] | None = None) -> go.Figure:
    """Draw the cumulative gains of a class between those of chance and of a perfect order.

    Parameters
    ----------
    curve : Gains
    code : int
        The class, for its colour.
    point : (depth, gain), optional
        The operating point.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    label, name = quoted(shorten(str(curve.label), 24)), "operating point"
    keep = thin(curve.depth, curve.gain)
    lift = np.nan_to_num(curve.lift[keep], nan=1.0)
    hover = [
        f"{percent(depth)} of rows hold {percent(gain)}, lift {ratio:.2f}"
        for depth, gain, ratio in zip(curve.depth[keep], curve.gain[keep], lift, strict=True)
    ]
    lines = [
        guide([0, 1], [0, 1]),
        guide([0, curve.share, 1], [0, 1, 1]),
        trace(
            "scatter", x=curve.depth[keep].astype(np.float32), showlegend=False,
            y=curve.gain[keep].astype(np.float32), hovertext=hover,
            mode="lines", line={"color": colour(code), "width": 2.2},
            hovertemplate="%{hovertext}<extra></extra>",
        ),
    ]  # fmt: skip
    at_point = ""
    if point is not None:
        depth, gain = point
        at_point = f"At the {name} {percent(depth)} of rows hold {percent(gain)} of {label}"
        at_point += f" (lift {gain / depth:.2f})." if depth else "."
        look = {"color": colour(code), "symbol": symbol(code), "size": 13}
        lines.append(
            trace(
                "scatter", x=np.array([depth], np.float32), y=np.array([gain], np.float32),
                mode="markers", name=name, showlegend=False,
                marker={**look, "line": {"color": EDGE, "width": 1.5}},
                hovertemplate=f"{name}: {percent(depth)}, {percent(gain)}<extra></extra>",
            )
        )  # fmt: skip
    half = float(np.interp(0.5, curve.depth, curve.gain))
    return figure(
        lines,
        f"Cumulative gains of {label}",
        subtitle="Dotted: chance, and a perfect order.",
        alt=join(
            f"Share of {label} among the rows of highest posterior, against their share.",
            f"Half of the rows hold {percent(half)} of {label}.",
            at_point,
        ),
        height=460,
        xaxis=axis(
            "share of rows, highest posterior first", range=[-0.02, 1.02], **percent_ticks()
        ),
        yaxis=axis(f"share of {label} found (recall)", range=[-0.02, 1.04], **percent_ticks()),
    )
