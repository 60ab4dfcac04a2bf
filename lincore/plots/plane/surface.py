"""Class densities, or posteriors of the predicted class, as surfaces over the rows."""

from __future__ import annotations

from typing import get_args

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.views import Quantity, View
from lincore.plots.base.palette import INK, colour, symbol_3d, translucent
from lincore.plots.base.sentences import UNITS, closest, heading, join, scope
from lincore.plots.base.style import (
    LEGEND_WIDTH,
    Trace,
    compact,
    escape,
    figure,
    narrow,
    shorten_all,
    trace,
)
from lincore.plots.plane import curves
from lincore.plots.plane._density_surface import density_surface, heights
from lincore.plots.plane._posterior_surface import posterior_surface, posterior_surface_alt, upright
from lincore.plots.plane._scene import Camera, camera_of, on_floor, scene_of
from lincore.plots.plane.axis_limits import AxisLimits
from lincore.plots.plane.boundary_lines import drawn_lines
from lincore.plots.plane.markers import MOST_OVER_SHADES, Marks, legend_name
from lincore.plots.plane.regions import checked, possible
from lincore.plots.plane.shared_axes import SharedAxes
from lincore.utils.formatting import capital, count, quoted
from lincore.utils.typing import Array

# From this ratio of heights, surfaces are drawn on a logarithmic scale.
UNEVEN = 12.0
# Opacity of the surfaces of classes.
FARTHEST, NEAREST = 0.7, 0.45
# More rows than this are on the floor instead of on stems.
MOST_STEMS = 300


def surface(
    view: View,
    *,
    camera: Camera = "oblique",
    quantity: Quantity | None = None,
    shared: SharedAxes | None = None,
    title: str = "",
) -> go.Figure:
    """Draw each class as a surface, its density times its prior, above the rows on the floor.

    A model without densities, or one of which the posterior is wanted, is a surface: the posterior
    (or the margin) of the predicted class, in its colour.

    Parameters
    ----------
    view : View
        Of two coordinates; of one, curves are drawn.
    camera : {"oblique", "above", "front"}
        Where the plot is seen from.
    quantity : {"density", "posterior", "score"}, optional
    shared : SharedAxes, optional
        Ranges and heights that several figures share.
    title : str, optional

    Returns
    -------
    plotly.graph_objects.Figure
    """
    if camera not in get_args(Camera):
        raise ValueError(f"camera must be one of {', '.join(get_args(Camera))}, got {camera!r}.")
    if len(view.axis_names) == 1:
        return curves.curves(view, quantity=quantity, shared=shared, title=title)
    usual: Quantity = "density" if view.densities is not None else view.quantities[0]
    quantity = checked(view, quantity or usual)
    shared = shared or SharedAxes.of(view)
    marks = Marks.of(view)
    if quantity == "density":
        return _density_surfaces(view, marks, shared, camera, title)
    return _posterior_surface(view, marks, shared, camera, quantity, title)


def _posterior_surface(
    view: View, marks: Marks, shared: SharedAxes, camera: Camera, quantity: Quantity, title: str
) -> go.Figure:
    limits, drawn = shared.around(view), marks.sample(MOST_OVER_SHADES)
    sheet = posterior_surface(view, limits, quantity)
    top = float(np.nanmax(sheet["z"])) or 1.0
    floor, scale = upright(quantity, len(view.classes), top)
    heights = None
    if quantity == "posterior":
        heights = np.exp(view.log_posterior(drawn.points)).max(axis=1)
    return figure(
        [
            sheet,
            _floor_lines(drawn_lines(view, limits), floor),
            *_rows(drawn, limits, floor, view.axis_names, heights),
        ],
        title or f"{capital(UNITS[quantity])} of the predicted class",
        subtitle=join(scope(view), marks.note(drawn), limits.note),
        alt=posterior_surface_alt(view, marks, quantity),
        height=450,
        scene=scene_of(view, limits, scale, camera_of(camera, shared.turn), UNITS[quantity]),
    )


def _density_surfaces(
    view: View, marks: Marks, shared: SharedAxes, camera: Camera, title: str
) -> go.Figure:
    limits, drawn = shared.around(view), marks.sample(MOST_OVER_SHADES)
    surfaces = {
        code: density_surface(view, limits, code)
        for code in np.flatnonzero(view.priors > 0).tolist()
    }
    peaks = {code: float(z.max()) for code, (_, _, z) in surfaces.items() if z.max() > 0}
    tops = shared.peaks[shared.peaks > 0].tolist() or [1.0]
    uneven = max(tops) > UNEVEN * min(tops)
    floor, scale = heights(tops, uneven)
    seen_from = camera_of(camera, shared.turn)
    return figure(
        [
            *(
                _surface(surfaces[code], code, marks.labels[code], opacity)
                for code, opacity in _opacities(view, limits, seen_from["eye"]).items()
                if code in peaks
            ),
            _floor_lines(drawn_lines(view, limits), floor),
            *_rows(drawn, limits, floor, view.axis_names, _own_heights(view, drawn)),
        ],
        title or heading(marks.labels, "density", None),
        subtitle=join(
            scope(view),
            closest(view, shorten_all(marks.labels, LEGEND_WIDTH)),
            "Heights are logarithmic." if uneven else "",
            marks.note(drawn),
            limits.note,
        ),
        alt=_alt(view, marks, peaks),
        height=450,
        scene=scene_of(view, limits, scale, seen_from, "prior × density"),
    )


