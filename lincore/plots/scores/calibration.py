"""Calibration curves: observed frequency against predicted probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import EDGE, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import LEGEND_WIDTH, Trace, axis, escape, figure, trace
from lincore.plots.scores.roc import guide, look_of
from lincore.utils.formatting import listed, percent, shorten

if TYPE_CHECKING:
    from lincore.metrics.curves.calibration import Calibration


class Reliability(NamedTuple):
    """Observed frequency by bin of predicted probability.

    Attributes
    ----------
    name : str
    predicted, observed : array-like of shape (b,)
        Mean probability of each bin and the observed frequency.
    low, high : array-like of shape (b,)
        Ends of the interval of `observed`.
    counts : array-like of shape (b,)
    code : int, optional
        The class, for its colour.
    """

    name: str
    predicted: ArrayLike
    observed: ArrayLike
    low: ArrayLike
    high: ArrayLike
    counts: ArrayLike
    code: int | None = None

    @classmethod
    def from_calibration(
        cls, found: Calibration, *, name: str = "", code: int | None = None
    ) -> Reliability:
        """Take what `lincore.metrics.calibration_curve` returns, without its empty bins."""
        filled = found.n_rows > 0
        return cls(
            name or ("predicted class" if found.label is None else str(found.label)),
            found.mean_predicted[filled],
            found.observed[filled],
            found.low[filled],
            found.high[filled],
            found.n_rows[filled],
            code,
        )


def calibration(parts: Sequence[Reliability], *, title: str = "") -> go.Figure:
    """Draw observed frequencies against predicted probabilities, with the number of rows below.

    Parameters
    ----------
    parts : sequence of Reliability
    title : str, optional
        The finding; otherwise the largest gap.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    gap, where = _largest_gap(parts)
    heading = f"Maximum calibration error {percent(gap)}" if where else "No rows to judge by"
    return figure(
        [
            guide([0, 1], [0, 1]),
            *(part for position, each in enumerate(parts) for part in _reliability(position, each)),
        ],
        title or heading,
        subtitle="On the diagonal a probability is as good as it says. Bars: 95 % intervals.",
        alt=join(f"Calibration of {listed([p.name for p in parts] or ['nothing'], most=6)}. "
                 f"{heading}.", where),
        height=520,
        barmode="overlay",
        xaxis=axis("predicted probability", range=[-0.02, 1.02], tickformat=".0%", anchor="y2"),
        yaxis=axis("observed frequency", range=[-0.02, 1.04], tickformat=".0%", domain=[0.3, 1]),
        yaxis2=axis("rows", domain=[0, 0.2], nticks=3, tickformat="~s", rangemode="tozero"),
    )  # fmt: skip


def _reliability(position: int, part: Reliability) -> list[Trace]:
    hue, dash, marker = look_of(position, part.code)
    predicted, observed, low, high, counts = (
        np.asarray(values, dtype=np.float32) for values in part[1:6]
    )
    label = escape(shorten(part.name, LEGEND_WIDTH))
    line = trace(
        "scatter", x=predicted, y=observed, mode="lines+markers", name=label,
        legendgroup=str(position),
        line={"color": hue, "width": 2, "dash": dash},
        marker={"symbol": marker, "size": 8, "line": {"color": EDGE, "width": 1}},
        error_y={"type": "data", "symmetric": False, "array": high - observed, "width": 3,
                 "arrayminus": observed - low, "color": hue, "thickness": 1.2},
        customdata=counts, meta=[escape(part.name)],
        hovertemplate="<b>%{meta[0]}</b><br>predicted %{x:.1%}, observed %{y:.1%} of "
        "%{customdata:,} rows<extra></extra>",
    )  # fmt: skip
    bars = trace(
        "bar", x=predicted, y=counts, yaxis="y2", showlegend=False, legendgroup=str(position),
        width=0.03, marker={"color": translucent(hue, 0.5), "line": {"width": 0}},
        meta=[escape(part.name)],
        hovertemplate="<b>%{meta[0]}</b><br>%{y:,} rows<extra></extra>",
    )  # fmt: skip
    return [line, bars]


def _largest_gap(parts: Sequence[Reliability]) -> tuple[float, str]:
    """Return the largest distance from the diagonal of a bin whose interval leaves it out."""
    gap, where = 0.0, ""
    for part in parts:
        predicted, observed = np.asarray(part.predicted, float), np.asarray(part.observed, float)
        if not len(predicted) or not np.isfinite(observed).any():
            continue
        off = np.abs(observed - predicted)
        most = int(np.nanargmax(off))
        if off[most] >= gap:
            gap = float(off[most])
            where = (
                f"{part.name}: predicted {percent(float(predicted[most]))}, observed "
                f"{percent(float(observed[most]))}."
            )
    return gap, where
