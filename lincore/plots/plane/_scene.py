"""The 3-D scene of surfaces over a plane, and its camera."""

from __future__ import annotations

from typing import Any, Literal

from lincore.inspection.views import View
from lincore.plots.base.palette import CLEAR, GREY
from lincore.plots.base.style import AXIS_WIDTH, escape_scene, shorten
from lincore.plots.plane.axis_limits import Window

Camera = Literal["oblique", "above", "front"]

CAMERAS: dict[str, dict[str, Any]] = {
    "oblique": {"eye": {"x": 0.72, "y": -2.25, "z": 1.1}, "center": {"x": -0.06, "z": -0.08}},
    "above": {
        "eye": {"x": 0, "y": -0.01, "z": 1.6},
        "up": {"x": 0, "y": 1, "z": 0},
        "projection": {"type": "orthographic"},
    },
    "front": {"eye": {"x": 0, "y": -2.45, "z": 0.5}, "center": {"x": -0.07, "z": -0.05}},
}


def scene_of(
    view: View, window: Window, scale: dict[str, Any], camera: Camera, name: str
) -> dict[str, Any]:
    """Return the settings of a scene over a plane, with a named upright axis."""
    common = {"showbackground": False, "gridcolor": GREY, "zeroline": False, "showspikes": False}
    plane = [
        common
        | {
            "title": {"text": escape_scene(shorten(name, AXIS_WIDTH // 2))},
            "range": span,
            "nticks": 6,
        }
        for name, span in zip(view.axis_names, window.ranges, strict=True)
    ]
    height = common | {"title": {"text": name}} | scale
    if camera == "above":
        height["visible"] = False
    return {
        "xaxis": plane[0],
        "yaxis": plane[1],
        "zaxis": height,
        "bgcolor": CLEAR,
        "aspectmode": "manual",
        "aspectratio": {"x": 0.95, "y": 0.95, "z": 0.85},
        "camera": CAMERAS[camera],
        "dragmode": "orbit",
    }
