"""Canonical plot: class means with confidence circles, territories, and the features as rays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.geometry.half_planes import argmax_regions
from lincore.plots.base.palette import EDGE, colour, shade_colour, symbol, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import axis, escape, figure, legend, names, trace
from lincore.plots.model.components import ray_annotations
from lincore.utils.formatting import listed

# Deviations within a class that are shown around the means, and times the window that is shaded.
ROOM, BEYOND = 3.0, 6.0


def canonical_plot(
    centroids: ArrayLike,
    counts: ArrayLike,
    radii: ArrayLike,
    structure: ArrayLike,
    classes: ArrayLike,
    features: Sequence[str],
    axis_names: Sequence[str],
) -> go.Figure:
    """Draw the classes along the first two canonical functions.

    Parameters
    ----------
    centroids : array-like of shape (K, q)
        Mean scores on all q functions, at least two, which have variance 1 within classes.
    counts : array-like of shape (K,)
        Rows of each class, as priors of its territory.
    radii : array-like of shape (K,)
        Of the circles around the means.
    structure : array-like of shape (p, q)
        Directions of the rays; they are scaled to the plot.
    classes : array-like of shape (K,)
    features : sequence of p str
    axis_names : sequence of two str

    References
    ----------
    Friendly, Sigal (2017), "Graphical methods for multivariate linear models in psychological
    research", for the circles and rays.
    """
    means, n = np.asarray(centroids, dtype=float), np.asarray(counts, dtype=float)
    rays, K = np.asarray(structure, dtype=float)[:, :2], len(means)
    low, high = means[:, :2].min(axis=0) - ROOM, means[:, :2].max(axis=0) + ROOM
    # A row whose scores on the other functions are 0 belongs to the class of the largest of these.
    constants = np.log(n / n.sum()) - 0.5 * (means**2).sum(axis=1)
    margin = BEYOND * (high - low).max()
    regions = argmax_regions(means[:, :2], constants, low - margin, high + margin)
    shapes = [
        {
            "type": "path", "layer": "below",
            "path": "M" + "L".join(f"{x:.6g},{y:.6g}" for x, y in region) + "Z",
            "fillcolor": translucent(shade_colour(k, K), 0.14),
            "line": {"width": 1, "color": translucent(shade_colour(k, K), 0.5)},
        }
        for k, region in enumerate(regions) if len(region)
    ]  # fmt: skip
    shapes += [
        {"type": "circle", "x0": x - r, "x1": x + r, "y0": y - r, "y1": y + r,
         "line": {"width": 2, "color": colour(k)}}
        for k, (x, y, r) in enumerate(np.column_stack([means[:, :2], radii]).tolist())
    ]  # fmt: skip
    labels = [escape(label) for label in names(classes)]
    marks = [
        trace(
            "scatter", x=means[k, :1].astype(np.float32), y=means[k, 1:2].astype(np.float32),
            mode="markers", name=label,
            marker={"color": colour(k), "symbol": symbol(k), "size": 9,
                    "line": {"color": EDGE, "width": 1}},
            hovertemplate=f"{label}: %{{x:.3f}}, %{{y:.3f}}<extra></extra>",
        )
        for k, label in enumerate(labels)
    ]  # fmt: skip
    ranges = np.array([[low[0], high[0]], [low[1], high[1]]])
    annotations, named = ray_annotations(rays, features, ranges)
    drawn = figure(
        marks,
        "Classes along the first two canonical functions",
        subtitle="Circles: 95 % regions of class means. Shades: largest classification function.",
        alt=join(
            "Means of the classes, in deviations within classes:",
            *(f"{label} {x:.2f}, {y:.2f}." for label, (x, y) in zip(labels, means[:, :2].tolist(), strict=True)),  # noqa: E501
            f"Rays for {listed(named, most=len(named))}." if named else "",
        ),
        height=520,
        shapes=shapes,
        legend=legend(),
        xaxis=axis(axis_names[0], range=ranges[0].tolist(), zeroline=False),
        yaxis=axis(
            axis_names[1], range=ranges[1].tolist(), zeroline=False, scaleanchor="x"
        ),
    )  # fmt: skip
    drawn.layout.annotations = [*drawn.layout.annotations, *annotations]
    return drawn
