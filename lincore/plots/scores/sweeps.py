"""A score against the number of rows, as mean and band, for each method."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import INK, method_look, translucent
from lincore.plots.base.sentences import join, score_axis
from lincore.plots.base.style import (
    LEGEND_WIDTH,
    Trace,
    axis,
    escape,
    figure,
    trace,
    vertical_line,
)
from lincore.utils.formatting import capital, count, listed, number, shorten
from lincore.utils.typing import Array


def sweep(
    sizes: ArrayLike,
    mean: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    methods: Sequence[str],
    *,
    across: str = "training rows of the class",
    score: str = "error",
    crossings: Sequence[float] = (),
    as_percent: bool = True,
    ranges: Sequence[float] | None = None,
    title: str = "",
    basis: str = "Lines: means; bands: 95 % intervals.",
) -> go.Figure:
    """Draw mean and band of a score of each method over sizes, also for learning curves.

    Parameters
    ----------
    sizes : array-like of shape (S,)
        Ascending, above zero; the axis is logarithmic where they span more than eightfold.
    mean, low, high : array-like of shape (M, S)
        NaN where a method could not be fitted; one that never was is not drawn.
    methods : sequence of M str
    across, score : str
        What the axes are.
    crossings : sequence of float, optional
        Sizes at which the order of the methods changes, marked by vertical lines.
    as_percent : bool, default True
    ranges : two float, optional
        Ends of the vertical axis, to compare figures.
    title : str, optional
    basis : str
        What lines and bands are.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    x = np.asarray(sizes, dtype=float)
    middle, lower, upper = (np.asarray(values, dtype=float) for values in (mean, low, high))
    heading = f"{capital(score)} by {across}"
    crossed = ""
    if len(crossings):
        listing = listed([f"{c:,.0f}" for c in crossings], most=6)
        crossed = f"The order changes at {listing}."
    drawn = {i: name for i, name in enumerate(methods) if np.isfinite(middle[i]).any()}
    upright = score_axis(middle[:0] if ranges else middle, score, as_percent)
    if "type" in upright:  # no value is negative
        lower = np.maximum(lower, np.nanmin(middle) / 2)
    logarithmic = len(x) > 0 and x.max() > 8 * x.min()
    curves = np.stack([middle, lower, upper], axis=1)
    bands = (band(i, name, x, curves[i], as_percent) for i, name in drawn.items())
    return figure(
        list(chain.from_iterable(bands)),
        title or heading,
        subtitle=join(crossed, basis),
        alt=join(f"{heading}, for {count(len(drawn), 'method')}.",
                 _ends(x, middle[list(drawn)], list(drawn.values()), as_percent), crossed),
        hovermode="x unified",
        xaxis=axis(across, **(_log_ticks(x) if logarithmic else {})),
        yaxis=axis(
            score,
            **upright,
            **({"range": list(ranges)} if ranges else {}),
        ),
        shapes=[vertical_line(size, dash="dot") for size in crossings],
    )  # fmt: skip


