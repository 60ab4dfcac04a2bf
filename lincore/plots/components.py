"""Components seen against rows and pixels: biplot, weights as pictures, reconstructions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from lincore.plots.gallery import images
from lincore.plots.palette import BAD, GOOD, INK
from lincore.plots.scatter import scatter
from lincore.plots.style import enumerate_words, escape, shorten
from lincore.plots.words import join

LABEL_WIDTH = 20


def weight_images(
    weights: ArrayLike, titles: Sequence[str], *, columns: int = 4, title: str = "Weights"
) -> go.Figure:
    """Draw weights of pixels as pictures: blue for above zero, orange for below, paper for zero.

    Parameters
    ----------
    weights : array-like of shape (m, h, w)
    titles : sequence of m str
    columns : int, default 4
    title : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    stack = np.asarray(weights, dtype=np.float32)
    figure = images(stack, titles, columns=columns, title=title)
    largest = float(np.abs(stack).max(initial=0.0)) or 1.0
    scale = [[0, BAD], [0.5, "#F7F7F7"], [1, GOOD]]
    figure.update_layout(
        coloraxis={"colorscale": scale, "cmin": -largest, "cmax": largest, "showscale": True,
                   "colorbar": {"thickness": 10, "len": 0.9, "outlinewidth": 0, "nticks": 5,
                                "tickformat": "~g"}},
    )  # fmt: skip
    return figure


def biplot(
    points: ArrayLike,
    codes: ArrayLike,
    classes: ArrayLike,
    loadings: ArrayLike,
    features: Sequence[str],
    axis_names: Sequence[str],
    *,
    rows: ArrayLike | None = None,
    title: str = "",
    most: int = 8,
) -> go.Figure:
    """Draw rows along two components, with an arrow for each feature.

    Parameters
    ----------
    points : array-like of shape (n, 2)
    codes : array-like of shape (n,)
    classes : array-like of shape (K,)
    loadings : array-like of shape (2, p)
        Of the two components; arrows are scaled to the picture.
    features : sequence of p str
    axis_names : sequence of two str
    rows : array-like of shape (n,), optional
    title : str, optional
    most : int, default 8
        Arrows are drawn for the features of largest loadings.
    """
    arrows = np.asarray(loadings, dtype=float).T
    chosen = np.argsort(-np.linalg.norm(arrows, axis=1), kind="stable")[:most]
    told = enumerate_words([features[i] for i in chosen.tolist()], most=most)
    figure = scatter(points, codes, classes, axis_names, rows=rows,
                     title=title or "Rows and features along two components")  # fmt: skip
    ranges = np.array([figure.layout.xaxis.range, figure.layout.yaxis.range], dtype=float)
    reach = 0.8 * np.abs(ranges).min(axis=1).clip(1e-12) / np.abs(arrows[chosen]).max(axis=0).clip(1e-12)  # noqa: E501  # fmt: skip
    tips = arrows[chosen] * reach.min()
    for i, tip, below in zip(chosen.tolist(), tips, _below(tips, ranges), strict=True):
        figure.add_annotation(
            x=float(tip[0]),
            y=float(tip[1]),
            ax=0,
            ay=0,
            axref="x",
            ayref="y",
            text="",
            showarrow=True,
            arrowhead=2,
            arrowwidth=1.6,
            arrowcolor=INK,
        )
        figure.add_annotation(
            x=float(tip[0]), y=float(tip[1]), text=escape(shorten(features[i], LABEL_WIDTH)),
            showarrow=False, xanchor="left" if tip[0] >= 0 else "right",
            yanchor="top" if below else "bottom", font={"size": 12, "color": INK},
        )  # fmt: skip
    meta = dict(figure.layout.meta)
    meta["alt"] = join(meta["alt"], f"Arrows for {told}.")
    return figure.update_layout(meta=meta)


def _below(tips: NDArray[np.float64], ranges: NDArray[np.float64]) -> list[bool]:
    """Say which names stand below their arrow's tip: those of neighbours on different sides."""
    below: list[bool] = []
    places = tips / np.ptp(ranges, axis=1)
    for i, place in enumerate(places):
        wanted = bool(place[1] < 0)
        near = np.abs(places[:i] - place) < [0.2, 0.06]
        taken = [below[k] for k in np.flatnonzero(near.all(axis=1)).tolist()]
        below.append(not wanted if wanted in taken else wanted)
    return below


def reconstructions(
    originals: NDArray[np.generic],
    rebuilt: Sequence[NDArray[np.generic]],
    numbers: Sequence[int],
    *,
    title: str = "",
) -> go.Figure:
    """Draw pictures as they are, and below each what a number of components makes of it.

    Parameters
    ----------
    originals : ndarray of shape (m, h, w) or (m, h, w, 3)
    rebuilt : sequence of R ndarrays of the shape of `originals`
    numbers : sequence of R int
        How many components each was rebuilt from.
    title : str, optional
    """
    top = 255.0 if originals.dtype == np.uint8 else float(np.max(originals, initial=0.0))
    bottom = 0.0 if originals.dtype == np.uint8 else float(np.min(originals, initial=0.0))
    # One grey scale for all: what is rebuilt may leave it a little.
    parts = [np.clip(np.asarray(part, dtype=float), bottom, top) for part in rebuilt]
    if originals.dtype == np.uint8:
        parts = [np.rint(part).astype(np.uint8) for part in parts]
    stack = np.concatenate([originals, *parts])
    words = ["original", *(f"{number:,} component{'s' * (number != 1)}" for number in numbers)]
    titles = [word if i == 0 else "" for word in words for i in range(len(originals))]
    named = enumerate_words(words[1:], most=12) if numbers else "nothing"
    return images(
        stack,
        titles,
        columns=len(originals),
        title=title or f"Pictures rebuilt from {named}",
    )
