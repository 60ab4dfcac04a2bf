"""A single column by class: histogram, density, box plot; shares of levels and of words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.inspection.univariate import Boxes, Density, Histogram
from lincore.plots.base.palette import (
    CLEAR,
    COLOURS,
    MANY_CLASSES,
    colour,
    shade_colour,
    symbol,
    translucent,
)
from lincore.plots.base.sentences import join
from lincore.plots.base.style import (
    LEGEND_WIDTH,
    Trace,
    axis,
    compact,
    escape,
    figure,
    label_axis,
    legend,
    names,
    percent_ticks,
    shorten_all,
    trace,
)
from lincore.utils.formatting import listed, number, percent, shorten

# Maximum number of classes with overlaid bars; more are drawn as outlines.
MOST_OVERLAID = 4
# Maximum numbers of classes drawn: the largest ones.
MOST_CURVES, MOST_BOXES, MOST_GROUPED = 12, 40, 8
# Maximum number of bars with a label.
MOST_LABELLED = 40
TICK_WIDTH = 18
# Characters of a column name in the title, which stays on one line.
TITLE_WIDTH = 60
HEIGHT = 430


def histogram(
    bins: Histogram,
    classes: ArrayLike,
    column: str,
    *,
    shares: bool = True,
    subtitle: str = "",
) -> go.Figure:
    """Draw overlaid histograms of a column, one per class.

    Parameters
    ----------
    bins : Histogram
        See `lincore.inspection.univariate.class_histograms`.
    classes : array-like of shape (K,)
    column : str
        Its name, with its unit.
    shares : bool
        Heights are shares of the rows of the class, so that unequal classes can be compared;
        otherwise rows.
    subtitle : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    labels, sizes = names(classes), bins.counts.sum(axis=1)
    drawn, note = _largest(sizes, MOST_CURVES)
    heights = bins.shares() if shares else bins.counts
    unit = "share of the class" if shares else "rows"
    looks, named = _looks(drawn, len(labels)), _legend_names(labels, drawn, sizes)
    traces = [
        _bars(bins, heights[code], looks[code][0], named[code], shares)
        if len(drawn) <= MOST_OVERLAID
        else _steps(bins, heights[code], looks[code], named[code])
        for code in drawn
    ]
    peaks = [
        f"{labels[code]} from {number(bins.edges[i])} to {number(bins.edges[i + 1])}"
        for code in drawn[:6]
        if sizes[code]
        for i in [int(bins.counts[code].argmax())]
    ]
    return figure(
        traces,
        f"{shorten(column, TITLE_WIDTH)}, by class",
        subtitle=join(subtitle, note),
        alt=join(
            f"Histogram of {column} for {len(drawn)} classes in {len(bins.edges) - 1} bins.",
            f"Highest bar: {listed(peaks, most=6)}." if peaks else "",
        ),
        height=HEIGHT,
        barmode="overlay",
        bargap=0.02,
        xaxis=axis(column),
        yaxis=axis(
            unit, rangemode="tozero", **(percent_ticks() if shares else {"tickformat": "~s"})
        ),
    )


