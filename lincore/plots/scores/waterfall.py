"""Error decomposition of an imbalance as a waterfall, and recovery by each remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from lincore.plots.base.palette import ACCENT, BAD, EDGE, GOOD, GREY, INK, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import (
    Trace,
    axis,
    error_bars,
    escape,
    figure,
    trace,
    vertical_line,
)
from lincore.plots.scores.intervals import Interval
from lincore.utils.formatting import capital, listed, number, shorten, true_minus

#: If the steps together are a smaller share of the loss, the axis does not begin at zero.
SMALL_STEPS = 0.3
ERROR_LOOK: dict[str, Any] = {"color": INK, "thickness": 1.6, "width": 5}


def waterfall(
    parts: Mapping[str, Interval],
    start: float,
    *,
    start_name: str = "full set",
    end_name: str = "reduced set",
    loss: str = "error",
    unit: str = "points",
    scale: float = 100.0,
    greater_is_better: bool = False,
    is_chance: bool = False,
    title: str = "",
    basis: str = "Bars on the steps: 95 % intervals over random choices of the rows.",
) -> go.Figure:
    """Draw how one loss becomes another, part by part, each with its interval.

    Parameters
    ----------
    parts : mapping of name to (value, low, high)
        In order; they add up to the whole change.
    start : float
        The loss that they are added to.
    start_name, end_name : str
    loss : str
    unit : str
        "" for a loss in nats.
    scale : float, default 100
        What everything is multiplied by: shares become points.
    greater_is_better : bool, default False
        For a recall: then falling is drawn as the worse.
    title : str, optional
        The finding; otherwise what it computes.
    is_chance : bool, default False
        Whether the total is not distinguishable from zero: then no part is named.
    basis : str
        What the bars on the steps are.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> parts = {"prior shift": (0.1, 0.08, 0.12), "majority bias": (0.06, 0.05, 0.07)}
    >>> waterfall(parts, 0.157).layout.meta["title"]
    '+16 points of error: most of it prior shift (+10)'
    """
    values = scale * np.array([tuple(i) for i in parts.values()], dtype=float).reshape(-1, 3)
    first, changes = scale * start, values[:, 0]
    edges = first + np.concatenate([[0.0], np.cumsum(changes)])
    labels = [start_name, *parts, end_name]
    heading = _finding([] if is_chance else list(parts), values, loss, unit)
    heading += ": no loss beyond chance" * is_chance
    bottom = _bottom(edges, values)
    zoomed = f" The axis begins at {_loss_text(bottom, unit)}{' %' if unit == 'points' else ''}."
    return figure(
        [
            _ends(labels, first, float(edges[-1]), unit),
            _steps(list(parts), edges, values, unit, GOOD if greater_is_better else BAD),
            _connectors(edges),
        ],
        title or heading,
        subtitle=f"{basis}{zoomed if bottom else ''}",
        alt=join(f"Waterfall from {start_name} ({_loss_text(first, unit)}) to {end_name} "
                 f"({_loss_text(float(edges[-1]), unit)}): {heading}.",
                 _values_text(list(parts), values, unit)),
        height=430,
        showlegend=False,
        bargap=0.35,
        xaxis=axis(
            tickvals=list(range(len(labels))),
            ticktext=["<br>".join(escape(word) for word in label.split()) for label in labels],
            tickangle=0,
            showgrid=False,
            range=[-0.5, len(labels) - 0.5],
        ),
        yaxis=axis(f"{loss} (%)" if unit == "points" else loss, **_upright(edges, values, bottom)),
    )  # fmt: skip


def _reach(edges: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return the lowest and the highest end of the steps and their intervals."""
    ends = edges[:-1, None] + values[:, 1:]
    seen = np.concatenate([edges, ends[np.isfinite(ends)]])
    return float(np.nanmin(seen)), float(np.nanmax(seen))