def tuning(
    candidates: ArrayLike,
    mean: ArrayLike,
    error: ArrayLike,
    chosen: int,
    options: Sequence[str],
    *,
    loss: str,
    title: str,
) -> go.Figure:
    """Draw the loss of every candidate for one option, or for two as a line for each value.

    Parameters
    ----------
    candidates : array-like of shape (n, 1 or 2)
    mean, error : array-like of shape (n,)
        Mean loss over the inner folds and its standard error; infinite where a fit failed.
    chosen : int
        The position that is marked.
    options : sequence of str
        What the columns of the candidates are; the last one is the axis.
    loss : str
        "log loss" or "error rate".
    title : str
        The finding.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    tried, as_percent = np.asarray(candidates, dtype=float), loss == "error rate"
    middle = np.where(np.isfinite(mean), mean, np.nan)
    curve = np.stack([middle, middle - error, middle + error])
    name, traces = f"{options[0]} {{:g}}" if tried.shape[1] > 1 else loss, []
    for position, value in enumerate(dict.fromkeys(tried[:, 0]) if tried.shape[1] > 1 else [0]):
        of_line = np.flatnonzero(tried[:, 0] == value) if tried.shape[1] > 1 else slice(None)
        order = np.argsort(tried[of_line, -1])
        x_of_line = tried[of_line, -1][order]
        area, line = band(
            position, name.format(value), x_of_line, curve[:, of_line][:, order], as_percent
        )
        traces += [area, line]
    x = float(tried[chosen, -1])
    mark = trace(
        "scatter", x=[x], y=[float(middle[chosen])], mode="markers", name="chosen",
        marker={"symbol": "circle-open", "size": 16, "color": INK, "line": {"width": 2.5}},
        hoverinfo="skip",
    )  # fmt: skip
    values = np.unique(tried[:, -1])
    ends = values[0], values[-1]
    ticks: dict[str, Any] = {}
    if ends[0] > 0:
        ticks = {"type": "log"} if (values % 1).any() else _log_ticks(values)
    return figure(
        [*traces, mark],
        title,
        subtitle="Lines: means of five inner folds; bands: one standard error.",
        alt=f"{loss} of {count(len(tried), 'candidate')} from {options[-1]} {ends[0]:g} to "
        f"{ends[1]:g}; chosen: {number(float(middle[chosen]), as_percent)} at {x:g}.",
        hovermode="x unified",
        xaxis=axis(options[-1], **ticks),
        yaxis=axis(loss, **score_axis(middle, loss, as_percent)),
    )


def band(position: int, name: str, x: Array, curve: Array, as_percent: bool) -> list[Trace]:
    """Return the line of a method with its band: mean, low and high (3, S) over places (S,)."""
    mean, low, high = curve
    hue, dash, shape = method_look(position)
    is_known = np.isfinite(low) & np.isfinite(high)
    outline_x = np.concatenate([x[is_known], x[is_known][::-1]]).astype(np.float32)
    outline_y = np.concatenate([high[is_known], low[is_known][::-1]]).astype(np.float32)
    common: dict[str, Any] = {"legendgroup": str(position)}
    area = trace(
        "scatter", x=outline_x, y=outline_y, mode="lines", line={"width": 0}, fill="toself",
        fillcolor=translucent(hue, 0.16), hoverinfo="skip", showlegend=False, **common,
    )  # fmt: skip
    line = trace(
        "scatter",
        x=x.astype(np.float32),
        y=mean.astype(np.float32),
        mode="lines+markers",
        name=escape(shorten(name, LEGEND_WIDTH)),
        line={"color": hue, "width": 2.2, "dash": dash},
        marker={"symbol": shape, "size": 7},
        hovertext=[number(value, as_percent) for value in mean] if as_percent else None,
        hovertemplate="%{hovertext}" if as_percent else "%{y:.3~g}",
        **common,
    )
    return [area, line]


def _log_ticks(values: Array) -> dict[str, Any]:
    """Return ticks at the sizes, as many as fit on a phone; for shares at round values."""
    every = int(np.ceil(len(values) / 6))
    shown = values[::-1][::every][::-1]
    if (values % 1).any():
        steps = np.outer(10.0 ** np.arange(-9, 10), [1, 2, 5]).ravel()
        shown = steps[(steps >= values.min() * (1 - 1e-9)) & (steps <= values.max() * (1 + 1e-9))]
    return {
        "type": "log",
        "tickvals": shown.tolist(),
        "ticktext": [f"{tick:,g}" if tick < 1e6 else f"{tick:,.0f}" for tick in shown],
    }


def _ends(sizes: Array, mean: Array, methods: Sequence[str], as_percent: bool) -> str:
    if not len(sizes):
        return ""
    phrases = []
    for name, row in zip(methods, mean, strict=True):
        known = np.flatnonzero(np.isfinite(row))
        first, last = (known[0], known[-1]) if len(known) else (0, -1)
        phrases.append(
            f"{name} {number(float(row[last]), as_percent)} at {sizes[last]:,.0f} and "
            f"{number(float(row[first]), as_percent)} at {sizes[first]:,.0f}"
        )
    return f"{listed(phrases, most=12)}."