def densities(
    density: Density, classes: ArrayLike, column: str, *, sizes: ArrayLike, subtitle: str = ""
) -> go.Figure:
    """Draw the kernel density estimate of a column for each class.

    Parameters
    ----------
    density : Density
        See `lincore.inspection.univariate.class_densities`.
    classes : array-like of shape (K,)
    column : str
    sizes : array-like of shape (K,)
        Rows of each class with a value.
    subtitle : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    labels, rows = names(classes), np.asarray(sizes)
    drawn, note = _largest(rows, MOST_CURVES)
    varying = [code for code in drawn if np.isfinite(density.values[code]).any()]
    flat = [labels[code] for code in drawn if code not in varying]
    sampled = any(density.n_used[code] < rows[code] for code in varying)
    looks, named = _looks(varying, len(labels)), _legend_names(labels, varying, rows)
    traces = [
        trace(
            "scatter",
            x=compact(density.grid),
            y=compact(density.values[code]),
            mode="lines",
            line={"color": looks[code][0], "width": 2, "dash": looks[code][1]},
            fill="tozeroy" if len(varying) <= MOST_OVERLAID else "none",
            fillcolor=translucent(looks[code][0], 0.18),
            name=named[code],
            hovertemplate="%{x:.3~g}<br>density %{y:.3~g}",
        )
        for code in varying
    ]
    return figure(
        traces,
        f"{shorten(column, TITLE_WIDTH)}, by class",
        subtitle=join(
            subtitle,
            "Gaussian kernels, Scott’s bandwidth"
            + (f", from at most {int(density.n_used.max()):,} rows per class." if sampled else "."),
            f"No curve, for lack of two different values: {listed(flat, most=6)}." if flat else "",
            note,
        ),
        alt=f"Density of {column} for {len(varying)} classes.",
        height=HEIGHT,
        xaxis=axis(column),
        yaxis=axis("density", rangemode="tozero", tickformat="~g"),
    )


def box_plot(boxes: Boxes, classes: ArrayLike, column: str, *, subtitle: str = "") -> go.Figure:
    """Draw the box plot of a column for each class, the first class on top.

    Parameters
    ----------
    boxes : Boxes
        See `lincore.inspection.univariate.box_plot_statistics`.
    classes : array-like of shape (K,)
    column : str
    subtitle : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    labels = names(classes)
    drawn = [code for code in range(len(labels)) if np.isfinite(boxes.median[code])]
    note = ""
    if len(drawn) > MOST_BOXES:
        note = f"The first {MOST_BOXES} of {len(drawn)} classes are drawn."
        drawn = drawn[:MOST_BOXES]
    named = [escape(label) for label in shorten_all(labels, LEGEND_WIDTH)]
    hues = [shade_colour(code, len(labels)) for code in range(len(labels))]
    traces = list(chain.from_iterable(_box_traces(boxes, k, named[k], hues[k]) for k in drawn))
    n_outliers = int(boxes.n_outliers.sum())
    medians = [f"{labels[code]} {number(boxes.median[code])}" for code in drawn]
    return figure(
        traces,
        f"{shorten(column, TITLE_WIDTH)}, by class",
        subtitle=join(
            subtitle,
            "Box: quartiles and median; whiskers: up to 1.5 interquartile ranges"
            + (f"; {n_outliers:,} values beyond." if n_outliers else "."),
            note,
        ),
        alt=f"Box plots of {column}. Medians: {listed(medians, most=12)}."
        if medians
        else f"{column} has no value.",
        height=int(np.clip(90 + 56 * len(drawn), 220, 760)),
        xaxis=axis(column),
        yaxis=_ticks(drawn, [labels[code] for code in drawn]),
    )


def _box_traces(boxes: Boxes, code: int, name: str, hue: str) -> list[Trace]:
    """Return the box of a class, and its outliers if there are any."""
    names = {"name": name, "showlegend": False}
    box = trace(
        "box",
        orientation="h",
        y=[code],
        q1=boxes.q1[[code]],
        median=boxes.median[[code]],
        q3=boxes.q3[[code]],
        lowerfence=boxes.low[[code]],
        upperfence=boxes.high[[code]],
        mean=boxes.mean[[code]],
        marker={"color": hue},
        line={"width": 1.5},
        fillcolor=translucent(hue, 0.3),
        width=0.6,
        **names,
    )
    values = boxes.outliers[code]
    if not len(values):
        return [box]
    outliers = trace(
        "scatter",
        x=compact(values),
        y=np.full(len(values), code, dtype=np.float32),
        mode="markers",
        marker={"color": hue, "symbol": symbol(code), "size": 5, "opacity": 0.6},
        hovertemplate="%{x:.4~g}",
        **names,
    )
    return [box, outliers]


