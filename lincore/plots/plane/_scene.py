"""The 3-D scene of surfaces over a plane, and its camera."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from lincore.inspection.views import View
from lincore.plots.base.palette import CLEAR, GREY
from lincore.plots.base.style import AXIS_WIDTH, escape_scene
from lincore.plots.plane.axis_limits import AxisLimits
from lincore.utils.formatting import shorten
from lincore.utils.typing import Array

Camera = Literal["oblique", "above", "front"]
# Maximum sides of the floor: a page is wider than high.
SIDES = np.array([1.5, 1.05])

CAMERAS: dict[str, dict[str, Any]] = {
    "oblique": {"eye": {"x": 0.6, "y": -1.85, "z": 1.05}, "center": {"x": -0.02, "z": -0.16}},
    "above": {
        "eye": {"x": 0, "y": -0.01, "z": 1.6},
        "up": {"x": 0, "y": 1, "z": 0},
        "projection": {"type": "orthographic"},
    },
    "front": {"eye": {"x": 0, "y": -2.0, "z": 0.45}, "center": {"x": -0.05, "z": -0.07}},
}


# Angles around the vertical axis from which the oblique view may look, in degrees: never from
# behind, where the axes run backwards. The usual one costs nothing, the outermost ones this much.
TURNS, USUAL, UNUSUAL = np.arange(-140.0, -39.0, 4.0), -72.0, 0.1
# Half the width of a surface of one class in the scene.
HALF_WIDTH = 0.14


def aspect(limits: AxisLimits) -> Array:
    """Return the sides of the floor, (2,): in the ratio of their ranges if units agree."""
    if not limits.is_equal:
        return SIDES
    span = limits.high - limits.low
    return np.asarray(span * (SIDES / span).min())


def camera_of(camera: Camera, turn: float | None) -> dict[str, Any]:
    """Return a camera; the oblique one looks from an angle in degrees, if there is one."""
    settings = CAMERAS[camera]
    if camera != "oblique" or turn is None:
        return settings
    distance = float(np.hypot(settings["eye"]["x"], settings["eye"]["y"]))
    x, y = (distance * float(f(np.radians(turn))) for f in (np.cos, np.sin))
    return settings | {"eye": settings["eye"] | {"x": x, "y": y}}


def free_sight(view: View, limits: AxisLimits, peaks: Array) -> float | None:
    """Return the viewing angle from which surfaces hide each other least."""
    places = on_floor(view, limits)
    if len(places) < 2:
        return None
    height = peaks[view.priors > 0] / (peaks.max() or 1.0)
    turns = np.radians(TURNS)
    towards, aside = (
        np.stack([np.cos(turns), np.sin(turns)]),
        np.stack([-np.sin(turns), np.cos(turns)]),
    )
    depth, across = places @ towards, places @ aside
    gaps = np.abs(across[:, None] - across[None]) / HALF_WIDTH
    in_front = depth[:, None] > depth[None]
    hidden = (height[:, None, None] * in_front * np.exp(-(gaps**2) / 2)).sum(axis=(0, 1))
    cost = hidden + UNUSUAL * np.abs(TURNS - USUAL) / np.abs(TURNS - USUAL).max()
    return float(TURNS[int(cost.argmin())])


def on_floor(view: View, limits: AxisLimits) -> Array:
    """Return the positions of the class means in the scene, (k, 2), without missing ones."""
    if view.densities is None:
        return np.empty((0, 2))
    means = view.densities.means[view.priors > 0]
    places = (means - (limits.low + limits.high) / 2) / (limits.high - limits.low)
    return np.asarray(places * aspect(limits))


def scene_of(
    view: View, limits: AxisLimits, scale: dict[str, Any], camera: dict[str, Any], name: str
) -> dict[str, Any]:
    """Return the settings of a scene over a plane, with a named vertical axis."""
    common = {"showbackground": False, "gridcolor": GREY, "zeroline": False, "showspikes": False,
              "tickfont": {"size": 12}}  # fmt: skip
    plane = [
        common
        | {
            "title": {"text": escape_scene(shorten(name, AXIS_WIDTH // 2))},
            "range": span,
            "nticks": 5,
        }
        for name, span in zip(view.axis_names, limits.ranges, strict=True)
    ]
    height = common | {"title": {"text": name}} | scale
    if camera == CAMERAS["above"]:
        height["visible"] = False
    return {
        "xaxis": plane[0],
        "yaxis": plane[1],
        "zaxis": height,
        "bgcolor": CLEAR,
        "aspectmode": "manual",
        "aspectratio": {**dict(zip("xy", aspect(limits).tolist(), strict=True)), "z": 0.85},
        "camera": camera,
        "dragmode": "orbit",
    }
