"""Explained variance of principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import ACCENT, EDGE, GREY, INK, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import Trace, axis, figure, percent_ticks, trace
from lincore.utils.formatting import count, percent

if TYPE_CHECKING:
    from lincore.preprocessing.pca import PCA

MOST_BARS = 50
ENOUGH = 0.95


def scree(pca: PCA, *, show_kept: bool = True) -> go.Figure:
    """Draw the explained variance by component, and its cumulative sum.

    Parameters
    ----------
    pca : PCA
        Fitted.
    show_kept : bool, default True
        Set apart the components that it keeps; otherwise those that it takes for 95 %.

    Returns
    -------
    plotly.graph_objects.Figure
        Of the first 50 components at most.
    """
    ratio = pca.all_variances_ / pca.all_variances_.sum()
    total, shown = np.cumsum(ratio), min(len(ratio), MOST_BARS)
    # The tolerance allows a share to be reached despite rounding.
    enough = int(np.argmax(total >= ENOUGH - 1e-12)) + 1
    finding = (
        f"{enough:,} of {count(len(ratio), 'component')} "
        f"{'holds' if enough == 1 else 'hold'} 95 % of the variance"
    )
    kept_note = ""
    if show_kept:
        share = percent(total[pca.n_components_ - 1])
        kept_note = f"{count(pca.n_components_, 'component')} kept ({share})."
    first = f"The first {shown} of {len(ratio):,} are shown." if shown < len(ratio) else ""
    names = ("kept", "left out") if show_kept else ("hold 95 %", "the rest")
    n_first = pca.n_components_ if show_kept else enough
    return figure(
        [*_all_bars(ratio[:shown], n_first, names), *_sum(total[:shown], enough)],
        finding,
        subtitle=join(kept_note, first),
        alt=join(
            f"Share of variance by principal component: {finding}. The first holds "
            f"{percent(ratio[0])}.",
            kept_note,
        ),
        height=400,
        bargap=0.25,
        hovermode="x unified" if shown > 1 else "closest",
        xaxis=axis("component", showgrid=False, dtick=max(1, round(shown / 10))),
        yaxis=axis("share of variance", **percent_ticks(), range=[0, 1.04]),
    )


def vector_shares(ratio: ArrayLike) -> go.Figure:
    """Draw the explained variance of the first singular vectors.

    Parameters
    ----------
    ratio : array-like of shape (k,)
        Share of the whole variance that each vector holds.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> vector_shares([0.3, 0.2]).layout.meta["title"]
    '2 singular vectors hold 50.0 % of the variance'
    """
    share = np.asarray(ratio, dtype=float)[:MOST_BARS]
    total = np.cumsum(share)
    vectors = count(len(share), "singular vector")
    finding = f"{vectors} hold{'s' * (len(share) == 1)} {percent(total[-1])} of the variance"
    bars = _all_bars(share, len(share), ("of this vector", ""))
    return figure(
        [*bars, *_sum(total, len(share) + 1)],
        finding,
        alt=f"Share of variance by singular vector: {finding}. The first holds "
        f"{percent(share[0])}.",
        height=400,
        bargap=0.25,
        hovermode="x unified" if len(share) > 1 else "closest",
        xaxis=axis("singular vector", showgrid=False, dtick=max(1, round(len(share) / 10))),
        yaxis=axis("share of variance", **percent_ticks(), rangemode="tozero"),
    )


def _all_bars(ratio: np.ndarray, n_first: int, names: tuple[str, str]) -> list[Trace]:
    number = np.arange(1, len(ratio) + 1, dtype=np.int16)
    first = number <= n_first
    parts = [(names[0], first, ACCENT), (names[1], ~first, translucent(GREY, 0.55))]
    return [
        _bars(number[chosen], ratio[chosen], name, shade)
        for name, chosen, shade in parts
        if chosen.any()
    ]


def _bars(number: np.ndarray, ratio: np.ndarray, name: str, shade: str) -> Trace:
    return trace(
        "bar",
        x=number,
        y=ratio.astype(np.float32),
        name=name,
        marker={"color": shade, "line": {"width": 0}},
        hovertext=[percent(share) for share in ratio],
        hovertemplate="%{hovertext}",
    )


def _sum(total: np.ndarray, enough: int) -> list[Trace]:
    number = np.arange(1, len(total) + 1, dtype=np.int16)
    line = trace(
        "scatter",
        x=number,
        y=total.astype(np.float32),
        name="cumulative",
        mode="lines+markers" if len(number) <= 30 else "lines",
        line={"color": GREY, "width": 2},
        marker={"size": 5},
        hovertext=[percent(share) for share in total],
        hovertemplate="%{hovertext}",
    )
    if enough > len(number):
        return [line]
    mark = trace(
        "scatter",
        x=number[enough - 1 : enough],
        y=total[enough - 1 : enough].astype(np.float32),
        name="95 % reached",
        mode="markers",
        marker={
            "symbol": "diamond",
            "size": 13,
            "color": INK,
            "line": {"color": EDGE, "width": 2},
        },
        hoverinfo="skip",
    )
    return [line, mark]
