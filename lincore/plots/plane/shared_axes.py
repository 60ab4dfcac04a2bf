"""Axis limits and density scale shared by several plots of one plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincore.inspection.views import View
from lincore.plots.plane._scene import free_sight
from lincore.plots.plane.axis_limits import AxisLimits
from lincore.plots.plane.regions import possible
from lincore.utils.typing import Array


class SharedAxes(NamedTuple):
    """Ranges and scale; figures that are given the same one can be compared by eye.

    Attributes
    ----------
    limits : AxisLimits
    peaks : ndarray of shape (K,)
        The greatest height of each class; zero without densities, or without rows.
    turn : float or None
        Angle in degrees from which surfaces are looked at.
    """

    limits: AxisLimits
    peaks: Array
    turn: float | None = None

    @classmethod
    def of(cls, *views: View) -> SharedAxes:
        """Return a frame around one or more views of the same plane and classes."""
        limits = AxisLimits.of(*views)
        peaks = np.max([_peaks(view) for view in views], axis=0)
        turn = free_sight(views[0], limits, peaks) if len(views[0].axis_names) == 2 else None
        return cls(limits, peaks, turn)

    def around(self, view: View) -> AxisLimits:
        """Return the limits, with the number of points of one view that lie beyond it."""
        return self.limits.without(view.points)


def _peaks(view: View) -> Array:
    """Return the height of each class at its mean, (K,)."""
    if view.densities is None:
        return np.zeros(len(view.classes))
    means = np.nan_to_num(view.densities.means)
    heights = np.exp(np.diagonal(possible(view.log_joint(means))))
    return np.where(np.isfinite(view.densities.means).all(axis=1), heights, 0.0)
