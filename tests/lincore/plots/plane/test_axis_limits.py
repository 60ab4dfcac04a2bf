"""Windows that hold the ellipses of a model, and axes with as many pixels to the unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lincore import plots
from lincore.linalg import Gaussians
from lincore.plots.plane import AxisLimits
from tests.lincore.plots.plane.test_views import make_view

#: Of an ellipse that holds 95 % of a Gaussian class, in deviations.
RADIUS = np.sqrt(-2 * np.log(0.05))


def test_means_and_ellipses_of_the_model_lie_inside():
    view = make_view()
    spreads = [np.diag([9.0, 1.0]), np.eye(2), np.array([[4.0, 3.0], [3.0, 4.0]])]
    view = replace(
        view,
        points=view.points[:4],
        codes=view.codes[:4],
        predicted=view.predicted[:4],
        rows=view.rows[:4],
        densities=Gaussians.from_covariances(view.densities.means, spreads),
    )
    limits = AxisLimits.around(view.points, view.codes).widened(
        *(view.densities.means + sign * 1e-9 for sign in (-1, 1))
    )
    assert np.any(AxisLimits.of(view).low < limits.low)
    for figure in (plots.contour(view), plots.boundary(view)):
        ranges = np.array([figure.layout.xaxis.range, figure.layout.yaxis.range])
        for mean, spread in zip(view.densities.means, spreads, strict=True):
            reach = RADIUS * np.sqrt(np.diag(spread))
            span = np.ptp(ranges, axis=1)
            inside = (mean - reach > ranges[:, 0]) & (mean + reach < ranges[:, 1])
            # Unless the rows would be a dot in it.
            assert np.all(inside | (span > 2.9 * np.ptp(view.points, axis=0)))


def test_a_class_of_no_rows_or_of_endless_width_widens_nothing():
    view = make_view()
    means = view.densities.means.copy()
    means[2] = np.nan
    flat = [np.eye(2), np.diag([1.0, 0.0]), np.eye(2)]
    narrow = replace(view, densities=Gaussians.from_covariances(means, flat))
    limits = AxisLimits.of(narrow)
    assert np.isfinite([limits.low, limits.high]).all()
    wide = replace(
        view, densities=Gaussians.from_covariances(view.densities.means, [1e8 * np.eye(2)] * 3)
    )
    span = np.ptp(AxisLimits.of(wide).ranges, axis=1)
    assert np.all(span < 4 * np.ptp(view.points, axis=0))


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        (("x1", "x2"), True),
        (("Component 1 (45.2 %)", "Component 2 (9.1 %)"), True),
        (("Direction 1 (J = 13.1)", "Direction 2 (J = 0.2)"), True),
        (("age, standardised", "fare, standardised"), True),
        (("Discriminant", "Within-class axis"), True),
        (("length (cm)", "width (cm)"), True),
        (("length (cm)", "width (mm)"), False),
        (("age", "fare"), False),
        (("x1^2", "x1 x2"), False),
    ],
)
def test_a_unit_is_known_by_names(names, shared):
    axes = plots.boundary(replace(make_view(), axis_names=names)).layout
    assert (axes.yaxis.scaleanchor == "x") is shared


def test_axes_of_one_unit_are_equal_and_others_are_not():
    view = make_view()
    for draw in (plots.contour, plots.boundary):
        axes = draw(view).layout
        assert axes.yaxis.scaleanchor == "x" and axes.yaxis.scaleratio == 1
        other = draw(replace(view, axis_names=("length (cm)", "weight (g)"))).layout
        assert other.yaxis.scaleanchor is None
    stretched = replace(
        view, points=view.points * [1.0, 100.0], densities=None, decision_function=None
    )
    limits = AxisLimits.around(stretched.points, stretched.codes)
    assert limits.with_equal_axes() is limits
    thin = AxisLimits(np.array([0.0, 0.0]), np.array([10.0, 2.0]), 0).with_equal_axes()
    assert thin.is_equal and thin.low.tolist() == [0.0, -1.25] and thin.high.tolist() == [10, 3.25]
    rows = plots.scatter(view.points, view.codes, view.classes, ["x1", "x2"], title="Rows")
    assert rows.layout.yaxis.scaleanchor == "x"
