"""Figures of a view hold what the view holds, say what it says, and travel light."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore import plots
from lincore.inspection import View
from lincore.linalg import Gaussians
from lincore.plots.base import colour
from lincore.plots.plane import AxisLimits, Map, trace_lines, with_ellipses

SHIFTS = st.sampled_from([0.0, -1e6, 1e6])
NASTY = '<img src=x onerror=alert(1)> & "q" %{x}'


def make_view(
    n_classes=3, n=90, *, seed=0, shift=0.0, d=2, scales=1.0, labels=None, axis_names=None
) -> View:
    """Return Gaussian classes around means on a disk, and rows drawn from them."""
    rng = np.random.default_rng(seed)
    means = shift + 3 * rng.normal(size=(n_classes, d))
    scales = np.broadcast_to(scales, n_classes)
    codes = np.arange(n) % n_classes
    points = means[codes] + scales[codes, None] * rng.normal(size=(n, d))
    densities = Gaussians.from_covariances(means, [s**2 * np.eye(d) for s in scales])
    priors = np.full(n_classes, 1 / n_classes)
    classes = np.array([f"class {k}" for k in range(n_classes)] if labels is None else labels)
    names = axis_names or ("length (cm)", "width (cm)")[:d]
    draft = View(names, points, codes, codes, np.arange(n) + 7, classes, densities, priors, "")
    return replace(draft, predicted=draft.log_joint(points).argmax(axis=1))


def decoded(spec: dict[str, str]) -> np.ndarray:
    """Return the array that travels, of shape as sent."""
    values = np.frombuffer(base64.b64decode(spec["bdata"]), dtype=spec["dtype"])
    shape = spec.get("shape")
    return values.reshape([int(n) for n in shape.split(",")]) if shape else values


def drawn_boundary(view: View) -> np.ndarray:
    """Return the lines of a boundary as they are drawn, (m, 2)."""
    (line,) = (one for one in plots.boundary(view).data if one.name == "decision boundary")
    return np.column_stack([line.x, line.y]).astype(float)


def traces(figure, kind: str) -> list[dict]:
    return [trace for trace in figure.to_dict()["data"] if trace["type"] == kind]


def all_figures(view: View) -> list:
    both = [plots.contour(view, quantity=q, focus=f) for q in ("posterior", "density")
            for f in (None, 0)]  # fmt: skip
    scatter = plots.scatter(
        view.points, view.codes, view.classes, view.axis_names, title="Rows",
        rows=view.rows, predicted=view.predicted,
    )  # fmt: skip
    return [*both, plots.surface(view), plots.boundary(view), scatter]


@pytest.mark.parametrize(("quantity", "focus"), [("posterior", 0), ("density", 2)])
@given(seed=st.integers(0, 20), shift=SHIFTS)
@settings(max_examples=4)
def test_focused_contour_holds_the_view(quantity, focus, seed, shift):
    view = make_view(seed=seed, shift=shift)
    (trace,) = traces(plots.contour(view, quantity=quantity, focus=focus), "contour")
    x, y, z = (decoded(trace[name]) for name in "xyz")
    assert trace["z"]["dtype"] == "f4"
    grid = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))]).astype(float)
    log = view.log_posterior if quantity == "posterior" else view.log_joint
    expected = np.exp(log(grid)[:, focus]).reshape(z.shape)
    # Half a unit of the twelfth binary digit, and the rounding of the places.
    np.testing.assert_allclose(z, expected, atol=3e-4 * expected.max() + 1e-6 * expected.max())


@given(n_classes=st.integers(2, 6), seed=st.integers(0, 20))
@settings(max_examples=4)
def test_layers_show_the_posterior_of_the_winner_and_nothing_elsewhere(n_classes, seed):
    view = make_view(n_classes, seed=seed)
    layers = traces(plots.contour(view), "contour")
    floor = np.floor(10 / n_classes) / 10  # no predicted class falls below it
    winners = {colour(k) for k in np.unique(view.log_joint(view.points).argmax(axis=1))}
    assert len(layers) >= len(winners)
    for layer in layers:
        code = int(layer["legendgroup"])
        x, y, z = (decoded(layer[name]) for name in "xyz")
        grid = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))]).astype(float)
        posterior = np.exp(view.log_posterior(grid)).reshape(*z.shape, -1)
        wins = posterior.argmax(axis=2) == code
        assert np.all(z[~wins] <= floor + 1e-3)
        assert np.all(z[wins] >= floor - 1e-3)
        # Away from the edge of the region the values are those of the view.
        inner = wins.copy()
        for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1), (2, 0), (-2, 0), (2, 1), (-2, 1)):
            inner &= np.roll(wins, shift, axis)
        close = np.isclose(z[inner], posterior[..., code][inner], atol=1e-3)
        assert close.mean() > 0.99  # but for some nodes where three regions meet


@given(n_classes=st.integers(2, 5), seed=st.integers(0, 50))
@settings(max_examples=5)
def test_boundary_lines_lie_where_two_classes_are_level(n_classes, seed):
    view = make_view(n_classes, seed=seed)
    line = trace_lines(Map.whole(view, AxisLimits.of(view)))
    line = line[~np.isnan(line[:, 0])]
    best = np.sort(view.log_posterior(line), axis=1)
    # With equal spherical covariances the margin is linear: on the line it is zero, but where
    # three classes meet within a cell.
    level = best[:, -1] - best[:, -2]
    assert np.mean(level < 1e-6) > 0.9 or len(line) < 30
    assert np.all(level < 1.5)


def test_boundary_between_two_classes_is_one_straight_line():
    densities = Gaussians.from_covariances([[-1.0, 0.0], [1.0, 0.0]], [np.eye(2)] * 2)
    view = replace(make_view(2), densities=densities)
    line = trace_lines(Map.whole(view, AxisLimits.of(view)))
    assert not np.isnan(line).any()
    np.testing.assert_allclose(line[:, 0], 0, atol=1e-9)


def test_points_carry_rows_classes_and_findings():
    view = make_view(n=60)
    wrong = int((view.predicted != view.codes).sum())
    assert wrong
    for figure in (plots.contour(view), plots.boundary(view)):
        shown = [t for t in traces(figure, "scatter") if t.get("customdata")]
        assert [t["name"] for t in shown] == [f"class {k} (20)" for k in range(3)]
        for code, trace in enumerate(shown):
            chosen = view.codes == code
            np.testing.assert_array_equal(decoded(trace["customdata"]), view.rows[chosen])
            assert trace["x"]["dtype"] == "f4"
            np.testing.assert_allclose(decoded(trace["x"]), view.points[chosen, 0], rtol=1e-6)
        (rings,) = [
            t for t in traces(figure, "scatter") if t.get("name") == f"misclassified ({wrong})"
        ]
        np.testing.assert_allclose(
            decoded(rings["y"]), view.points[view.predicted != view.codes, 1], rtol=1e-6
        )
        assert f"{wrong} of 60 rows" in figure.layout.meta["alt"]
        assert f"{wrong} of 60 rows" in figure.layout.meta["subtitle"]


def test_hills_stand_on_the_view():
    view = make_view(scales=[1.0, 0.001, 1.0])
    figure = plots.surface(view)
    assert figure.layout.scene.zaxis.title.text == "prior × density"
    surfaces = traces(figure, "surface")
    assert len(surfaces) == 3
    for code, surface in enumerate(surfaces):
        peak = np.exp(view.log_joint(view.densities.means[[code]]))[0, code]
        assert decoded(surface["z"]).max() == pytest.approx(peak, rel=1e-5)
        assert decoded(surface["z"]).min() >= 0.01 * peak
    # The narrow class is a million times as high.
    assert figure.layout.scene.zaxis.type == "log"
    assert "class 1" in figure.layout.meta["alt"].split("highest is ")[1]


def test_an_unknown_camera_is_refused():
    with pytest.raises(ValueError, match="oblique"):
        plots.surface(make_view(), camera="below")


@pytest.mark.parametrize("d", [1, 2])
def test_user_text_is_escaped_everywhere(d):
    view = make_view(labels=[NASTY, "<b>x</b>", "a\nb"], d=d, axis_names=(NASTY, "<i>w</i>")[:d])
    for figure in all_figures(view):
        spec = figure.to_dict()
        alt = spec["layout"].pop("meta")["alt"]
        text = json.dumps(spec)
        assert "<img" not in text and "<i>" not in text and "<b>x" not in text
        assert '"%{x}' not in text and " %{x}" not in text.replace(": %{x:", "")
        assert NASTY in alt


def test_figures_of_forty_classes_with_long_names_travel_in_200_kB():
    view = make_view(40, n=4_000, seed=1)
    labels = [f"a class with a rather long name, {k}" for k in range(40)]
    view = replace(view, classes=np.array(labels))
    for figure in (plots.contour(view), with_ellipses(plots.contour(view), view),
                   plots.contour(view, quantity="density"), plots.boundary(view),
                   plots.surface(view), plots.surface(view, quantity="posterior")):  # fmt: skip
        assert len(figure.to_json()) < 200_000


def test_long_names_that_begin_alike_differ_in_every_legend():
    view = make_view(4)
    view = replace(
        view, classes=np.array([f"a class with a rather long name, {k}" for k in "abcd"])
    )
    for figure in (plots.contour(view), plots.surface(view)):
        said = [trace["name"] for kind in ("scatter", "scatter3d")
                for trace in traces(figure, kind) if trace.get("customdata")]  # fmt: skip
        assert len(said) == len(set(said)) == 4
    assert plots.surface(view).layout.meta["subtitle"].count("a class with a rather l…") == 0


def test_drawn_lines_leave_out_only_what_nobody_sees():
    view = make_view(4)
    means = 2.0 * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    spreads = [np.diag([1.0, 2.0]), np.eye(2), 0.3 * np.eye(2), np.diag([3.0, 0.5])]
    view = replace(view, densities=Gaussians.from_covariances(means, spreads))
    limits = AxisLimits.of(view)
    whole, drawn = trace_lines(Map.whole(view, limits)), drawn_boundary(view)
    assert len(drawn) < 0.4 * len(whole)
    assert np.count_nonzero(np.isnan(drawn[:, 0])) == np.count_nonzero(np.isnan(whole[:, 0]))
    cell = (limits.high - limits.low) / 160
    start, way = (drawn / cell)[:-1], np.diff(drawn / cell, axis=0)
    for point in (whole / cell)[~np.isnan(whole[:, 0])]:
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip(((point - start) * way).sum(axis=1) / (way**2).sum(axis=1), 0, 1)
        away = np.linalg.norm(point - start - share[:, None] * way, axis=1)
        assert np.nanmin(away) < 0.051


@pytest.mark.parametrize("quantity", ["posterior", "density"])
def test_one_coordinate_gives_curves(quantity):
    view = make_view(d=1)
    figure = plots.contour(view, quantity=quantity)
    for code, trace in enumerate(traces(figure, "scatter")[:3]):
        x = decoded(trace["x"]).astype(float)
        log = view.log_posterior if quantity == "posterior" else view.log_joint
        np.testing.assert_allclose(decoded(trace["y"]), np.exp(log(x[:, None])[:, code]), atol=1e-5)
    line = {shape.x0 for shape in figure.layout.shapes}
    level = np.sort(view.log_posterior(np.array(sorted(line))[:, None]), axis=1)
    np.testing.assert_allclose(level[:, -1], level[:, -2], atol=1e-9)
    assert figure == plots.contour(view, quantity=quantity)


def test_a_far_outlier_is_counted_and_not_shown():
    view = make_view()
    points = view.points.copy()
    points[4] = [1e5, -1e5]
    figure = plots.contour(replace(view, points=points))
    assert "1 point lies outside" in figure.layout.meta["subtitle"]
    assert figure.layout.xaxis.range[1] < 100
    assert figure.layout.xaxis.range == plots.boundary(replace(view, points=points)).layout.xaxis.range  # noqa: E501  # fmt: skip


def test_a_class_without_rows_and_a_coordinate_without_variance():
    view = make_view(3)
    means = view.densities.means.copy()
    means[2] = np.nan
    empty = replace(
        view,
        points=view.points * [1, 0],
        codes=np.zeros_like(view.codes),
        densities=view.densities._replace(means=means),
        priors=np.array([0.5, 0.5, 0.0]),
    )
    for figure in all_figures(empty):
        assert "class 2 (0)" in figure.layout.meta["alt"]
        assert "nan" not in json.dumps(figure.to_dict()["layout"]).lower()


def test_a_view_without_rows_shows_its_classes():
    view = make_view()
    nothing = {name: getattr(view, name)[:0] for name in ("points", "codes", "predicted", "rows")}
    for figure in all_figures(replace(view, **nothing)):
        assert "0 rows" in figure.layout.meta["alt"]


def test_many_classes_are_shown_as_correct_and_misclassified():
    view = make_view(13, n=260, seed=3)
    wrong = int(np.count_nonzero(view.predicted != view.codes))
    several = plots.small_multiples([view, view], ["one", "other"])
    for figure in (plots.contour(view), plots.boundary(view), several):
        points = [one for one in traces(figure, "scatter") if one.get("customdata")][:2]
        assert [one["name"] for one in points] == ["correct", "misclassified"]
        rows = np.concatenate([decoded(one["customdata"]) for one in points])
        np.testing.assert_array_equal(rows[-wrong:], view.rows[view.predicted != view.codes])
        assert len({one["marker"]["color"] for one in points}) == 2
    assert f"{wrong} of 260 rows" in plots.contour(view).layout.meta["subtitle"]


def test_few_training_rows_lie_behind_the_test_rows():
    view, training = make_view(), make_view(n=60, seed=5)
    for draw in (plots.contour, plots.boundary):
        found = traces(draw(view, training=training), "scatter")
        names = [one.get("name") for one in found]
        faint = found[names.index("training rows (60)") - 1]
        np.testing.assert_allclose(decoded(faint["x"]), training.points[:, 0], rtol=1e-6)
        assert names.index("training rows (60)") < names.index("class 0 (30)")
        assert not any("training" in (one.name or "") for one in draw(view).data)
        many = draw(view, training=make_view(n=2_001))
        assert not any("training" in (one.name or "") for one in many.data)


@pytest.mark.parametrize("quantity", ["density", "posterior"])
def test_rows_stand_on_the_surface(quantity):
    view = make_view(n=30)
    figure = plots.surface(view, quantity=quantity)
    low, high = (np.array(end) for end in zip(*AxisLimits.of(view).ranges, strict=True))
    for code in range(3):
        name = f"class {code} (10)"
        (rows,) = (one for one in traces(figure, "scatter3d") if one.get("name") == name)
        places = np.column_stack([decoded(rows["x"]), decoded(rows["y"])]).astype(float)
        own = view.log_joint(places)[:, code]
        other = view.log_posterior(places).max(axis=1)
        expected = np.exp(own if quantity == "density" else other)
        assert ((places >= low) & (places <= high)).all()
        np.testing.assert_allclose(decoded(rows["z"]), expected, rtol=1e-4)


def test_the_surface_rings_the_rows_that_the_contour_rings():
    view = make_view(n=30)
    wrong = view.predicted != view.codes
    assert wrong.any()
    name = f"misclassified ({np.count_nonzero(wrong)})"
    for draw, kind in ((plots.contour, "scatter"), (plots.surface, "scatter3d")):
        (rings,) = (one for one in traces(draw(view), kind) if one.get("name") == name)
        np.testing.assert_allclose(decoded(rings["x"]), view.points[wrong, 0], rtol=1e-6)


def test_plots_of_images_call_their_rows_images():
    view = replace(make_view(d=2), noun="images")
    line = replace(make_view(d=1), noun="images")
    common = {"title": "Images", "rows": view.rows, "noun": "images"}
    points = np.column_stack([view.points, view.points[:, 0]])
    figures = [
        plots.contour(view),
        plots.contour(view, training=view),
        plots.contour(line),
        plots.surface(view),
        plots.surface(view, quantity="posterior"),
        plots.boundary(view),
        plots.direction_histogram(line, counts=True),
        plots.small_multiples([view, view], ["LDA", "QDA"]),
        plots.scatter(view.points, view.codes, view.classes, view.axis_names, **common),
        plots.scatter_3d(points, view.codes, view.classes, (*view.axis_names, "height"), **common),
    ]
    for figure in figures:
        text = json.dumps(figure.to_dict(), default=str)
        assert "image" in text
        assert not re.search(r"\b[Rr]ows?\b", text)
