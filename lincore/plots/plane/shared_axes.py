"""Axis limits and density scale shared by several plots of one plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincore.inspection.views import View
from lincore.plots.plane.axis_limits import Window
from lincore.plots.plane.regions import possible
from lincore.utils.typing import Array


class Frame(NamedTuple):
    """Ranges and scale; figures that are given the same one can be compared by eye.

    Attributes
    ----------
    window : Window
    peaks : ndarray of shape (K,)
        The greatest height of each class; zero without densities, or without rows.
    """

    window: Window
    peaks: Array

    @classmethod
    def of(cls, *views: View) -> Frame:
        """Return a frame around one or more views of the same plane and classes."""
        return cls(Window.of_all(*views), np.max([_peaks(view) for view in views], axis=0))

    def around(self, view: View) -> Window:
        """Return the window, with the number of points of one view that lie beyond it."""
        return self.window.without(view.points)


def _peaks(view: View) -> Array:
    """Return the height of each class at its mean, (K,)."""
    if view.densities is None:
        return np.zeros(len(view.classes))
    means = np.nan_to_num(view.densities.means)
    heights = np.exp(np.diagonal(possible(view.log_joint(means))))
    return np.where(np.isfinite(view.densities.means).all(axis=1), heights, 0.0)
