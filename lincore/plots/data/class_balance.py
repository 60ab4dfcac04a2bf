"""Class counts as a compact bar, for a sidebar."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import shade_colour, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import Trace, axis, escape, figure, label_axis, legend, names, trace
from lincore.utils.formatting import count

TICK_WIDTH = 14
BUTTONS = ["toimage", "zoom", "pan", "zoomin", "zoomout", "autoscale", "resetscale"]


def class_balance(counts_train: ArrayLike, counts_test: ArrayLike, classes: ArrayLike) -> go.Figure:
    """Draw a bar for each class: its training rows, and paler its test rows.

    Parameters
    ----------
    counts_train, counts_test : array-like of shape (K,)
    classes : array-like of shape (K,)

    Returns
    -------
    plotly.graph_objects.Figure
    """
    train, test = np.asarray(counts_train), np.asarray(counts_test)
    labels = names(classes)
    hues = [shade_colour(code, len(labels)) for code in range(len(labels))]
    pale = [translucent(hue, 0.4) for hue in hues]
    finding = _finding(train + test)
    return figure(
        [_bars(train, "training", hues, labels), _bars(test, "test", pale, labels)],
        finding,
        alt=_alt(finding, train, test, labels),
        height=int(np.clip(76 + 22 * len(labels), 110, 420)),
        barmode="stack",
        # On every page it would put seven keyboard stops before the page itself.
        modebar={"remove": BUTTONS},
        bargap=0.2 if len(labels) <= 20 else 0.05,
        legend=legend(font={"size": 11}, traceorder="normal", maxheight=0.4),
        xaxis=axis(nticks=4, tickformat="~s", rangemode="tozero"),
        yaxis=label_axis(labels, width=TICK_WIDTH, most=20, range=[len(labels) - 0.5, -0.5]),
    )


def _bars(counts: np.ndarray, subset: str, shades: list[str], labels: list[str]) -> Trace:
    return trace(
        "bar",
        y=np.arange(len(counts), dtype=np.int16),
        x=counts.astype(np.int32),
        orientation="h",
        name=subset,
        marker={"color": shades, "line": {"width": 0}},
        hovertext=[escape(label) for label in labels],
        meta=[subset],
        hovertemplate="<b>%{hovertext}</b><br>%{x:,} for %{meta[0]}<extra></extra>",
    )


def _finding(total: np.ndarray) -> str:
    if not total.min(initial=1):
        return f"{count(int((total == 0).sum()), 'class', 'classes')} without rows"
    ratio = total.max() / total.min()
    return "Classes of equal size" if ratio == 1 else f"Class balance {ratio:,.1f} : 1"


def _alt(finding: str, train: np.ndarray, test: np.ndarray, labels: list[str]) -> str:
    each = zip(labels, train.tolist(), test.tolist(), strict=True)
    parts = ", ".join(f"{label} {first:,} and {second:,}" for label, first, second in each)
    return join(f"{finding}.", f"Rows for training and for testing: {parts}.")
