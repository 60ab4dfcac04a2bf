"""Gaussian density surfaces: meshes on rings around the mean, and their height."""

from __future__ import annotations

from typing import Any

import numpy as np

from lincore.inspection.views import View
from lincore.plots.plane.axis_limits import AxisLimits
from lincore.plots.plane.regions import possible
from lincore.utils.typing import Array

# A surface ends where it has exp(-3²/2), a hundredth, of its height.
REACH = 3.0
# Values in all surfaces of a figure: 117 kB as float32 in base64, up to 130 kB as JSON.
NUMBERS = 22_000
# Rings of a surface: enough to look smooth, and enough for the many small surfaces of a figure.
MOST_RINGS, FEWEST_RINGS = 36, 5
# JSON of a surface and its rows besides their values, expressed in values.
OVERHEAD = 130


def density_surface(view: View, limits: AxisLimits, code: int) -> tuple[Array, Array, Array]:
    """Return x, y and height of a surface on rings around its class mean, each of shape (r, a)."""
    # Rings suit any surface, however narrow relative to the plot, and give it a smooth edge.
    numbers = max(NUMBERS / len(view.classes) - OVERHEAD, 0)
    n_rings = int(np.clip(np.sqrt(numbers / 3 / 2.2), FEWEST_RINGS, MOST_RINGS))
    radius = np.linspace(0, REACH, n_rings)[:, None, None]
    angle = np.linspace(0, 2 * np.pi, int(2.2 * n_rings))[:, None]
    circle = np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
    points = view.gaussians.means[code] + radius * circle @ _root(view, limits, code)
    # A surface is cut where the plot ends.
    points = np.clip(points, limits.low, limits.high)
    flat = points.reshape(-1, 2)
    height = np.exp(possible(view.log_joint(flat))[:, code]).reshape(points.shape[:2])
    return points[..., 0], points[..., 1], height


def _root(view: View, limits: AxisLimits, code: int) -> Array:
    """Return the symmetric root (2, 2) of the covariance of a class."""
    # In a direction in which a class does not vary its density is constant: a ridge that runs
    # through the whole plot.
    factor = view.gaussians.whiteners[code].factor
    factor = np.diag(factor)[:, factor > 0] if factor.ndim == 1 else factor
    left, singular, _ = np.linalg.svd(factor)
    length = np.full(2, float(np.hypot(*(limits.high - limits.low))) / REACH)
    np.divide(1, singular, out=length[: len(singular)], where=singular > 0)
    return np.asarray(left * length @ left.T)


def heights(peaks: list[float], uneven: bool) -> tuple[float, dict[str, Any]]:
    """Return the height of the floor, under the surfaces, and the settings of the vertical axis."""
    top = max(peaks, default=1.0)
    if uneven:
        feet = np.log10(min(peaks)) - REACH**2 / 2 / np.log(10)
        low, high = feet - 0.45 * (np.log10(top) - feet), np.log10(top) + 0.05
        shown = {"range": [low - 0.02 * (high - low), high], "exponentformat": "power"}
        return 10**low, {"type": "log", "nticks": 5} | shown
    # Slightly below the floor, because Plotly cuts off what lies exactly at the end of an axis.
    return -0.4 * top, {
        "range": [-0.42 * top, 1.02 * top],
        "tickvals": _ticks(top),
        "tickformat": "~g",
    }


def _ticks(top: float) -> list[float]:
    """Return about four round heights from 0 up."""
    rough = top / 3
    magnitude = 10.0 ** np.floor(np.log10(rough))
    step = magnitude * max((m for m in (2, 2.5, 5) if m * magnitude <= rough), default=1)
    return [float(f"{i * step:.6g}") for i in range(int(top / step) + 1)]
