"""Covariance ellipses of the classes of a model."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.views import View
from lincore.plots.base.palette import INK, colour
from lincore.plots.base.sentences import join
from lincore.plots.base.style import LEGEND_WIDTH, Trace, compact, escape, names, trace
from lincore.plots.plane.axis_limits import RADIUS
from lincore.utils.formatting import plain, shorten
from lincore.utils.typing import Array

# Corners of an ellipse, and of each of many, which are smaller.
CORNERS, CORNERS_OF_MANY = 72, 20
MANY = 12
# The entry of the ellipses in the legend.
_KEY = trace(
    "scatter",
    x=[None],
    y=[None],
    mode="lines+markers",
    name="95 % ellipse and mean of a class",
    line={"color": INK, "width": 2},
    marker={"symbol": "cross", "size": 9, "color": INK},
)
NOTE = "Ellipses: 95 % of each class of the model, crosses: means."


def with_ellipses(figure: go.Figure, view: View) -> go.Figure:
    """Add for each class of a Gaussian model its mean and the ellipse that holds 95 % of it.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Of a view of two coordinates. Left as it is for other models and for one coordinate.
    view : View
    """
    if view.densities is None or len(view.axis_names) != 2:
        return figure
    figure.add_traces([*_traces(view), _KEY])
    meta = figure.layout.meta
    figure.layout.meta = meta | {"alt": join(plain(meta["alt"]), NOTE)}
    return figure


def _traces(view: View) -> list[Trace]:
    labels, densities = names(view.classes), view.gaussians
    corners = CORNERS if len(labels) <= MANY else CORNERS_OF_MANY
    angle = np.linspace(0, 2 * np.pi, corners + 1)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    traces = []
    for code, label in enumerate(labels):
        mean, root = densities.means[code], _root(densities.whiteners[code].factor)
        if not np.isfinite(mean).all() or root is None:
            continue
        outline = mean + RADIUS * circle @ root
        look = {"legendgroup": str(code), "showlegend": False, "hoverinfo": "skip"}
        traces += [
            trace(
                "scatter", x=compact(outline[:, 0]), y=compact(outline[:, 1]), mode="lines",
                name=f"ellipse of {escape(shorten(label, LEGEND_WIDTH))}",
                line={"color": colour(code), "width": 2}, **look,
            ),
            trace(
                "scatter", x=mean[:1], y=mean[1:], mode="markers", name="mean",
                marker={"symbol": "cross", "size": 11, "color": colour(code),
                        "line": {"width": 1.5, "color": "white"}}, **look,
            ),
        ]  # fmt: skip
    return traces


def _root(factor: Array) -> Array | None:
    """Return the symmetric root (2, 2) of a covariance; None where a class is flat."""
    factor = np.diag(factor)[:, factor > 0] if factor.ndim == 1 else factor
    if factor.shape[1] < 2 or not np.isfinite(factor).all():
        return None
    left, singular, _ = np.linalg.svd(factor)
    return np.asarray(left / singular @ left.T) if singular.all() else None
