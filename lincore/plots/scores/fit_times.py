"""A score against the time to fit, one mark for each method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import ACCENT, EDGE, symbol
from lincore.plots.base.sentences import greater_is_better, join, score_axis
from lincore.plots.base.style import LEGEND_WIDTH, Trace, axis, error_bars, escape, figure, trace
from lincore.plots.scores.intervals import Interval
from lincore.utils.formatting import listed, number, shorten
from lincore.utils.typing import Array

# Single measurements of a time vary by less than this factor.
CLEARLY_SLOWER = 1.5
# Minimum number of decades on the axis, so that it has two ticks.
LEAST_DECADES = 0.8
# Margin at each end of the axis: decades, and minimum share of the axis.
MARGIN, MARGIN_SHARE = 0.1, 0.06
UNITS = (("s", 0), ("ms", -3), ("µs", -6))


def seconds_and_score(
    seconds: ArrayLike,
    intervals: Sequence[Interval],
    methods: Sequence[str],
    *,
    score: str = "accuracy",
    as_percent: bool = True,
    looks: Sequence[int] | None = None,
) -> go.Figure:
    """Draw fitting time against a score with its interval, one mark per method.

    Parameters
    ----------
    seconds : array-like of shape (M,)
    intervals : sequence of M (value, low, high)
    methods : sequence of M str
    score : str
    as_percent : bool, default True
    looks : sequence of M int, optional
        The position of each method's marker shape in the palette; by default its own.
    """
    times = np.maximum(np.asarray(seconds, dtype=float), 1e-6)
    values = np.array([tuple(i) for i in intervals], dtype=float).reshape(-1, 3)
    better = "Up" if greater_is_better(score) else "Down"
    return figure(
        [
            _mark(look, name, seconds, interval, as_percent)
            for look, name, seconds, interval in zip(
                looks or range(len(methods)), methods, times, values, strict=True
            )
        ],
        f"Time and {score}{_ratio_text(times, methods)}",
        subtitle=join(
            f"{better} and left is better.",
            "Bars: 95 % intervals." if np.isfinite(values[:, 1:]).any() else "",
        ),
        alt=join(
            f"Seconds to fit against {score}.", _pairs_text(methods, times, values, as_percent)
        ),
        xaxis=axis("time to fit", **_time_axis(times)),
        yaxis=axis(score, **score_axis(values[:, 0], score, as_percent)),
    )


def _ratio_text(times: Array, methods: Sequence[str]) -> str:
    """State the ratio of the slowest to the fastest time, if it exceeds measurement error."""
    if len(times) < 2:
        return ""
    fastest, slowest = int(times.argmin()), int(times.argmax())
    ratio = times[slowest] / times[fastest]
    if ratio < CLEARLY_SLOWER:
        return ": all take about as long"
    much = f"{ratio:.2g}" if ratio < 100 else f"{ratio:,.0f}"
    return f": {methods[slowest]} takes {much} times as long as {methods[fastest]}"


def _time_axis(times: Array) -> dict[str, Any]:
    """Return a logarithmic axis for times, with readable ticks: 2 ms, 0.5 s."""
    ends = np.log10([times.min(), times.max()]) if len(times) else np.array([-3.0, 0.0])
    span = float(ends[1] - ends[0])
    margin = max(MARGIN, MARGIN_SHARE * span, (LEAST_DECADES - span) / 2)
    low, high = float(ends[0] - margin), float(ends[1] + margin)
    shown = [tick for tick in _candidates(low, high) if low <= np.log10(tick) <= high]
    return {
        "type": "log",
        "range": [low, high],
        "tickvals": shown,
        "ticktext": [_duration(tick) for tick in shown],
    }


def _candidates(low: float, high: float) -> list[float]:
    """Return round times from 10**low to 10**high, and some beyond, as many as fit on a phone."""
    span = high - low
    steps = (1, 2, 5) if span < 1.7 else (1, 3) if span < 3 else (1,)
    every = max(1, int(np.ceil(span / 6)))
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    return [step * 10.0**ten for ten in decades if ten % every == 0 for step in steps]


def _duration(seconds: float) -> str:
    unit, power = next((u for u in UNITS if seconds >= 0.999 * 10.0 ** u[1]), UNITS[-1])
    return f"{seconds / 10.0**power:,.3g} {unit}"


def _pairs_text(methods: Sequence[str], times: Array, values: Array, as_percent: bool) -> str:
    phrases = [
        f"{name} {seconds:.2g} s and {number(value, as_percent)}"
        for name, seconds, value in zip(methods, times, values[:, 0].tolist(), strict=True)
    ]
    return f"{listed(phrases, most=12)}."


def _mark(look: int, name: str, seconds: float, interval: Array, as_percent: bool) -> Trace:
    value, low, high = interval.astype(np.float32)
    return trace(
        "scatter",
        x=np.array([seconds], np.float32),
        y=np.array([value]),
        mode="markers",
        name=escape(shorten(name, LEGEND_WIDTH)),
        marker={"size": 12, "color": ACCENT, "symbol": symbol(look),
                "line": {"color": EDGE, "width": 1}},
        error_y=error_bars(value, low, high, width=4, thickness=1.8),
        meta=[escape(name)],
        hovertemplate="<b>%{meta[0]}</b><br>%{x:.3~g} s, "
        f"{number(interval[0], as_percent)}<extra></extra>",
    )  # fmt: skip
