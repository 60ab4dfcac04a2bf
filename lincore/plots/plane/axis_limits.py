"""Axis limits that show the bulk of the points and drop extreme ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.inspection.views import View
from lincore.plots.base.style import axis, escape
from lincore.utils.formatting import count, shorten
from lincore.utils.typing import Array, Flags

# A point this many interquartile ranges outside the quartiles of its class is an outlier, ...
FAR = 6.0
# ... and is left outside the axes unless more than this share of the points are outliers.
MOST_OUTSIDE = 0.02
# Radius of the ellipse that holds 95 % of a Gaussian class, in standard deviations: its square is
# chi-squared with two degrees.
RADIUS = float(np.sqrt(-2 * np.log(0.05)))
# Ellipses widen a plot by at most this multiple of its side at each end.
WIDEST = 1.0
# Axes with the same unit have equal scales up to this ratio of their ranges; the shorter axis has
# at least this share of the longer one.
MOST_UNEQUAL, SHORTEST = 8.0, 0.45

# Both in standard deviations within classes.
WITHIN = {"Discriminant", "Within-class axis"}


class AxisLimits(NamedTuple):
    """Ends of the axes, and how many points lie beyond them.

    Attributes
    ----------
    low, high : ndarray of shape (d,)
    outside : int
    is_equal : bool
        Whether both axes have as many pixels to the unit.
    """

    low: Array
    high: Array
    outside: int
    is_equal: bool = False

    @property
    def ranges(self) -> list[list[float]]:
        """The two ends of each axis, in Plotly's form."""
        return [[float(a), float(b)] for a, b in zip(self.low, self.high, strict=True)]

    @property
    def note(self) -> str:
        """A sentence on the points beyond the axes, empty if there are none."""
        if not self.outside:
            return ""
        return f"{count(self.outside, 'point lies', 'points lie')} outside the plot."

    @classmethod
    def around(cls, points: ArrayLike, codes: ArrayLike) -> AxisLimits:
        """Enclose points (n, d) of classes `codes` (n,), n > 0, with a margin of 6 %."""
        points, codes = np.asarray(points, dtype=float), np.asarray(codes)
        keep = ~_far(points, codes)
        if np.count_nonzero(~keep) > max(1, MOST_OUTSIDE * len(points)):
            keep[:] = True
        low, high = points[keep].min(axis=0), points[keep].max(axis=0)
        span = high - low
        # A coordinate that does not vary still needs an axis.
        span = np.where(span > 0, span, np.maximum(np.abs(low), 1.0))
        low, high = low - 0.06 * span, high + 0.06 * span
        outside = ((points < low) | (points > high)).any(axis=1)
        return cls(low, high, int(outside.sum()))

    @classmethod
    def of(cls, *views: View) -> AxisLimits:
        """Enclose the points of views of the same plane; without points, their classes.

        For two coordinates, the means and ellipses of their classes are enclosed as well.
        """
        points = np.concatenate([view.points for view in views])
        codes = np.concatenate([view.codes for view in views])
        if not len(points):
            shown = [view.densities.means for view in views if view.densities is not None]
            points = (
                np.concatenate(shown) if shown else np.array([[0.0] * len(views[0].axis_names)])
            )
            points = points[np.isfinite(points).all(axis=1)]
            codes = np.zeros(len(points), dtype=np.intp)
        limits = cls.around(points, codes)
        for view in views:
            limits = limits.widened(*_ellipses(view))
        for number, levels in enumerate(views[0].levels or ()):
            if levels is not None:  # all levels, with space for the rows around each
                limits.low[number], limits.high[number] = -0.5, len(levels) - 0.5
        if not views[0].levels and share_unit(views[0].axis_names):
            limits = limits.with_equal_axes()
        return limits.without(points)

    def widened(self, low: Array, high: Array) -> AxisLimits:
        """Return limits extended to boxes, (m, d) each, by at most `WIDEST` times their span."""
        if not len(low):
            return self
        span = self.high - self.low
        margin = 0.03 * span
        return self._replace(
            low=np.minimum(
                self.low, np.maximum(low.min(axis=0) - margin, self.low - WIDEST * span)
            ),
            high=np.maximum(
                self.high, np.minimum(high.max(axis=0) + margin, self.high + WIDEST * span)
            ),
        )

    def with_equal_axes(self) -> AxisLimits:
        """Return limits of axes with equal pixels per unit, unless one would be too short."""
        span = self.high - self.low
        if not span.max() <= MOST_UNEQUAL * span.min():
            return self
        more = np.maximum(SHORTEST * span.max() - span, 0) / 2
        return self._replace(low=self.low - more, high=self.high + more, is_equal=True)

    def without(self, points: ArrayLike) -> AxisLimits:
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