def _bottom(edges: np.ndarray, values: np.ndarray) -> float:
    """Return where the y axis begins: at zero, unless the steps would be too small to be seen."""
    low, high = _reach(edges, values)
    if not 0 < high - low < SMALL_STEPS * high:
        return 0.0
    room = 0.6 * (high - low)
    unit = 10.0 ** np.floor(np.log10(room))
    return max(0.0, float(np.floor((low - room) / unit) * unit))


def _upright(edges: np.ndarray, values: np.ndarray, bottom: float) -> dict[str, Any]:
    if not bottom:
        return {"rangemode": "tozero"}
    high = _reach(edges, values)[1]
    return {"range": [bottom, high + 0.06 * (high - bottom)]}


def remedies(
    names: Sequence[str],
    recovered: Sequence[Interval],
    others: Sequence[Interval] | None = None,
    *,
    whole: float | None = None,
    score: str = "error",
    unit: str = "points",
    scale: float = 100.0,
    title: str = "",
    basis: str = "Bars: 95 % intervals, paired by choice of the rows.",
    height: int | None = None,
) -> go.Figure:
    """Draw what each correction recovers, and how the recall of the other classes changes.

    Parameters
    ----------
    names : sequence of R str
    recovered : sequence of R (value, low, high)
        Positive is better.
    others : sequence of R (value, low, high), optional
        Mean change of recall of the classes that were not reduced.
    whole : float, optional
        The whole loss: a vertical line, where everything is recovered.
    score, unit : str
    scale : float, default 100
    title : str, optional
    basis : str
        What the bars on the bars are.
    height : int, optional
        In pixels; by default as many rows of bars need.
    """
    back = scale * np.array([tuple(i) for i in recovered], dtype=float).reshape(-1, 3)
    heading = _finding_of_best(names, back, score, unit)
    bars = [_row_of_bars(names, back, f"{score} recovered", ACCENT)]
    if others is not None:
        change = 100 * np.array([tuple(i) for i in others], dtype=float).reshape(-1, 3)
        bars.append(_row_of_bars(names, change, "recall of the others", translucent(GREY, 0.7)))
    limits = [] if whole is None else [scale * whole]
    return figure(
        bars,
        title or heading,
        subtitle=basis,
        alt=join(f"What corrections recover: {heading}.", _values_text(list(names), back, unit)),
        height=height or int(np.clip(110 + (52 if others else 36) * len(names), 180, 640)),
        barmode="group",
        bargap=0.3,
        shapes=[vertical_line(0), *(vertical_line(limit, dash="dot") for limit in limits)],
        annotations=[_limit_name(limit, back) for limit in limits],
        xaxis=axis(unit or score),
        yaxis=axis(
            tickvals=list(range(len(names))),
            ticktext=[escape(shorten(name, 36)).replace(" + ", " +<br>") for name in names],
            # Above the first remedy there is room for the name of the line.
            range=[len(names) - 0.5, -0.85 if limits else -0.5],
            showgrid=False,
        ),
    )


def _limit_name(limit: float, back: np.ndarray) -> dict[str, Any]:
    # Inside the plot, on the side that has space: the title is above.
    is_last = limit > 0.6 * np.nanmax(back, initial=limit)
    settings = {"x": limit, "y": 1, "yref": "paper", "yanchor": "top"}
    settings |= {"xanchor": "right" if is_last else "left", "xshift": -4 if is_last else 4}
    return settings | {"text": "all of it", "showarrow": False, "font": {"size": 11}}


def _loss_text(value: float, unit: str, *, signed: bool = False) -> str:
    """Format points with one decimal, as in sentences and tables; nats with three."""
    if unit != "points" or not np.isfinite(value):
        return number(value, signed=signed)
    shown = round(value, 1) + 0.0  # no minus before a zero
    return ("+" if signed and shown > 0 else "") + true_minus(f"{shown:g}")


def _finding_of_best(names: Sequence[str], back: np.ndarray, score: str, unit: str) -> str:
    """Name the correction that recovers most beyond chance; for one split, by value."""
    value = np.where(back[:, 1] <= 0, np.nan, back[:, 0])
    if np.isnan(value).all():
        return "No correction recovers the loss beyond chance"
    best = int(np.nanargmax(value))
    amount = f"{_loss_text(float(value[best]), unit)}{f' {unit}' if unit else ''} of {score}"
    return f"{capital(names[best])}: {amount} recovered"


