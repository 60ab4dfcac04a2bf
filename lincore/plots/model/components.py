"""Principal components: biplot, weights as images, reconstructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from lincore.plots.base.palette import BAD, GOOD, INK
from lincore.plots.base.sentences import join
from lincore.plots.base.style import escape
from lincore.plots.data.contact_sheet import images, sheet
from lincore.plots.plane.scatter import scatter
from lincore.utils.formatting import count, listed, shorten
from lincore.utils.typing import Array

LABEL_WIDTH = 20
# Arrows of a biplot.
MOST_ARROWS = 8
# Pixels under images of weights, for the scale of their colours.
BAR = 44
# In a biplot: opacity of the points; height of a name and width of a letter on a phone, as shares
# of the plot.
FAINT, CLEARANCE, LETTER = 0.4, 0.055, 0.018


def coefficient_images(
    weights: ArrayLike, titles: Sequence[str], *, columns: int = 4, title: str = "Coefficients"
) -> go.Figure:
    """Draw pixel coefficients as images: blue above zero, ochre below.

    Weights of colours are drawn in them: grey for zero, each image by its own largest weight.

    Parameters
    ----------
    weights : array-like of shape (m, h, w) or (m, h, w, 3)
    titles : sequence of m str
    columns : int, default 4
    title : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    stack = np.asarray(weights, dtype=np.float32)
    if stack.ndim == 4:
        return images(_about_grey(stack), titles, columns=columns, title=title)
    largest = float(np.abs(stack).max(initial=0.0)) or 1.0
    hues = [[0, BAD], [0.5, "#F7F7F7"], [1, GOOD]]
    # The scale is below the images: beside them it would take the width of a phone.
    bar = {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yanchor": "bottom",
           "yref": "container", "lenmode": "pixels", "len": 220, "thickness": 10, "xpad": 8,
           "ypad": 4, "outlinewidth": 0, "nticks": 5, "tickformat": "~g"}  # fmt: skip
    scale = {"colorscale": hues, "cmin": -largest, "cmax": largest, "showscale": True}
    figure = sheet(stack, titles, columns=columns, title=title, scale=scale | {"colorbar": bar})
    figure.layout.height += BAR
    figure.layout.margin.b += BAR
    return figure


def _about_grey(stack: NDArray[np.float32]) -> NDArray[np.uint8]:
    largest = np.abs(stack).max(axis=(1, 2, 3), keepdims=True)
    shares = stack / np.where(largest > 0, largest, 1)
    return np.asarray(np.rint(127.5 + 127.5 * shares), dtype=np.uint8)


def biplot(
    points: ArrayLike,
    codes: ArrayLike,
    classes: ArrayLike,
    loadings: ArrayLike,
    features: Sequence[str],
    axis_names: Sequence[str],
    *,
    rows: ArrayLike | None = None,
    coloured: Sequence[int] = (),
) -> go.Figure:
    """Draw rows along two components, with an arrow for each of the eight largest features.

    Parameters
    ----------
    points : array-like of shape (n, 2)
    codes : array-like of shape (n,)
    classes : array-like of shape (K,)
    loadings : array-like of shape (2, p)
        Of the two components; arrows are scaled to the plot.
    features : sequence of p str
    axis_names : sequence of two str
    rows : array-like of shape (n,), optional
    coloured : sequence of int, optional
        See `scatter`.
    """
    figure = scatter(points, codes, classes, axis_names, rows=rows, coloured=coloured,
                     title="Rows and features along two components")  # fmt: skip
    ranges = np.array([figure.layout.xaxis.range, figure.layout.yaxis.range], dtype=float)
    figure.update_traces(marker_opacity=FAINT)  # so that the names over them are legible
    arrows, named = ray_annotations(np.asarray(loadings, dtype=float).T, features, ranges)
    figure.layout.annotations = arrows
    meta, features_text = figure.layout.meta, listed(named, most=MOST_ARROWS)
    figure.layout.meta = meta | {"alt": join(meta["alt"], f"Arrows for {features_text}.")}
    return figure


