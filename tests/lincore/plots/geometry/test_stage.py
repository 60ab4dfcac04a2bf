"""The figure of an experiment: equal axes, and places of what moves."""

from __future__ import annotations

import numpy as np

from lincore.plots.geometry.stage import (
    StagePlane,
    area,
    arrow,
    contours,
    dots,
    in_frame,
    joined,
    line,
    ring,
    stage,
)

PLANE = StagePlane.around([[0.0, 0.0], [4.0, 1.0]])


def test_a_plane_is_a_square_about_its_points():
    np.testing.assert_allclose(PLANE.high - PLANE.low, 4.96)
    np.testing.assert_allclose((PLANE.low + PLANE.high) / 2, [2.0, 0.5])


def test_areas_lie_below_the_rows_and_lines_above():
    places = [np.zeros((2, 2)), np.ones((3, 2)), np.full((1, 2), 2.0)]
    looks = (line("a line"), area("an area", "#000000"), ring("a ring"))
    rows = ([[0.0, 0.0], [1.0, 1.0]], [0, 1], ["a", "b"])
    grid = np.linspace(0, 1, 3)
    fixed = [contours(grid, grid, np.outer(grid, grid), "height")]
    figure = stage(PLANE, looks, places, title="title", alt="alt", rows=rows, fixed=fixed)
    assert figure.data[0].name == "an area" and figure.data[-1].name == "a ring"
    assert figure.layout.meta["moving"] == [4, 0, 5]
    assert figure.layout.yaxis.scaleanchor == "x"
    moved = in_frame(figure, [place + 1 for place in places])
    assert moved.data[4].x.tolist() == [1.0, 1.0] and figure.data[4].x.tolist() == [0.0, 0.0]


def test_arrows_have_heads_of_one_size_and_parts_are_joined():
    head = [arrow(PLANE, [0, 0], [length, 0])[3:] for length in (1.0, 3.0)]
    np.testing.assert_allclose(head[0] - [1, 0], head[1] - [3, 0])
    assert np.isnan(arrow(PLANE, [1, 1], [1, 1])).all()
    assert joined([np.zeros((2, 2)), np.ones((2, 2))]).shape == (5, 2)
    assert np.isnan(joined([])).all()
    assert dots("far", 1)["marker"]["symbol"] == "diamond"