def _opacities(view: View, limits: AxisLimits, eye: dict[str, float]) -> dict[int, float]:
    """Return opacities by class, the farthest first, so that it is seen through nearer ones."""
    codes, places = np.flatnonzero(view.priors > 0), on_floor(view, limits)
    order = np.argsort(places @ [eye["x"], eye["y"]], kind="stable")
    opacities = np.linspace(FARTHEST, NEAREST, len(order)).tolist()
    return dict(zip(codes[order].tolist(), opacities, strict=True))


def _surface(shape: tuple[Array, Array, Array], code: int, label: str, opacity: float) -> Trace:
    x, y, height = shape
    peak = float(height.max())
    hue = colour(code)
    return trace(
        "surface",
        x=compact(x),
        y=compact(y),
        z=height.astype(np.float32),
        cmin=0.0,
        cmax=peak,
        colorscale=[[0, hue], [1, hue]],
        showscale=False,
        opacity=opacity,
        name=escape(label),
        legendgroup=str(code),
        showlegend=False,
        contours={
            "z": {
                "show": True,
                "start": peak / 8,
                "end": peak,
                "size": peak / 8,
                "color": translucent("#FFFFFF", 0.55),
                "width": 1,
            },
            **{axis: {"highlight": False} for axis in "xy"},
        },
        lighting={"ambient": 0.85, "diffuse": 0.25, "specular": 0.05, "roughness": 0.9},
        meta=[escape(label)],
        hovertemplate="<b>%{meta[0]}</b><br>prior × density %{z:.3~g}<extra></extra>",
    )


def _floor_lines(line: Array, floor: float) -> Trace:
    return trace(
        "scatter3d",
        x=compact(line[:, 0]),
        y=compact(line[:, 1]),
        z=np.full(len(line), floor, dtype=np.float32),
        mode="lines",
        name="decision boundary",
        showlegend=False,
        line={"color": INK, "width": 4},
        hoverinfo="skip",
    )


def _own_heights(view: View, marks: Marks) -> Array:
    """Return the height of the surface of its class at each row (n,)."""
    log = possible(view.log_joint(marks.points))
    return np.asarray(np.exp(log[np.arange(len(marks.codes)), marks.codes]))


def _rows(
    marks: Marks,
    limits: AxisLimits,
    floor: float,
    axis_names: tuple[str, ...],
    heights: Array | None,
) -> list[Trace]:
    """Return the rows on the floor; a few stand on stems as high as the surface."""
    # Misclassified rows have rings if they are few, as in the contour plot.
    # A scene does not clip points beyond its axes.
    seen = ((marks.points >= limits.low) & (marks.points <= limits.high)).all(axis=1)
    x, y = compact(marks.points[:, 0]), compact(marks.points[:, 1])
    on_stems = heights is not None and np.count_nonzero(seen) <= MOST_STEMS
    z = np.full(len(x), floor) if heights is None or not on_stems else np.maximum(heights, floor)
    traces = []
    for code, label in enumerate(marks.labels):
        chosen = seen & (marks.codes == code)
        if not marks.counts[code]:
            continue
        if on_stems:
            traces.append(_stems(x[chosen], y[chosen], z[chosen], floor, code))
        traces.append(
            trace(
                "scatter3d",
                x=x[chosen],
                y=y[chosen],
                z=z[chosen].astype(np.float32),
                mode="markers",
                name=legend_name(marks.labels, code, int(marks.counts[code])),
                legendgroup=str(code),
                marker={"color": colour(code), "symbol": symbol_3d(code), "size": 3.2},
                customdata=narrow(marks.rows[chosen]),
                meta=[escape(label), *(escape(name) for name in axis_names)],
                hovertemplate=(
                    f"<b>%{{meta[0]}}</b>, {marks.one} %{{customdata}}"
                    "<br>%{meta[1]}: %{x:.4~g}"
                    "<br>%{meta[2]}: %{y:.4~g}<extra></extra>"
                ),
            )
        )
    wrong = seen & marks.wrong
    if wrong.any() and marks.are_ringed:
        traces.append(
            trace(
                "scatter3d",
                x=x[wrong],
                y=y[wrong],
                z=z[wrong].astype(np.float32),
                mode="markers",
                name=f"misclassified ({marks.n_wrong:,})",
                marker={"color": INK, "symbol": "circle-open", "size": 8},
                hoverinfo="skip",
            )
        )
    return traces


def _stems(x: Array, y: Array, z: Array, floor: float, code: int) -> Trace:
    ends = np.column_stack([np.full(len(z), floor), z, np.full(len(z), np.nan)])
    return trace(
        "scatter3d",
        x=np.repeat(x, 3),
        y=np.repeat(y, 3),
        z=ends.ravel().astype(np.float32),
        mode="lines",
        line={"color": colour(code), "width": 1.5},
        opacity=0.5,
        legendgroup=str(code),
        showlegend=False,
        hoverinfo="skip",
    )


def _alt(view: View, marks: Marks, peaks: dict[int, float]) -> str:
    highest = max(peaks, key=lambda code: peaks[code]) if peaks else 0
    alike = not peaks or peaks[highest] < 1.05 * min(peaks.values())
    return join(
        f"Surfaces of prior times density of {count(len(peaks), 'class', 'classes')} over "
        f"{' and '.join(view.axis_names)}, above {marks.counted} on the floor: "
        f"{marks.class_counts}.",
        scope(view),
        "They are about equally high."
        if alike
        else f"The highest is {quoted(marks.labels[highest])}.",
        closest(view, marks.labels),
    )