def share_bars(
    items: Sequence[str],
    shares: ArrayLike,
    classes: ArrayLike,
    *,
    title: str,
    unit: str,
    stacked: bool = False,
    subtitle: str = "",
    colours: Sequence[str] = (),
    inks: Sequence[str] = (),
) -> go.Figure:
    """Draw class shares for levels of a column, or for words, as horizontal bars.

    Parameters
    ----------
    items : sequence of w str
        Levels or words, the first on top.
    shares : array-like of shape (K, w)
    classes : array-like of shape (K,)
    title, unit : str
        Of the figure and of the axis of the shares.
    stacked : bool
        The shares of the classes sum to one for each item.
    subtitle : str
    colours : sequence of K str, optional
        Default: those of the classes.
    inks : sequence of K str, optional
        Colours of the percentages in stacked bars. Default: black or white, by the bar.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    labels, values = names(classes), np.asarray(shares, dtype=float)
    order, note = list(range(len(labels))), ""
    if not stacked:
        order, note = _largest(values.sum(axis=1), MOST_GROUPED)
    positions, named = list(range(len(items))), shorten_all(labels, LEGEND_WIDTH)
    labelled = len(items) * len(order) <= MOST_LABELLED
    traces = [
        trace(
            "bar",
            orientation="h",
            x=compact(values[code]),
            y=positions,
            marker={"color": colours[code] if colours else colour(code)},
            name=escape(named[code]),
            hovertext=[percent(share) for share in values[code]],
            hovertemplate="%{hovertext}",
            text=[percent(share, 0) for share in values[code]] if labelled else None,
            textposition="inside" if stacked else "outside",
            **({"insidetextfont": {"color": inks[code]}} if inks else {}),
            textangle=0,
            cliponaxis=False,
        )
        for code in order
    ]
    each = [
        f"{item}: " + ", ".join(f"{labels[code]} {percent(values[code, i])}" for code in order[:4])
        for i, item in enumerate(list(items)[:6])
    ]
    # The label of the longest bar needs space: on a phone a seventh of the width.
    # Rounded shares may add up to more than 1: Plotly writes nothing into a bar that ends beyond.
    furthest = 1.001 if stacked else 1.15 * (values[order].max(initial=0.0) or 1.0)
    lines = len(items) * (1.2 if stacked else max(1.2, 0.75 * len(order)))
    return figure(
        traces,
        title,
        subtitle=join(subtitle, note),
        alt=join(f"{title}.", f"{'; '.join(each)}." if each else ""),
        height=int(np.clip(110 + 28 * lines, 340, 900)),
        barmode="stack" if stacked else "group",
        # A percentage that does not fit would be too small to read.
        uniformtext={"minsize": 10, "mode": "hide"} if stacked else None,
        bargap=0.25,
        legend=legend(traceorder="normal"),
        xaxis=axis(unit, **percent_ticks(), range=[0, furthest]),
        yaxis=_ticks(positions, list(items)),
    )


def _bars(bins: Histogram, heights: Any, hue: str, name: str, shares: bool) -> Trace:
    centres, widths = (bins.edges[:-1] + bins.edges[1:]) / 2, np.diff(bins.edges)
    return trace(
        "bar",
        x=compact(centres),
        y=compact(heights),
        width=compact(widths),
        customdata=np.column_stack([compact(bins.edges[:-1]), compact(bins.edges[1:])]),
        marker={
            "color": translucent(hue, 0.45),
            "line": {"color": hue, "width": 1},
        },
        name=name,
        hovertext=[percent(share) for share in heights] if shares else None,
        hovertemplate="%{customdata[0]:.4~g} to %{customdata[1]:.4~g}<br>"
        + ("%{hovertext}" if shares else "%{y:,} rows"),
    )


def _steps(bins: Histogram, heights: Any, look: tuple[str, str], name: str) -> Trace:
    hue, dash = look
    return trace(
        "scatter",
        x=compact(bins.edges),
        y=compact(np.append(heights, heights[-1])),
        mode="lines",
        line={"color": hue, "width": 2, "shape": "hv", "dash": dash},
        name=name,
    )


def _looks(drawn: Sequence[int], n_classes: int) -> dict[int, tuple[str, str]]:
    """Return colour and dash of the curves: of many classes, whose colours repeat, by position."""
    by_position = n_classes > MANY_CLASSES
    order = {code: position if by_position else code for position, code in enumerate(drawn)}
    return {k: (colour(i), "solid" if i < len(COLOURS) else "dash") for k, i in order.items()}


def _legend_names(labels: list[str], drawn: Sequence[int], sizes: Any) -> dict[int, str]:
    """Return the names of curves with their numbers of rows: shortened, but distinct."""
    rows = {code: f" ({sizes[code]:,})" for code in drawn}
    short = shorten_all(labels, LEGEND_WIDTH - max(map(len, rows.values()), default=0))
    return {code: escape(short[code] + rows[code]) for code in drawn}


def _largest(sizes: ArrayLike, most: int) -> tuple[list[int], str]:
    """Return the classes with rows, or the largest if there are too many, and a note on that."""
    rows = np.asarray(sizes)
    present = [int(code) for code in np.flatnonzero(rows > 0)]
    if len(present) <= most:
        return present, ""
    chosen = sorted(np.argsort(-rows, kind="stable")[:most].tolist())
    return chosen, f"The {most} largest of {len(present)} classes are drawn."


def _ticks(positions: Sequence[int], labels: Sequence[str]) -> dict[str, Any]:
    """Return an axis of names from the top down, with as many labels as fit."""
    span = [max(positions, default=0) + 0.6, min(positions, default=0) - 0.6]
    return label_axis(labels, width=TICK_WIDTH, positions=positions, range=span, linecolor=CLEAR)
