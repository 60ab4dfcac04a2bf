"""Markers of rows: selection, axis limits, distinguishable classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore import plots
from lincore.plots.base import COLOURS, colour, symbol, symbol_3d
from lincore.plots.plane import AxisLimits, Marks

SHIFTS = st.sampled_from([0.0, -1e6, 1e6])


@given(st.integers(0, 100), SHIFTS)
@settings(max_examples=12)
def test_a_window_shows_all_points_or_says_how_many_not(seed, shift):
    rng = np.random.default_rng(seed)
    points = shift + rng.standard_cauchy((rng.integers(1, 80), 2))
    limits = AxisLimits.around(points, rng.integers(0, 3, len(points)))
    outside = ((points < limits.low) | (points > limits.high)).any(axis=1).sum()
    assert outside == limits.outside <= max(1, 0.02 * len(points))


def test_large_data_are_sampled_by_class_and_drawn_by_webgl():
    rng = np.random.default_rng(0)
    points, codes = rng.normal(size=(30_000, 2)), np.zeros(30_000, dtype=int)
    codes[10_000:29_995], codes[29_995:] = 1, 2
    figure = plots.scatter(points, codes, ["a", "b", "c"], ["u", "v"], title="Many")
    shown = figure.data
    assert {trace.type for trace in shown} == {"scattergl"}
    groups = [trace.legendgroup for trace in shown]
    sizes = [sum(len(t.x) for t in shown if t.legendgroup == code) for code in ("0", "1", "2")]
    assert sum(sizes) == 20_000 and sizes[2] >= 1
    assert sizes[0] / sizes[1] == pytest.approx(10_000 / 19_995, rel=1e-2)
    rows = np.concatenate([trace.customdata for trace in shown])
    assert len(np.unique(rows)) == 20_000, "every row is drawn once"
    # Painted in turn, so that no class hides the others, and no class is always the last.
    assert groups[:6] == ["0", "1", "2", "1", "2", "0"] and len(groups) > 12
    assert max(len(trace.x) for trace in shown) < 0.2 * 20_000
    assert "A sample of 20,000 of 30,000 rows" in figure.layout.meta["subtitle"]
    assert "30,000 rows" in figure.layout.meta["alt"]
    named = [trace.name for trace in shown if trace.showlegend]
    assert named == ["a (10,000)", "b (19,995)", "c (5)"]
    assert {(t.legendgroup, t.name) for t in shown} == set(zip("012", named, strict=True))
    again = plots.scatter(points, codes, ["a", "b", "c"], ["u", "v"], title="Many")
    assert figure == again


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=60).filter(sum), st.integers(100, 900))
@settings(max_examples=12)
def test_a_sample_keeps_every_class(counts, most):
    codes = np.repeat(np.arange(len(counts)), counts)
    marks = Marks.from_arrays(np.zeros((len(codes), 2)), codes, np.arange(len(counts)))
    drawn = marks.sample(most)
    assert len(drawn.codes) == min(most, len(codes))
    np.testing.assert_array_equal(np.bincount(drawn.codes, minlength=len(counts)) > 0,
                                  np.array(counts) > 0)  # fmt: skip
    assert len(np.unique(drawn.rows)) == len(drawn.rows)


def test_colour_and_shape_are_unique_up_to_64_classes():
    for shape in (symbol, symbol_3d):
        assert len({(colour(k), shape(k)) for k in range(64)}) == 64
        assert len({shape(k) for k in range(8)}) == 8


def test_colours_are_seen_on_white_and_on_a_dark_page():
    def luminance(hex_colour):
        parts = np.array([int(hex_colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    for page in ("#FFFFFF", "#14171C"):
        for hue in COLOURS:
            dark, light = sorted([luminance(page), luminance(hue)])
            assert (light + 0.05) / (dark + 0.05) > 2
