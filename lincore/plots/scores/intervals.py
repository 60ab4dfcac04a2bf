"""Scores with their intervals, one line each, and the differences between pairs of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from lincore.plots.base.palette import ACCENT, EDGE, GOOD, GREY, translucent
from lincore.plots.base.sentences import greater_is_better, join, score_axis
from lincore.plots.base.style import (
    axis,
    error_bars,
    escape,
    figure,
    line_labels,
    trace,
    vertical_line,
)
from lincore.utils.formatting import capital, count, listed, number, shorten
from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.metrics.differences import Difference

Interval = tuple[float, float, float]
LABEL_WIDTH = 23
# A baseline farther from all intervals than this multiple of their span would squeeze them.
FARTHEST = 3


def score_intervals(
    methods: Sequence[str],
    intervals: Sequence[Interval],
    *,
    score: str = "accuracy",
    baselines: Mapping[str, float] | None = None,
    groups: Sequence[int] | None = None,
    as_percent: bool = True,
    title: str = "",
    kind: str = "model",
) -> go.Figure:
    """Draw a score of each method with its interval, in the order of the results.

    Parameters
    ----------
    methods : sequence of M str
    intervals : sequence of M (value, low, high)
    score : str
    baselines : mapping of name to value, optional
        Drawn as vertical lines, unless so far off that the intervals would have no room.
    groups : sequence of M int, optional
        Group of each, which share a band: none is shown to be worse than its best.
    as_percent : bool, default True
    title : str, optional
        The finding; otherwise which value is best.
    kind : str
        What has the scores, in the singular.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> figure = score_intervals(["lda", "qda"], [(0.8, 0.7, 0.9), (0.7, 0.6, 0.8)])
    >>> figure.layout.meta["title"]
    'Accuracy of 2 models: lda 80.0 %'
    """
    values = np.array([tuple(interval) for interval in intervals], dtype=float).reshape(-1, 3)
    leader = f": {methods[0]} {number(values[0, 0], as_percent)}" if len(methods) else ""
    across = axis(score, **score_axis(values[:, 0], score, as_percent))
    # On a logarithmic axis no baseline is too far.
    drawn, left, right = _split_baselines(
        baselines or {}, values[:0] if "type" in across else values
    )
    heading = f"{capital(score)} of {count(len(methods), kind)}{leader}"
    return _lines(
        title or heading,
        join(
            "Bars: 95 % intervals." if np.isfinite(values[:, 1:]).any() else "",
            "Bands: groups in which no model is shown to be worse than the best." if groups else "",
            _baselines_text(drawn, as_percent, "Dotted:"),
            _baselines_text(left, as_percent, "Off to the left:"),
            _baselines_text(right, as_percent, "Off to the right:"),
        ),
        methods,
        values,
        as_percent,
        hues=[
            ACCENT if not groups or group == min(groups) else GREY for group in groups or methods
        ],
        alt=join(
            f"{heading}.",
            _values_text(methods, values, as_percent),
            _baselines_text(baselines, as_percent),
        ),
        xaxis=across,
        shapes=[
            *_bands(list(groups or ())),
            *(vertical_line(value, dash="dot") for value in drawn.values()),
        ],
    )


def pairwise_effects(
    differences: Sequence[Difference],
    *,
    score: str = "accuracy",
    rope: float = 0.0,
    as_percent: bool = True,
) -> go.Figure:
    """Draw each pair's difference with its interval, and the band of practical equivalence.

    Parameters
    ----------
    differences : sequence of Difference
        See `lincore.metrics.pairwise_differences`.
    score : str
    rope : float
        Half the width of the band around zero.
    as_percent : bool, default True
        Read differences of shares in points.
    """
    labels = [f"{shorten(d.first, 9)} − {shorten(d.second, 9)}" for d in differences]
    values = np.array([(d.value, d.low, d.high) for d in differences], dtype=float).reshape(-1, 3)
    if as_percent:
        values, rope = 100 * values, 100 * rope
    sure = sum(d.verdict.endswith("better") for d in differences)
    verb = "is" if 1 in (sure, len(differences)) else "are"
    heading = f"{sure} of {count(len(differences), 'pair')} {verb} significantly different"
    alike = sum(d.verdict == "equivalent" for d in differences)
    if alike:
        heading += f", {alike} equivalent"
    unit = "points" if as_percent else ""
    better = f"{'Right' if greater_is_better(score) else 'Left'} of zero the first is better."
    whole = [f"{d.first} − {d.second}" for d in differences]
    return _lines(
        heading,
        join(better, _rope_note(rope, unit)),
        labels,
        values,
        False,
        hues=[ACCENT if d.verdict.endswith("better") else GREY for d in differences],
        alt=join(f"Differences in {score} between pairs of models: {heading}.",
                 _values_text(whole, values, False, unit)),
        verdicts=[d.verdict for d in differences],
        whole=whole,
        xaxis=axis(f"{score} ({unit})" if unit else score, tickformat="~g"),
        shapes=[*([_equivalence(rope)] if rope else []), vertical_line(0)],
    )  # fmt: skip


def _lines(
    title: str,
    subtitle: str,
    labels: Sequence[str],
    values: Array,
    as_percent: bool,
    *,
    hues: list[str],
    alt: str,
    verdicts: Sequence[str] | None = None,
    whole: Sequence[str] | None = None,
    **layout: Any,
) -> go.Figure:
    """Return the figure with a mark and a bar on each line, the first on top."""
    hover = [
        join(_with_ends(interval, as_percent), verdict and f"<br>{escape(verdict)}")
        for interval, verdict in zip(values.tolist(), verdicts or [""] * len(labels), strict=True)
    ]
    value, low, high = values.T.astype(np.float32)
    marks = trace(
        "scatter",
        x=value,
        y=np.arange(len(labels), dtype=np.int16),
        mode="markers",
        marker={"size": 10, "color": hues, "line": {"color": EDGE, "width": 1}},
        error_x=error_bars(value, low, high, thickness=2.5, width=5),
        text=[escape(label) for label in whole or labels],
        hovertext=hover,
        hovertemplate="<b>%{text}</b><br>%{hovertext}<extra></extra>",
    )
    lines, pixels = line_labels(labels, width=LABEL_WIDTH)
    return figure(
        [marks],
        title,
        subtitle=subtitle,
        alt=alt,
        height=int(np.clip(90 + max(30, pixels) * len(labels), 150, 900)),
        showlegend=False,
        yaxis=lines,
        **layout,
    )


def _bands(groups: list[int]) -> list[dict[str, Any]]:
    """Return a band behind every second run of equal groups."""
    if not groups:
        return []
    edges = [0, *(i for i in range(1, len(groups)) if groups[i] != groups[i - 1]), len(groups)]
    common = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "layer": "below"}
    return [
        common
        | {"y0": start - 0.5, "y1": stop - 0.5, "line": {"width": 0}}
        | {"fillcolor": translucent(GREY, 0.13)}
        for start, stop in list(zip(edges[:-1], edges[1:], strict=True))[::2]
    ]


def _equivalence(rope: float) -> dict[str, Any]:
    """Return the band of differences that do not matter."""
    ends = {"xref": "x", "x0": -rope, "x1": rope, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "rect", "fillcolor": translucent(GOOD, 0.14), "line": {"width": 0}} | ends


def _values_text(labels: Sequence[str], values: Array, as_percent: bool, unit: str = "") -> str:
    phrases = [
        f"{label} {_with_ends(interval, as_percent)}"
        for label, interval in zip(labels, values.tolist(), strict=True)
    ]
    return f"{listed(phrases, most=12)}{' ' + unit if unit else ''}." if phrases else ""


def _with_ends(interval: Sequence[float], as_percent: bool) -> str:
    """Format a value, and the ends of its interval if there are any."""
    value, low, high = (number(end, as_percent) for end in interval)
    return value if np.isnan(interval).any() else f"{value} ({low} to {high})"


def _split_baselines(
    baselines: Mapping[str, float], values: Array
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return the baselines that are drawn, and those too far to the left and to the right."""
    ends = values[np.isfinite(values)]
    if not ends.size or not np.ptp(ends):
        return dict(baselines), {}, {}
    low, high = float(ends.min()), float(ends.max())
    reach = FARTHEST * (high - low)
    left = {name: value for name, value in baselines.items() if value < low - reach}
    right = {name: value for name, value in baselines.items() if value > high + reach}
    near = {name: v for name, v in baselines.items() if name not in left and name not in right}
    return near, left, right


def _rope_note(rope: float, unit: str) -> str:
    if not rope:
        return ""
    amount = f"{rope:g} {unit.removesuffix('s') if rope == 1 else unit}".rstrip()
    return f"Shaded: at most {amount} apart."


def _baselines_text(
    baselines: Mapping[str, float] | None, as_percent: bool, word: str = "Baselines:"
) -> str:
    phrases = [f"{name} {number(value, as_percent)}" for name, value in (baselines or {}).items()]
    return f"{word} {listed(phrases, most=6)}." if phrases else ""