def ray_annotations(
    rays: Array, features: Sequence[str], ranges: Array
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return arrows with names for the longest rays (p, 2), scaled to the plot, and whose."""
    chosen = np.argsort(-np.linalg.norm(rays, axis=1), kind="stable")[:MOST_ARROWS]
    room = np.abs(ranges).min(axis=1).clip(1e-12)
    tips = rays[chosen] * (0.8 * room / np.abs(rays[chosen]).max(axis=0).clip(1e-12)).min()
    named = [features[i] for i in chosen.tolist()]
    annotations = [
        annotation
        for label, tip, height in zip(named, tips, _heights(tips, ranges), strict=True)
        for annotation in (
            _arrow(tip),
            _name(shorten(label, LABEL_WIDTH), tip, height, ranges),
        )
    ]
    return annotations, named


def _arrow(tip: Array) -> dict[str, Any]:
    ends = {"x": float(tip[0]), "y": float(tip[1]), "ax": 0, "ay": 0, "axref": "x", "ayref": "y"}
    look = {"arrowhead": 2, "arrowwidth": 1.6, "arrowcolor": INK}
    return ends | look | {"text": "", "showarrow": True}


def _name(label: str, tip: Array, height: float, ranges: Array) -> dict[str, Any]:
    return {
        "x": float(tip[0]), "y": height, "text": escape(label), "showarrow": False,
        "yanchor": "middle", "xanchor": _anchor(label, tip, ranges),
        "xshift": 4 if tip[0] >= 0 else -4,
        "font": {"size": 12, "color": INK, "shadow": "auto"},
    }  # fmt: skip


def _heights(tips: Array, ranges: Array) -> list[float]:
    """Return the height of the name of each arrow: at its tip, moved off its neighbours."""
    low, high = ranges[1]
    gap = CLEARANCE * (high - low)
    heights = np.clip(tips[:, 1], low + gap, high - gap)
    order = np.argsort(heights, kind="stable")
    for _ in range(100):
        lacking = np.maximum(gap - np.diff(heights[order]), 0) / 2
        if not lacking.max(initial=0.0) > 1e-3 * gap:
            break
        heights[order[:-1]] -= lacking
        heights[order[1:]] += lacking
    return [float(height) for height in heights]


def _anchor(label: str, tip: Array, ranges: Array) -> str:
    """Return which end of a name is at the tip: the outward one only if it would be cut off."""
    low, high = ranges[0]
    room = (high - tip[0] if tip[0] >= 0 else tip[0] - low) / (high - low)
    outward, inward = ("left", "right") if tip[0] >= 0 else ("right", "left")
    return outward if LETTER * len(label) < room + 0.02 else inward


def reconstructions(
    originals: NDArray[np.generic],
    rebuilt: Sequence[NDArray[np.generic]],
    numbers: Sequence[int],
) -> go.Figure:
    """Draw original images, and below each its reconstruction from a number of components.

    Parameters
    ----------
    originals : ndarray of shape (m, h, w) or (m, h, w, 3)
    rebuilt : sequence of R ndarrays of the shape of `originals`
    numbers : sequence of R int
        How many components each was rebuilt from.
    """
    top = 255.0 if originals.dtype == np.uint8 else float(np.max(originals, initial=0.0))
    bottom = 0.0 if originals.dtype == np.uint8 else float(np.min(originals, initial=0.0))
    # One grey scale for all: reconstructions may slightly exceed the range.
    copies = np.clip(np.concatenate([originals[:0], *rebuilt]).astype(float), bottom, top)
    if originals.dtype == np.uint8:
        copies = np.rint(copies).astype(np.uint8)
    words = ["original", *(count(number, "component") for number in numbers)]
    titles = [word if i == 0 else "" for word in words for i in range(len(originals))]
    named = listed(words[1:], most=12) if numbers else "nothing"
    return images(
        np.concatenate([originals, copies]),
        titles,
        columns=len(originals),
        title=f"Images rebuilt from {named}",
    )