def plane_axes(view: View, limits: AxisLimits) -> dict[str, Any]:
    """Return the settings of both axes of a view."""
    axes = [plane_axis(view, number, limits.ranges) for number in (0, 1)]
    return equal_axes(*axes) if limits.is_equal else {"xaxis": axes[0], "yaxis": axes[1]}


def equal_axes(across: dict[str, Any], up: dict[str, Any], *, end: str = "") -> dict[str, Any]:
    """Return both axes with equal pixels per unit; on a phone below the title."""
    # The names of axes in Plotly, except the first pair, end in a number.
    alike = {
        "scaleanchor": f"x{end}",
        "scaleratio": 1,
        "constrain": "domain",
        "constraintoward": "top",
    }
    return {"xaxis": {**across, "constrain": "domain"}, "yaxis": {**up, **alike}}


def share_unit(names: Sequence[str]) -> bool:
    """Guess from their names whether two coordinates have the same unit."""
    # They end in the same unit, or differ only in a number: "x1" and "x2", "Component 1" and
    # "Component 2".
    if len(names) != 2 or set(names) == WITHIN:
        return len(names) == 2
    first, second = (re.sub(r"\d[\d.,]*", "#", name) for name in names)
    units = [re.search(r"\([^()#]+\)$|, standardised$", name) for name in (first, second)]
    return (first == second and "#" in first) or bool(
        units[0] and units[1] and units[0][0] == units[1][0]
    )


#: A standard deviation above this multiple of the unit of the rows counts as infinite.
_WIDEST = 1e12


def spread(view: View, code: int) -> Array:
    """Return the standard deviation of a class along each axis, (d,); infinite where it is flat."""
    factor = view.gaussians.whiteners[code].factor
    if factor.ndim == 1:
        factor = np.diag(factor)[:, factor > 0]
    if factor.shape[1] < factor.shape[0]:
        return np.full(len(factor), np.inf)
    try:
        # Smoothed variances may be out of all proportion to the rows.
        with np.errstate(over="ignore", invalid="ignore"):
            deviations = np.linalg.norm(np.linalg.inv(factor), axis=0)
    except np.linalg.LinAlgError:
        return np.full(len(factor), np.inf)
    return np.where(deviations < _WIDEST, deviations, np.inf)


def _ellipses(view: View) -> tuple[Array, Array]:
    """Return the corners of boxes about the ellipses of a model's classes, (m, 2) each."""
    if view.densities is None or len(view.axis_names) != 2:
        return np.empty((0, 2)), np.empty((0, 2))
    means = view.densities.means
    reach = RADIUS * np.array([spread(view, code) for code in range(len(means))])
    is_finite = np.isfinite(means).all(axis=1) & np.isfinite(reach).all(axis=1)
    return (means - reach)[is_finite], (means + reach)[is_finite]


def _far(points: Array, codes: NDArray[np.intp]) -> Flags:
    far = np.zeros(len(points), dtype=bool)
    for code in np.unique(codes):
        rows = codes == code
        lower, upper = np.quantile(points[rows], [0.25, 0.75], axis=0)
        # If half of a class share one value, its quartiles say nothing about the others.
        reach = np.where(upper > lower, FAR * (upper - lower), np.inf)
        is_outlier = (points[rows] < lower - reach) | (points[rows] > upper + reach)
        far[rows] = is_outlier.any(axis=1)
    return far
