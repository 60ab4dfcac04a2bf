"""The cost curve: expected cost against the ratio of the costs of two errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import ACCENT, INK, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import Trace, axis, figure, vertical_line
from lincore.plots.scores.intervals import Interval
from lincore.plots.scores.sweeps import band
from lincore.utils.formatting import listed, number

#: Ticks of a logarithmic axis in each decade.
TICKS = np.outer(10.0 ** np.arange(-3, 6), (1, 2, 5)).ravel()


def cost_curve(
    ratios: ArrayLike,
    lines: ArrayLike,
    names: Sequence[str],
    *,
    class_ratio: float,
    asked: float,
    across: str,
    title: str,
    basis: str = "Bands: 95 % intervals.",
    break_even: Interval | None = None,
    difference: ArrayLike | None = None,
) -> go.Figure:
    """Draw the expected cost per hundred rows of decision rules or models over the cost ratio.

    Parameters
    ----------
    ratios : array-like of shape (G,)
        Increasing from one; the axis is logarithmic.
    lines : array-like of shape (M, G, 3)
        Expected cost of a row, with the ends of its interval.
    names : sequence of M str
    class_ratio, asked : float
        Ratios that are marked.
    across, title, basis : str
    break_even : (value, low, high), optional
        Marked with its interval; NaN where there is none, infinite where it reaches beyond.
    difference : array-like of shape (G, 3), optional
        Of the first two lines, drawn below them.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> lines = [[[0.1, 0.0, 0.2], [0.4, 0.3, 0.5]], [[0.2, 0.1, 0.3], [0.3, 0.2, 0.4]]]
    >>> found = cost_curve([1, 4], lines, ["a", "b"], class_ratio=2, asked=2,
    ...                    across="ratio", title="Cost", break_even=(2, 1, 3))
    >>> [trace.name for trace in found.data if trace.showlegend is None]
    ['a', 'b']
    """
    grid, values = np.asarray(ratios, dtype=float), 100 * np.asarray(lines, dtype=float)
    upright = _upright(values)
    if "type" in upright:
        values = np.where(values > 0, values, np.nanmin(values[values > 0]) / 2)
    shown = TICKS[(grid[0] <= TICKS) & (grid[-1] * (1 + 1e-9) >= TICKS)]
    marks = [(1.0, "equal costs"), (class_ratio, "class ratio")]
    if not np.isclose(asked, (1.0, class_ratio), rtol=0.02).any():
        marks.append((asked, "asked"))
    shapes = [vertical_line(ratio, dash="dot", width=1.2) for ratio, _ in marks]
    if break_even is not None and break_even[0] == break_even[0]:
        marks.append((break_even[0], "break-even"))
        shapes += _break_even(*break_even, grid)
    traces: list[Trace] = []
    for i, (name, line) in enumerate(zip(names, values, strict=True)):
        traces += band(i, name, grid, line.T, as_percent=False)
    below: dict[str, Any] = {}
    if difference is not None:
        less = 100 * np.asarray(difference, dtype=float).T
        name = f"{names[0]} minus {names[1]}"
        area, line = band(len(names), name, grid, less, as_percent=False)
        traces += [area | {"yaxis": "y2"}, line | {"yaxis": "y2"}]
        look = {"zeroline": True, "zerolinecolor": INK, "nticks": 5}
        below = {"yaxis2": axis("difference", domain=[0, 0.32], **look), "hoversubplots": "axis"}
        upright |= {"domain": [0.4, 1]}
    return figure(
        traces,
        title,
        subtitle=basis,
        alt=join(f"Cost curve: {title}.", _ends(names, values, grid)),
        height=440 if difference is None else 500,
        hovermode="x unified",
        xaxis=axis(
            across,
            anchor="y" if difference is None else "y2",
            type="log",
            tickvals=shown.tolist(),
            ticktext=[f"{ratio:g}" for ratio in shown],
            range=[float(np.log10(grid[0])) - 0.03, float(np.log10(grid[-1])) + 0.02],
        ),
        yaxis=axis("expected cost of 100 rows", **upright),
        **below,
        shapes=shapes,
        annotations=[
            _name(ratio, text, i, grid[-1]) for i, (ratio, text) in enumerate(sorted(marks))
        ],
    )


def _upright(values: np.ndarray) -> dict[str, Any]:
    """Return a logarithmic axis if all means are positive, otherwise one from zero."""
    means = values[..., 0]
    if not (means > 0).all():
        return {"rangemode": "tozero"}
    low, high = means.min(), means.max()
    ticks = TICKS[(0.7 * low <= TICKS) & (1.4 * high >= TICKS)]
    return {
        "type": "log",
        "tickvals": ticks.tolist(),
        "ticktext": [f"{tick:,g}" for tick in ticks],
        "range": [float(np.log10(0.6 * low)), float(np.log10(1.5 * high))],
    }


def _break_even(value: float, low: float, high: float, grid: np.ndarray) -> list[dict[str, Any]]:
    """Return a line with its interval as a shaded stripe, within the axis."""
    shapes = [vertical_line(value, color=ACCENT, width=2)]
    if high < np.inf or low > 1:
        ends = {"x0": max(low, 1.0), "x1": min(high, float(grid[-1]))}
        stripe = {"type": "rect", "xref": "x", "yref": "y domain", "y0": 0, "y1": 1} | ends
        look = {"fillcolor": translucent(ACCENT, 0.12), "line": {"width": 0}, "layer": "below"}
        shapes.append(stripe | look)
    return shapes


def _name(ratio: float, text: str, position: int, end: float) -> dict[str, Any]:
    # Names of neighbours would overlap: each has its own line, inside the plot.
    shown = f"{text} {ratio:.2g}" if ratio < 100 else f"{text} {ratio:,.0f}"
    settings = {"x": float(np.log10(ratio)), "y": 1, "yref": "y domain", "yanchor": "top"}
    is_last = ratio**2 > end  # in the right half
    settings |= {"xanchor": "right" if is_last else "left", "xshift": -4 if is_last else 4}
    settings |= {"yshift": -16.0 * position}
    return settings | {"text": shown, "showarrow": False, "font": {"size": 11, "color": INK}}


def _ends(names: Sequence[str], values: np.ndarray, grid: np.ndarray) -> str:
    phrases = [
        f"{name} {number(float(line[0, 0]))} at 1 to 1 and {number(float(line[-1, 0]))} "
        f"at {grid[-1]:.3g} to 1"
        for name, line in zip(names, values, strict=True)
    ]
    return f"Of 100 rows: {listed(phrases)}."
