"""Difference of two confusion matrices of the same rows."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import BAD, GOOD, INK, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import Trace, escape, figure, names, trace
from lincore.plots.scores.confusion import MOST_COUNTS, PAGE, THIRD, Room, class_axes, short_pair
from lincore.utils.formatting import count, number, quoted, true_minus
from lincore.utils.typing import Counts

STRONGEST = 0.6


def confusion_difference(
    before: ArrayLike,
    after: ArrayLike,
    classes: ArrayLike,
    *,
    words: tuple[str, str] = ("full set", "reduced set"),
    title: str = "",
    narrow: bool = False,
) -> go.Figure:
    """Draw the second confusion matrix minus the first: ochre is worse, blue is better.

    Parameters
    ----------
    before, after : array-like of shape (K, K)
        Counts, true classes along the first axis.
    classes : array-like of shape (K,)
    words : tuple of two str
    title : str, optional
        The finding; otherwise where most rows went.
    narrow : bool, default False
        For a third of a page: less text in the cells and on the axes, and no taller than wide.

    Returns
    -------
    plotly.graph_objects.Figure
        Its last trace holds an invisible marker on each cell, with the codes of true and
        predicted class as `customdata`.
    """
    first, second = np.asarray(before, np.int64), np.asarray(after, np.int64)
    change, labels = second - first, names(classes)
    finding = _finding(change, labels)
    room = THIRD if narrow else PAGE
    return figure(
        [_shade(change), _cells(first, second, labels, words, room)],
        title or finding,
        subtitle=f"Rows, {words[1]} minus {words[0]}; ochre is worse.",
        alt=join(f"Difference of two confusion matrices, {words[1]} minus {words[0]}: {finding}.",
                 f"Correct: {number(int(np.trace(change)), signed=True)} rows."),
        height=room.height(len(labels)),
        showlegend=False,
        **class_axes(labels, room),
    )  # fmt: skip


def _shade(change: Counts) -> Trace:
    # More on the diagonal is better, more off it is worse.
    sign = 2 * np.eye(len(change)) - 1
    largest = float(np.abs(change).max(initial=1)) or 1.0
    return trace(
        "heatmap",
        z=(sign * change).astype(np.float32),
        zmin=-largest,
        zmax=largest,
        colorscale=[[0, translucent(BAD, STRONGEST)], [0.5, translucent("#7F7F7F", 0.06)],
                    [1, translucent(GOOD, STRONGEST)]],
        showscale=False,
        hoverinfo="skip",
        xgap=2 if len(change) <= MOST_COUNTS else 0,
        ygap=2 if len(change) <= MOST_COUNTS else 0,
    )  # fmt: skip


def _cells(
    first: Counts, second: Counts, labels: list[str], words: tuple[str, str], room: Room
) -> Trace:
    true, predicted = np.indices(first.shape).reshape(2, -1)
    change = (second - first).ravel()
    shown = len(labels) <= room.counts
    safe, (earlier, later) = [escape(label) for label in labels], map(escape, words)
    hover = [
        f"<b>{safe[i]}</b> predicted as <b>{safe[j]}</b>: {first[i, j]:,} ({earlier}), "
        f"{second[i, j]:,} ({later})"
        for i, j in zip(true.tolist(), predicted.tolist(), strict=True)
    ]
    return trace(
        "scatter",
        x=predicted.astype(np.int16),
        y=true.astype(np.int16),
        mode="markers+text" if shown else "markers",
        text=[_signed(value) for value in change.tolist()] if shown else None,
        textfont={"size": 15 if len(labels) <= room.shares else 11, "color": INK},
        customdata=np.column_stack([true, predicted]).astype(np.int16),
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
        marker={"symbol": "square", "size": 30, "opacity": 0, "color": INK},
        selected={"marker": {"opacity": 0.25}},
        unselected={"marker": {"opacity": 0}, "textfont": {"color": INK}},
    )


def _signed(value: int) -> str:
    return true_minus(f"{value:+,}") if value else "0"


def _finding(change: Counts, labels: list[str]) -> str:
    if not change.any():
        return "No row is predicted differently"
    errors = change - np.diag(np.diag(change))
    right = int(np.trace(change))
    if errors.max() <= 0:
        return f"{count(right, 'row')} more correct"
    true, predicted = (int(i) for i in np.unravel_index(errors.argmax(), errors.shape))
    error = " predicted as ".join(map(quoted, short_pair(labels, true, predicted)))
    return f"{_signed(right)} correct; {error}: {_signed(int(errors[true, predicted]))}"
