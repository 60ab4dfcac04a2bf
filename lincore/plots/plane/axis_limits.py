"""Axis limits that show the bulk of the points and drop extreme ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.inspection.views import View
from lincore.plots.base.style import axis, escape, shorten
from lincore.utils.formatting import count
from lincore.utils.typing import Array, Flags

# A point this many interquartile ranges off the quartiles of its class is far from all others ...
FAR = 6.0
# ... and is left outside if no more than this share of the points are like it.
MOST_OUTSIDE = 0.02


class Window(NamedTuple):
    """Ends of the axes, and how many points lie beyond them.

    Attributes
    ----------
    low, high : ndarray of shape (d,)
    outside : int
    """

    low: Array
    high: Array
    outside: int

    @property
    def ranges(self) -> list[list[float]]:
        """The two ends of each axis, as Plotly wants them."""
        return [[float(a), float(b)] for a, b in zip(self.low, self.high, strict=True)]

    @property
    def note(self) -> str:
        """A sentence on the points beyond the axes, empty if there are none."""
        if not self.outside:
            return ""
        return f"{count(self.outside, 'point lies', 'points lie')} outside the picture."

    @classmethod
    def around(cls, points: ArrayLike, codes: ArrayLike) -> Window:
        """Frame points (n, d) of classes `codes` (n,), n > 0, with a margin of 6 %.

        Examples
        --------
        >>> points = [[0.0], [1.0], [2.0], [3.0], [1e6]]
        >>> Window.around(points, [0, 0, 0, 0, 0]).outside
        1
        """
        points, codes = np.asarray(points, dtype=float), np.asarray(codes)
        kept = ~_far(points, codes)
        if np.count_nonzero(~kept) > max(1, MOST_OUTSIDE * len(points)):
            kept[:] = True
        low, high = points[kept].min(axis=0), points[kept].max(axis=0)
        span = high - low
        # A coordinate that does not vary still needs an axis.
        span = np.where(span > 0, span, np.maximum(np.abs(low), 1.0))
        low, high = low - 0.06 * span, high + 0.06 * span
        outside = ((points < low) | (points > high)).any(axis=1)
        return cls(low, high, int(outside.sum()))

    @classmethod
    def of(cls, view: View) -> Window:
        """Frame the points of a view; without points, its classes."""
        return cls.of_all(view)

    @classmethod
    def of_all(cls, *views: View) -> Window:
        """Frame the points of several views of the same plane, so that they can be compared."""
        points = np.concatenate([view.points for view in views])
        codes = np.concatenate([view.codes for view in views])
        if not len(points):
            shown = [view.densities.means for view in views if view.densities is not None]
            points = (
                np.concatenate(shown) if shown else np.array([[0.0] * len(views[0].axis_names)])
            )
            points = points[np.isfinite(points).all(axis=1)]
            codes = np.zeros(len(points), dtype=np.intp)
        window = cls.around(points, codes)
        for number, levels in enumerate(views[0].levels or ()):
            if levels is not None:  # all of them, with room for the rows beside each
                window.low[number], window.high[number] = -0.5, len(levels) - 0.5
        return window.without(points)

    def without(self, points: ArrayLike) -> Window:
        """Return the same ends, and how many of other points (n, d) lie beyond them."""
        points = np.asarray(points, dtype=float)
        outside = ((points < self.low) | (points > self.high)).any(axis=1)
        return self._replace(outside=int(outside.sum()))


def plane_axis(
    view: View, number: int, ranges: list[list[float]], **settings: Any
) -> dict[str, Any]:
    """Return the settings of an axis of a view, with the names of its levels if it has any."""
    levels = view.levels[number] if view.levels else None
    if levels:
        names = [escape(shorten(level, 14)) for level in levels]
        settings = {"tickvals": list(range(len(names))), "ticktext": names} | settings
    return axis(view.axis_names[number], range=ranges[number], showgrid=False, **settings)


def _far(points: Array, codes: NDArray[np.intp]) -> Flags:
    far = np.zeros(len(points), dtype=bool)
    for code in np.unique(codes):
        rows = codes == code
        lower, upper = np.quantile(points[rows], [0.25, 0.75], axis=0)
        # Where half of a class agree on one value its quartiles say nothing on the others.
        reach = np.where(upper > lower, FAR * (upper - lower), np.inf)
        beyond = (points[rows] < lower - reach) | (points[rows] > upper + reach)
        far[rows] = beyond.any(axis=1)
    return far
