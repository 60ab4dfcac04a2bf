"""Figures of the page Compare where scores lie close, classes are many, and losses decide."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from lincore import QuadraticDiscriminantAnalysis, plots
from tests.lincore.plots.plane.test_planes import decoded, fitted_view

CLOSE = [(1.0, 0.996, 1.0), (0.997, 0.99, 0.999)]
WIDE = [(0.8, 0.6, 0.9), (0.7, 0.5, 0.8)]
DEPARTMENTS = [f"Department of Something {k + 1} ({['north', 'south'][k % 2]})" for k in range(40)]


def pair(verdict: str):
    return SimpleNamespace(first="a", second="b", value=-0.02, low=-0.04, high=-0.01,
                           verdict=verdict)  # fmt: skip


def named(figure) -> str:
    return f"{figure.layout.meta['title']} {figure.layout.meta['subtitle']}"


def test_a_baseline_far_off_is_told_and_leaves_the_intervals_the_room():
    baselines = {"Majority class": 0.333}
    near = plots.score_intervals("ab", WIDE, baselines=baselines)
    assert [s.x0 for s in near.layout.shapes] == [0.333]
    assert "Dotted: Majority class 33.3 %." in named(near)
    far = plots.score_intervals("ab", CLOSE, baselines=baselines)
    assert not far.layout.shapes
    assert "Off to the left: Majority class 33.3 %." in named(far)
    assert "Majority class 33.3 %" in far.layout.meta["alt"]
    loss = plots.score_intervals(
        "ab", [(0.01, 0.005, 0.02)] * 2, score="log loss", baselines={"Prior only": 1.1},
        as_percent=False,
    )  # fmt: skip
    assert not loss.layout.shapes and "Off to the right: Prior only 1.1." in named(loss)


def test_both_baselines_are_told_when_one_is_drawn():
    figure = plots.score_intervals(
        "ab", [(0.8, 0.78, 0.82), (0.75, 0.74, 0.76)], baselines={"Majority": 0.6, "Chance": 0.1}
    )
    assert [s.x0 for s in figure.layout.shapes] == [0.6]
    assert "Dotted: Majority 60.0 %. Off to the left: Chance 10.0 %." in named(figure)


def test_close_scores_have_ticks_that_differ():
    """The axis of 99 % to 100 % read 99 %, 99 %, 100 %, 100 %."""
    curve = [[0.991, 0.995]]
    for upright in (
        plots.score_intervals("ab", CLOSE).layout.xaxis,
        plots.seconds_and_score([0.1, 0.2], CLOSE, "ab").layout.yaxis,
        plots.sweep([10, 20], curve, curve, curve, ["a"]).layout.yaxis,
        plots.vector_shares([0.012, 0.003]).layout.yaxis,
    ):
        assert upright.tickformat == "~%"


@pytest.mark.parametrize(
    "seconds",
    [[0.02], [0.021, 0.022], [0.0011, 0.0013, 0.03], [1e-5, 700.0], [0, 0.1, 3], [0.9e-3, 4e-2]],
)
def test_the_time_to_fit_has_ticks_in_units_that_people_read(seconds):
    """An axis within a decade had no tick at all."""
    times = np.maximum(seconds, 1e-6)
    figure = plots.seconds_and_score(seconds, [(0.8, 0.7, 0.9)] * len(seconds), range(len(seconds)))
    across = figure.layout.xaxis
    low, high = 10.0 ** np.array(across.range)
    assert low < times.min() and high > times.max()
    shown = [place for place in across.tickvals if low <= place <= high]
    assert 2 <= len(shown) <= 8
    assert all(text.split()[1] in ("µs", "ms", "s") for text in across.ticktext)
    assert across.title.text == "time to fit"


def test_who_is_faster_is_said_where_it_is_more_than_chance():
    def title(seconds):
        figure = plots.seconds_and_score(seconds, [(0.8, 0.7, 0.9)] * len(seconds), ["A", "B", "C"])
        return figure.layout.meta["title"]

    assert title([0.001, 0.0011, 0.03]) == "Time and accuracy: C takes 30 times as long as A"
    assert title([0.0010, 0.0011, 0.0012]) == "Time and accuracy: all take about as long"


def test_better_is_where_it_is_for_a_loss():
    """The log loss of the better model is the lower one."""
    assert "Up and left is better." in named(plots.seconds_and_score([1.0], CLOSE[:1], "a"))
    loss = plots.seconds_and_score([1.0], CLOSE[:1], "a", score="log loss", as_percent=False)
    assert "Down and left is better." in named(loss)
    assert "Right of zero the first is better." in named(plots.pairwise_effects([pair("x")]))
    loss = plots.pairwise_effects([pair("first better")], score="Brier", as_percent=False)
    assert "Left of zero the first is better." in named(loss)


def test_pairs_that_are_equivalent_are_counted_and_one_point_is_one():
    pairs = [pair("equivalent"), pair("first better"), pair("equivalent")]
    figure = plots.pairwise_effects(pairs, rope=0.01)
    assert named(figure).startswith("1 of 3 pairs is significantly different, 2 equivalent ")
    assert "Shaded: at most 1 point apart." in named(figure)
    assert "at most 2.5 points apart." in named(plots.pairwise_effects(pairs, rope=0.025))


def test_long_names_that_differ_in_the_middle_stay_apart():
    """Of 40 departments the axis said forty times the same."""
    recalls = np.full((2, 40), 0.8)
    recalls[:, 16] = 0.25
    figure = plots.recall_map(recalls, ["a", "b"], DEPARTMENTS)
    ticks = figure.layout.yaxis.ticktext
    assert len(set(ticks)) == 40 and all(len(tick) <= 14 for tick in ticks)
    assert ticks[16] == "…17 (north)"
    title = figure.layout.meta["title"]
    assert title == "Hardest for all: 'Department of Something 17 (north)' (at best 25.0 %)"
    sidebar = plots.class_balance(np.arange(1, 41), np.ones(40), DEPARTMENTS)
    ticks = sidebar.layout.yaxis.ticktext
    assert len(set(ticks)) == len(ticks) == 20


def test_wrong_rows_are_marked_alike_in_all_small_images():
    """Beside rings, where few were wrong, stood dots, and neither was explained."""
    good = fitted_view(QuadraticDiscriminantAnalysis(), n=300)
    bad = dataclasses.replace(good, predicted=(good.codes + 1) % 3)
    figure = plots.small_multiples([good, bad], ["good", "bad"])
    marks = {
        trace.marker.symbol
        for trace in figure.data
        if (trace.name or "").startswith("misclassified")
    }
    assert marks == {"circle"} and "Misclassified rows have a dot." in named(figure)
    images = plots.small_multiples([dataclasses.replace(good, noun="images")], ["good"])
    marks = {
        trace.marker.symbol
        for trace in images.data
        if (trace.name or "").startswith("misclassified")
    }
    assert marks == {"circle-open"} and "Misclassified images have a ring." in named(images)
    many = dataclasses.replace(fitted_view(QuadraticDiscriminantAnalysis(), n=900), noun="images")
    figure = plots.small_multiples([many], ["many"])
    assert "A sample of 600 of 900 images." in named(figure)


def test_losses_of_very_different_size_are_all_seen():
    """A log loss of ten millions left all others on one line."""
    values = [(0.44, 0.4, 0.5), (0.6, 0.0, 0.8), (6e7, 2e7, 9e7)]
    loss = {"score": "log loss", "as_percent": False}
    mean = np.array([[8e7, 0.5], [0.5, 0.4]])
    low = np.maximum(mean - 0.6, 0)
    curve = plots.sweep([10, 90], mean, low, mean + 1, "ab", **loss)
    figures = [
        plots.score_intervals("abc", values, baselines={"Prior only": 0.69}, **loss).layout.xaxis,
        plots.seconds_and_score([0.1, 0.2, 0.3], values, "abc", **loss).layout.yaxis,
        curve.layout.yaxis,
    ]
    assert all(axis.type == "log" for axis in figures)
    drawn = curve.to_dict()["data"]
    bands = [decoded(t["y"]) for t in drawn if t.get("fill") == "toself"]
    assert min(band.min() for band in bands) > 0, "nothing below zero on such an axis"
    plain = plots.score_intervals("ab", values[:2], **loss).layout.xaxis
    assert plain.type is None
    assert plots.score_intervals("ab", [(0.9, 0.8, 1), (0.001, 0, 1)]).layout.xaxis.type is None
    signed = [(0.9, 0.8, 1.0), (-0.1, -0.2, 0.0)]
    assert (
        plots.score_intervals("ab", signed, score="MCC", as_percent=False).layout.xaxis.type is None
    )
