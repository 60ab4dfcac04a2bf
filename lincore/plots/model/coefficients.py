"""Coefficients (or loadings) as bars with intervals, and odds ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import ACCENT, COLOURS, EDGE, GREY, INK
from lincore.plots.base.sentences import join
from lincore.plots.base.style import (
    LEGEND_WIDTH,
    Trace,
    axis,
    compact,
    error_bars,
    escape,
    figure,
    line_labels,
    names,
    shorten_all,
    trace,
    vertical_line,
)
from lincore.utils.formatting import count, listed, number
from lincore.utils.typing import Array, Flags

# Bars of coefficients and odds ratios, and steps of a waterfall of which the others are one.
MOST_BARS, MOST_STEPS = 25, 12
LABEL_WIDTH = 22
# Space for a number beside a bar, as a share of the length of all bars.
ROOM = 0.38
ERROR_LOOK = {"thickness": 2, "width": 4}


def coefficients(
    features: Sequence[str],
    values: ArrayLike,
    *,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    unit: str = "coefficient",
    title: str = "",
    is_ordered: bool = False,
) -> go.Figure:
    """Draw the largest coefficients (or loadings) as bars.

    Parameters
    ----------
    features : sequence of p str
    values : array-like of shape (p,)
    low, high : array-like of shape (p,), optional
        Ends of their intervals.
    unit : str
        What the axis is called.
    title : str, optional
        The finding; otherwise which is largest.
    is_ordered : bool, default False
        Draw the values in the given order; by default the largest absolute value first.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> coefficients(["length", "width"], [-2.0, 0.5]).layout.meta["title"]
    'Largest coefficient: length (−2)'
    """
    value = np.asarray(values, dtype=float)
    order = np.argsort(-np.abs(value), kind="stable")
    # A zero with an interval is an estimate, not a feature left out by a penalty.
    n_zero = np.count_nonzero(value == 0) if low is None else 0
    order = order[: min(MOST_BARS, len(value) - n_zero or MOST_BARS)]
    order = np.sort(order) if is_ordered else order
    labels = [features[i] for i in order.tolist()]
    largest = f"Largest {unit}: {labels[0]} ({number(value[order[0]])})" if labels else "Nothing"
    note = f"The {len(order)} largest of {len(value):,}" if len(order) < len(value) else ""
    if note:
        note += "; the others are 0." if len(order) == len(value) - n_zero else "."
    lengths, endless = _drawable(value[order])
    if endless.any():
        note = join(note, "∞: no finite bar, the value alone decides.")
    signs = ["" if np.isfinite(v) else "∞" if v > 0 else "−∞" for v in value[order].tolist()]
    bars = trace(
        "bar",
        x=compact(lengths),
        y=np.arange(len(order), dtype=np.int16),
        orientation="h",
        # The side tells the sign: two colours would be mistaken for those of two classes.
        marker={"color": ACCENT, "line": {"width": 0}},
        text=signs if endless.any() else [escape(label) for label in labels],
        textposition="inside" if endless.any() else "none",
        textangle=0,
        customdata=[
            [escape(label), number(v)] for label, v in zip(labels, value[order], strict=True)
        ]
        if endless.any()
        else None,
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>"
        if endless.any()
        else "<b>%{text}</b><br>%{x:.4~g}<extra></extra>",
    )
    if low is not None and high is not None:
        ends = (np.asarray(low, float)[order], np.asarray(high, float)[order])
        bars["error_x"] = error_bars(value[order], *ends, **ERROR_LOOK)
    return _figure(
        bars,
        title or largest,
        note,
        labels,
        alt=_alt(largest, unit, labels, value[order]),
        xaxis=axis(unit, tickformat="~g"),
        shapes=[vertical_line(0)],
    )


def coefficient_path(
    C: ArrayLike,
    values: ArrayLike,
    features: Sequence[str],
    numbers: ArrayLike,
    marks: Mapping[str, float],
    *,
    title: str,
) -> go.Figure:
    """Draw coefficients against C, the largest at the first mark in colour.

    Parameters
    ----------
    C : array-like of shape (m,)
        Ascending; the axis is logarithmic.
    values : array-like of shape (m, p)
        Per standard deviation.
    features : sequence of p str
    numbers : array-like of shape (m,)
        How many features have a coefficient other than zero.
    marks : mapping of str to float
        Values of C to be marked, by name.
    title : str
        The finding.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    x, curves, counts = np.asarray(C, float), np.asarray(values, float), np.asarray(numbers)
    at = int(np.argmin(np.abs(np.log(x) - np.log(next(iter(marks.values()))))))
    size = np.abs(curves[at]) + 1e-9 * np.abs(curves).max(axis=0)
    order = np.argsort(-size, kind="stable")
    order = order[(curves[:, order] != 0).any(axis=0)]
    coloured, others = order[: len(COLOURS)], order[len(COLOURS) :]
    labels = shorten_all([features[j] for j in coloured.tolist()], LEGEND_WIDTH)
    traces = []
    if len(others):
        gap = np.full((1, len(others)), np.nan)
        traces.append(trace(
            "scatter", mode="lines", name=count(len(others), "other feature"),
            x=np.tile(np.append(x, np.nan), len(others)).astype(np.float32),
            y=np.vstack([curves[:, others], gap]).T.ravel().astype(np.float32),
            line={"color": GREY, "width": 1}, opacity=0.5, hoverinfo="skip", legendrank=1001,
        ))  # fmt: skip
    for position, (j, label) in enumerate(zip(coloured.tolist(), labels, strict=True)):
        traces.append(trace(
            "scatter", mode="lines", name=escape(label),
            x=x.astype(np.float32), y=curves[:, j].astype(np.float32), customdata=counts,
            line={"color": COLOURS[position], "width": 2.2},
            hovertemplate="%{y:.3~g} at C = %{x:.3~g}, where %{customdata} are not zero",
        ))  # fmt: skip
    # Far beyond the marks coefficients of separable classes are many times as large.
    near = curves[x <= 10 * max(marks.values())]
    ends = [float(near.min(initial=0.0)), float(near.max(initial=0.0))]
    margin = 0.05 * (ends[1] - ends[0]) or 1.0
    for dash, (name, mark) in zip(("solid", "dash", "dot"), marks.items(), strict=False):
        traces.append(trace(
            "scatter", mode="lines", x=[mark, mark], y=ends, hoverinfo="skip",
            name=escape(f"{name}: C = {mark:.3g}"), legendrank=999,
            line={"color": INK, "width": 1.5, "dash": dash},
        ))  # fmt: skip
    shown = np.unique(np.linspace(0, len(x) - 1, 6).astype(int)).tolist()
    most = [f"{features[j]} {number(curves[at, j])}" for j in coloured if curves[at, j]]
    return figure(
        traces,
        title,
        alt=f"Paths of {count(len(order), 'feature')} over C from {x[0]:.3g} to "
        f"{x[-1]:.3g}. At {x[at]:.3g}: {listed(most) if most else 'all are zero'}.",
        xaxis=axis(
            "C, and how many features have coefficients",
            type="log",
            tickvals=x[shown].tolist(),
            ticktext=[f"{x[i]:.2g}<br>{counts[i]:,}" for i in shown],
        ),
        yaxis=axis("coefficient", tickformat="~g", range=[ends[0] - margin, ends[1] + margin]),
    )


