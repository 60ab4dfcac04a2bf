"""Filled contours in the colour of a class, and their colour bar.

Plotly paints the bands of a filled contour on top of each other, so that their opacities add up.
Each band therefore gets just the opacity that the stack below it lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lincore.plots.base.palette import CLEAR, GREY, INK, colour, translucent
from lincore.plots.base.style import Trace, compact, escape, trace
from lincore.plots.plane.regions import Layer
from lincore.utils.typing import Array

FAINTEST = 0.10
STRONGEST = 0.62
#: Pixels of a colour bar.
BAR = 230


def filled(
    layer: Layer, levels: Array, *, alphas: Array | None = None, hover: str = "", hue: str = ""
) -> Trace:
    """Return the filled contours of one class.

    Parameters
    ----------
    layer : Layer
    levels : ndarray of shape (m,)
        Equally spaced; nothing is painted below the first.
    alphas : ndarray of shape (m,), optional
        Opacity above each level, default `opacities(m)`.
    hover : str, optional
        Template of the hover text of a point; without it there is none.
    hue : str, optional
        Default: the colour of the class.
    """
    step = float(levels[1] - levels[0]) if len(levels) > 1 else 1.0
    alphas = opacities(len(levels)) if alphas is None else alphas
    hovering: dict[str, Any] = {"hovertemplate": hover} if hover else {"hoverinfo": "skip"}
    return trace(
        "contour",
        x=compact(layer.x),
        y=compact(layer.y),
        z=layer.z,
        autocontour=False,
        contours={
            "start": float(levels[0]),
            "end": float(levels[-1]),
            "size": step,
            "coloring": "fill",
            "showlines": False,
        },
        colorscale=_stacked(hue or colour(layer.code), alphas),
        zmin=float(levels[0]) - step / 2,
        zmax=float(levels[-1]) + step / 2,
        showscale=False,
        showlegend=False,
        legendgroup=str(layer.code),
        line={"width": 0, "smoothing": 0.6},
        **hovering,
    )


def bar(levels: Array, top: float, title: str, *, code: int | None = None, **axis: Any) -> Trace:
    """Return an invisible trace that carries the colour bar of `filled`."""
    hue = GREY if code is None else colour(code)
    ends = np.append(levels, top)
    low, high = float(ends[0]), float(ends[-1])
    scale: list[list[Any]] = []
    for (start, stop), alpha in zip(
        zip(ends[:-1], ends[1:], strict=True), opacities(len(levels)), strict=True
    ):
        shade = translucent(hue, alpha)
        scale += [[(start - low) / (high - low), shade], [(stop - low) / (high - low), shade]]
    scale[0][0], scale[-1][0] = 0.0, 1.0
    look = {
        "thickness": 10,
        # As high as a plane on a phone, where space is short.
        "lenmode": "pixels",
        "len": BAR,
        "y": 1,
        "yanchor": "top",
        "xpad": 6,
        "ypad": 0,
        "outlinewidth": 0,
        "title": {"text": escape(title), "side": "right", "font": {"size": 12}},
        "tickfont": {"size": 11},
    }
    marker = {"color": [low], "cmin": low, "cmax": high, "colorscale": scale, "showscale": True}
    return trace(
        "scatter",
        x=[None],
        y=[None],
        mode="markers",
        marker=marker | {"colorbar": look | axis},
        showlegend=False,
        hoverinfo="skip",
    )


def opacities(n_levels: int) -> Array:
    """Return the resulting opacity of each band, (n_levels,)."""
    return np.linspace(FAINTEST, STRONGEST, n_levels)


def boundary_trace(line: Array) -> Trace:
    """Return a decision boundary (m, 2).

    Parameters
    ----------
    line : ndarray of shape (m, 2)
        Points in the units of the axes; NaN parts lines.
    """
    return trace(
        "scatter",
        x=compact(line[:, 0]),
        y=compact(line[:, 1]),
        mode="lines",
        name="decision boundary",
        showlegend=False,
        hoverinfo="skip",
        line={"color": INK, "width": 2},
    )


def polygons(parts: Sequence[Array], shade: str, **settings: Any) -> Trace:
    """Return convex polygons (m, 2) of one shade."""
    gap = np.full((1, 2), np.nan)
    outline = np.concatenate(
        [piece for polygon in parts for piece in (polygon, polygon[:1], gap)] or [gap]
    )
    return trace(
        "scatter",
        x=compact(outline[:, 0]),
        y=compact(outline[:, 1]),
        mode="lines",
        fill="toself",
        fillcolor=shade,
        line={"width": 0, "color": CLEAR},
        hoverinfo="skip",
    ) | {"showlegend": False, **settings}


def _stacked(hue: str, alphas: Array) -> list[list[Any]]:
    """Return a colour scale of what each band adds to those below it; clear below the first."""
    wanted = np.concatenate([[0.0], alphas])
    added = 1 - (1 - wanted[1:]) / (1 - wanted[:-1])
    shades = [CLEAR] + [translucent(hue, alpha) for alpha in added]
    return [[i / len(alphas), shade] for i, shade in enumerate(shades)]