def _row_of_bars(names: Sequence[str], values: np.ndarray, name: str, shade: str) -> Trace:
    value, low, high = values.T.astype(np.float32)
    return trace(
        "bar",
        x=value,
        y=np.arange(len(values), dtype=np.int16),
        orientation="h",
        name=escape(name),
        marker={"color": shade, "line": {"width": 0}},
        error_x=error_bars(value, low, high, **ERROR_LOOK),
        text=[escape(label) for label in names],
        textposition="none",
        customdata=np.column_stack([low, high]),
        meta=[escape(name)],
        hovertemplate="<b>%{text}</b><br>%{meta[0]} %{x:.3~g} (%{customdata[0]:.3~g} to "
        "%{customdata[1]:.3~g})<extra></extra>",
    )


def _ends(labels: list[str], first: float, last: float, unit: str) -> Trace:
    return trace(
        "bar",
        x=np.array([0, len(labels) - 1], np.int16),
        y=np.array([first, last], np.float32),
        marker={"color": translucent(GREY, 0.65), "line": {"width": 0}},
        text=[_loss_text(first, unit), _loss_text(last, unit)],
        textposition="inside",
        insidetextanchor="end",
        textangle=0,
        textfont={"color": INK, "size": 13},
        hoverinfo="skip",
    )


def _steps(
    parts: list[str], edges: np.ndarray, values: np.ndarray, unit: str, rising: str
) -> Trace:
    change, low, high = values.T
    falling = GOOD if rising == BAD else BAD
    amounts = [_loss_text(v, unit, signed=True) for v in change.tolist()]
    phrases = [f"{escape(name)}: {v} {unit}" for name, v in zip(parts, amounts, strict=True)]

    return trace(
        "bar",
        x=np.arange(1, len(parts) + 1, dtype=np.int16),
        base=edges[:-1].tolist(),
        y=change.astype(np.float32),
        marker={
            "color": [rising if v > 0 else falling for v in change.tolist()],
            "line": {"color": EDGE, "width": 0},
        },
        error_y=error_bars(change, low, high, **ERROR_LOOK),
        text=amounts,
        textposition="none",
        hovertext=phrases,
        customdata=np.column_stack([low, high]).astype(np.float32),
        hovertemplate="%{hovertext}<br>%{customdata[0]:.3~g} to %{customdata[1]:.3~g}"
        "<extra></extra>",
    )


def _connectors(edges: np.ndarray) -> Trace:
    x = np.array([[i + 0.32, i + 0.68, np.nan] for i in range(len(edges))]).ravel()
    return trace(
        "scatter",
        x=x.astype(np.float32),
        y=np.repeat(edges, 3).astype(np.float32),
        mode="lines",
        line={"color": GREY, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )


def _finding(parts: list[str], values: np.ndarray, loss: str, unit: str) -> str:
    changes, low, high = values.T
    total = float(changes.sum())
    whole = f"{_loss_text(total, unit, signed=True)} {unit + ' of ' if unit else 'in '}{loss}"
    if not len(parts):
        return whole
    if ((low <= 0) & (high >= 0)).all():
        return f"{whole}: no part of it beyond chance"
    most = int(np.argmax(changes * (1 if total >= 0 else -1)))
    largest = f"{parts[most]} ({_loss_text(float(changes[most]), unit, signed=True)})"
    chance = ", by itself not beyond chance" if low[most] <= 0 <= high[most] else ""
    return f"{whole}: most of it {largest}{chance}"


def _values_text(names: list[str], values: np.ndarray, unit: str) -> str:
    phrases = []
    for name, (value, *ends) in zip(names, values.tolist(), strict=True):
        span = " to ".join(_loss_text(end, unit) for end in ends)
        phrases.append(f"{name} {_loss_text(value, unit, signed=True)} ({span})")
    return f"{listed(phrases, most=12)}{' ' + unit if unit else ''}." if phrases else ""