def odds_ratios(
    features: Sequence[str],
    ratios: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
) -> go.Figure:
    """Draw odds ratios with their intervals on a logarithmic axis, the furthest from 1 first.

    Parameters
    ----------
    features : sequence of p str
    ratios, low, high : array-like of shape (p,)

    Returns
    -------
    plotly.graph_objects.Figure
    """
    # Beyond these a ratio counts as infinite: the axis could show nothing else.
    value, lower, upper = (
        np.clip(np.asarray(bound, dtype=float), 1e-30, 1e30) for bound in (ratios, low, high)
    )
    is_known = np.isfinite(lower) & np.isfinite(upper)
    n_clear = np.count_nonzero((lower > 1) | (upper < 1))
    finding = f"{n_clear} of {count(len(value), 'odds ratio')} differ from 1"
    note = (
        "Factor of the odds per unit. Bars: 95 % intervals, each by itself; grey: they contain 1."
    )
    if not is_known.all():
        finding += f", {np.count_nonzero(~is_known):,} without interval"
    order = np.argsort(-np.abs(np.log(value)), kind="stable")[:MOST_BARS]
    if len(order) < len(value):
        note = join(note, f"The {len(order)} furthest from 1 of {len(value):,}.")
    value, lower, upper = value[order], lower[order], upper[order]
    labels = [features[i] for i in order.tolist()]
    clear = (lower > 1) | (upper < 1)
    marks = trace(
        "scatter",
        x=value.astype(np.float32),
        y=np.arange(len(order), dtype=np.int16),
        mode="markers",
        marker={"size": 10, "color": [ACCENT if c else GREY for c in clear.tolist()],
                "line": {"color": EDGE, "width": 1}},
        error_x=error_bars(value, lower, upper, **ERROR_LOOK),
        customdata=np.column_stack([lower, upper]).astype(np.float32),
        text=[escape(label) for label in labels],
        hovertemplate="<b>%{text}</b><br>%{x:.3~g} (%{customdata[0]:.3~g} to "
        "%{customdata[1]:.3~g})<extra></extra>",
    )  # fmt: skip
    return _figure(
        marks,
        finding,
        note,
        labels,
        alt=_alt(finding, "odds ratio", labels, value),
        xaxis=axis("odds ratio", type="log", nticks=6, tickformat="~g"),
        shapes=[vertical_line(1)],
    )


