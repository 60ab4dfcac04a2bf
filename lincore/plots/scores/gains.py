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


def gains(
    found: Gains, *, code: int, point: tuple[float, float] | None = None, title: str = ""
) -> go.Figure:
    """Draw the cumulative gains of a class between those of chance and of a perfect order.

    Parameters
    ----------
    found : Gains
    code : int
        The class, for its colour.
    point : (depth, gain), optional
        The operating point.
    title : str, optional
        The finding.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    label, name = quoted(shorten(str(found.label), 24)), "operating point"
    kept = thin(found.depth, found.gain)
    lift = np.nan_to_num(found.lift[kept], nan=1.0)
    lines = [
        guide([0, 1], [0, 1]),
        guide([0, found.share, 1], [0, 1, 1]),
        trace(
            "scatter", x=found.depth[kept].astype(np.float32), showlegend=False,
            y=found.gain[kept].astype(np.float32), customdata=lift.astype(np.float32),
            mode="lines", line={"color": colour(code), "width": 2.2},
            hovertemplate="%{x:.1%} of rows hold %{y:.1%}, lift %{customdata:.2f}<extra></extra>",
        ),
    ]  # fmt: skip
    said = ""
    if point is not None:
        depth, gain = point
        said = f"At the operating point {percent(depth)} of rows hold {percent(gain)} of {label}"
        said += f" (lift {gain / depth:.2f})." if depth else "."
        look = {"color": colour(code), "symbol": symbol(code), "size": 13}
        lines.append(
            trace(
                "scatter", x=np.array([depth], np.float32), y=np.array([gain], np.float32),
                mode="markers", name=name, showlegend=False,
                marker={**look, "line": {"color": EDGE, "width": 1.5}},
                hovertemplate=f"{name}: %{{x:.1%}}, %{{y:.1%}}<extra></extra>",
            )
        )  # fmt: skip
    half = float(np.interp(0.5, found.depth, found.gain))
    return figure(
        lines,
        title or f"Cumulative gains of {label}",
        subtitle="Dotted: chance, and a perfect order.",
        alt=join(
            f"Share of {label} among the rows of highest posterior, against their share.",
            f"Half of the rows hold {percent(half)} of {label}.",
            said,
        ),
        height=460,
        xaxis=axis("rows, by falling posterior", range=[-0.02, 1.02], **percent_ticks()),
        yaxis=axis(f"found of {label} (recall)", range=[-0.02, 1.04], **percent_ticks()),
    )
