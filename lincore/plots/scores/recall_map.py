"""Recall of each class by each method, and its change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import ACCENT, CLEAR, EDGE, INK, colour, symbol, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import (
    CROWDED,
    Trace,
    axis,
    error_bars,
    escape,
    figure,
    label_axis,
    names,
    percent_ticks,
    shorten_all,
    trace,
)
from lincore.plots.scores.intervals import Interval
from lincore.utils.formatting import count, listed, percent, points, quoted

TICK_WIDTH = 14
# Characters of a class name in a title of two lines.
TITLE_NAME = 40
# Maximum number of cells that contain numbers.
MOST_NUMBERS = 120
# Values before the change are this far above the line of their class, those after it below.
SHIFT = 0.11


def recall_map(recalls: ArrayLike, methods: Sequence[str], classes: ArrayLike) -> go.Figure:
    """Draw the recall of each class by each method.

    Parameters
    ----------
    recalls : array-like of shape (M, K)
        Shares; NaN for a class without test rows.
    methods : sequence of M str
    classes : array-like of shape (K,)

    Returns
    -------
    plotly.graph_objects.Figure
    """
    shares, labels = np.asarray(recalls, dtype=float), names(classes)
    heading = _finding(shares, labels)
    return figure(
        [_cells(shares, methods, labels)],
        heading,
        subtitle="Share of the test rows of each class that a model classifies correctly.",
        alt=join(f"Recall by class and model. {heading}.", _ranges_text(shares, labels)),
        height=int(np.clip(110 + (34 if len(labels) <= 20 else 18) * len(labels), 180, 900)),
        xaxis=label_axis(methods, width=TICK_WIDTH, tickcolor=CLEAR, **CROWDED),
        yaxis=label_axis(
            labels,
            width=TICK_WIDTH,
            title="class",
            tickcolor=CLEAR,
            range=[len(labels) - 0.5, -0.5],
        ),
    )


def _cells(shares: np.ndarray, methods: Sequence[str], labels: list[str]) -> Trace:
    text = None
    if shares.size <= MOST_NUMBERS:
        text = [["–" if np.isnan(v) else points(v, 0) for v in row] for row in shares.T]
    safe = [escape(method) for method in methods]
    hover = [
        [
            f"{name}, {escape(label)}: {percent(share)}"
            for name, share in zip(safe, row, strict=True)
        ]
        for label, row in zip(labels, shares.T, strict=True)
    ]
    return trace(
        "heatmap",
        z=shares.T.astype(np.float32),
        zmin=0,
        zmax=1,
        colorscale=[[0, translucent(ACCENT, 0.03)], [1, translucent(ACCENT, 0.6)]],
        showscale=text is None,
        colorbar={"thickness": 10, "outlinewidth": 0} | percent_ticks(),
        text=text,
        texttemplate="%{text}" if text else None,
        textfont={"color": INK, "size": 13},
        customdata=hover,
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
        xgap=2,
        ygap=2,
    )


def recall_change(
    before: Sequence[Interval],
    after: Sequence[Interval],
    classes: ArrayLike,
    *,
    words: tuple[str, str] = ("full set", "reduced set"),
    title: str = "",
) -> go.Figure:
    """Draw the recall of each class before (hollow) and after (filled) a change.

    Parameters
    ----------
    before, after : sequence of K (value, low, high)
        Shares; the intervals are those that are drawn, as thin bars.
    classes : array-like of shape (K,)
    words : tuple of two str
        What was before and what is after.
    title : str, optional
    """
    labels = names(classes)
    first, second = (np.array([tuple(i) for i in values], float) for values in (before, after))
    change = 100 * (second[:, 0] - first[:, 0])
    heading = _largest_change(change, labels)
    return figure(
        [
            values
            for code, label in enumerate(labels)
            for values in (
                _connector(first[code, 0], second[code, 0], code),
                _dot(first[code], code, label, words[0], hollow=True),
                _dot(second[code], code, label, words[1], hollow=False),
            )
        ],
        title or heading,
        subtitle=f"Hollow: {words[0]}; filled: {words[1]}. Thin bars: 95 % intervals.",
        alt=join(f"Recall by class, {words[0]} against {words[1]}. {heading}.",
                 _changes_text(first, second, labels)),
        height=int(np.clip(90 + 34 * len(labels), 160, 900)),
        showlegend=False,
        xaxis=axis("recall", **percent_ticks(), range=[-0.03, 1.03]),
        yaxis=label_axis(
            labels, width=TICK_WIDTH, tickcolor=CLEAR, range=[len(labels) - 0.4, -0.6]
        ),
    )  # fmt: skip


def _connector(start: float, end: float, code: int) -> Trace:
    return trace(
        "scatter",
        x=np.array([start, end], np.float32),
        y=np.array([code - SHIFT, code + SHIFT], np.float32),
        mode="lines",
        line={"color": colour(code), "width": 2},
        hoverinfo="skip",
    )


def _dot(interval: np.ndarray, code: int, label: str, word: str, *, hollow: bool) -> Trace:
    value, low, high = interval.astype(np.float32)
    hue = colour(code)
    return trace(
        "scatter",
        x=np.array([value]),
        y=np.array([code - SHIFT if hollow else code + SHIFT], np.float32),
        mode="markers",
        marker={
            "size": 11,
            "symbol": symbol(code) + ("-open" if hollow else ""),
            "color": hue,
            "line": {"color": hue if hollow else EDGE, "width": 2 if hollow else 1},
        },
        error_x=error_bars(value, low, high, thickness=1.2, width=3),
        meta=[escape(label), escape(word)],
        hovertemplate=f"<b>%{{meta[0]}}</b>, %{{meta[1]}}: {percent(interval[0])}<extra></extra>",
    )  # fmt: skip


def _finding(shares: np.ndarray, labels: list[str]) -> str:
    known = ~np.isnan(shares).all(axis=0)
    if not known.any():
        return "No test rows to judge by"
    best = np.where(known, np.nanmax(np.where(np.isnan(shares), -1, shares), axis=0), 2)
    hardest = int(best.argmin())
    if best[hardest] >= 1:
        return "Every class has a recall of 100 % with some model"
    name = shorten_all(labels, TITLE_NAME)[hardest]
    return f"Hardest for all: {quoted(name)} (at best {percent(float(best[hardest]))})"


def _ranges_text(shares: np.ndarray, labels: list[str]) -> str:
    phrases = [
        f"{quoted(label)} {percent(float(column.min()))} to {percent(float(column.max()))}"
        if not np.isnan(column).any()
        else f"{quoted(label)} without test rows"
        for label, column in zip(labels, shares.T, strict=True)
    ]
    return f"Lowest and highest: {listed(phrases, most=12)}."


def _largest_change(change: np.ndarray, labels: list[str]) -> str:
    if np.isnan(change).all():
        return "No test rows to judge by"
    most = int(np.nanargmax(np.abs(change)))
    if change[most] == 0:
        return f"No recall of {count(len(labels), 'class', 'classes')} has changed"
    verb = "falls" if change[most] < 0 else "rises"
    name = shorten_all(labels, TITLE_NAME)[most]
    return f"Recall of {quoted(name)} {verb} by {abs(change[most]):.1f} points"


def _changes_text(first: np.ndarray, second: np.ndarray, labels: list[str]) -> str:
    phrases = [
        f"{quoted(label)} {percent(a)} to {percent(b)}"
        for label, a, b in zip(labels, first[:, 0], second[:, 0], strict=True)
    ]
    return f"{listed(phrases, most=12)}."