def contributions(
    labels: Sequence[str],
    values: ArrayLike,
    base: float,
    *,
    unit: str = "score",
    of: str = "",
) -> go.Figure:
    """Draw how contributions lead from an average score to that of a row, as a waterfall.

    Of more than twelve, the smallest are drawn as one.

    Parameters
    ----------
    labels : sequence of p str
        Features with their values.
    values : array-like of shape (p,)
    base : float
        The average score.
    unit : str
        What the score is called.
    of : str, optional
        What it is the score of, such as "a over b".

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> contributions(["length = 3", "width = 1"], [-2.0, 0.5], 1.0).layout.meta["title"]
    'Largest contribution: length = 3 (−2)'
    """
    value = np.asarray(values, dtype=float)
    n_steps = MOST_STEPS if len(value) > MOST_STEPS + 1 else len(value)
    order = np.argsort(-np.abs(value), kind="stable")[:n_steps]
    steps, words = value[order], [labels[i] for i in order.tolist()]
    if len(order) < len(value):
        steps = np.append(steps, value.sum() - steps.sum())
        words.append(f"{len(value) - len(order):,} others")
    score = base + value.sum()
    begins = np.concatenate([[0.0], base + np.cumsum(steps) - steps, [0.0]])
    lengths = np.concatenate([[base], steps, [score]])
    ends = np.concatenate([begins, begins + lengths])
    # A number is beside the end of its bar: on a phone it has a quarter of the width.
    span = float(np.ptp(ends) or 1.0)
    low = [ends.min() - 0.05 * span, *((begins + lengths)[lengths < 0] - ROOM * span)]
    high = [ends.max() + 0.05 * span, *((begins + lengths)[lengths >= 0] + ROOM * span)]
    named = ["Average training row", *words, "This row"]
    signs = [number(base), *(number(v, signed=True) for v in steps.tolist()), number(score)]
    finding = f"Largest contribution: {words[0]} ({signs[1]})"
    bars = trace(
        "bar",
        x=compact(lengths),
        base=compact(begins),
        y=np.arange(len(lengths), dtype=np.int16),
        orientation="h",
        marker={"color": [GREY, *([ACCENT] * len(steps)), GREY], "line": {"width": 0}},
        text=signs,
        textposition="outside",
        cliponaxis=False,
        customdata=[escape(label) for label in named],
        hovertemplate="<b>%{customdata}</b><br>%{text}<extra></extra>",
    )
    return _figure(
        bars,
        finding,
        f"What each adds to the {unit} of {of}." if of else "",
        named,
        alt=_alt(finding, unit, named, lengths),
        xaxis=axis(unit, tickformat="~g", range=[float(min(low)), float(max(high))]),
        shapes=[vertical_line(0)],
    )


def _figure(marks: Trace, title: str, note: str, labels: list[str], **settings: Any) -> go.Figure:
    """Return the figure with a mark on each line, the first on top."""
    lines, pixels = line_labels(labels, width=LABEL_WIDTH)
    return figure(
        [marks],
        title,
        subtitle=note,
        height=int(np.clip(80 + pixels * len(labels), 140, 1000)),
        showlegend=False,
        bargap=0.3,
        yaxis=lines,
        **settings,
    )


def _drawable(value: Array) -> tuple[Array, Flags]:
    """Return lengths of bars, and which represent infinity: these extend beyond all others."""
    endless = np.isinf(value)
    longest = float(np.abs(value[~endless]).max(initial=0.0)) or 1.0
    return np.where(endless, np.sign(value) * 1.25 * longest, value), endless


def _alt(finding: str, unit: str, labels: list[str], values: Array) -> str:
    phrases = [f"{label} {number(v)}" for label, v in zip(names(labels), values, strict=True)]
    return join(f"{finding}.", f"{unit}: {listed(phrases, most=12)}." if phrases else "")
