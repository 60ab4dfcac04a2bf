"""Figures of any model in a plane: shades, roofs, ambiguity, small multiples, shared frames."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline

from lincore import (
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsOne,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    plots,
)
from lincore.data import Dataset
from lincore.inspection import feature_plane, make_view
from lincore.plots.base import colour
from lincore.plots.plane import AxisLimits, Map, trace_lines
from lincore.utils import captured_warnings
from tests.lincore.plots.plane.test_views import drawn_boundary

NASTY = '<img src=x onerror=alert(1)> & "q" %{x}'


def fitted_view(model, n_classes=3, n=120, *, seed=0, p=3, axes=(0, 1), labels=None):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    X = 2.5 * rng.normal(size=(n_classes, p))[codes] + rng.normal(size=(n, p))
    classes = np.array(labels or [f"class {k}" for k in range(n_classes)])
    names = tuple(labels or ("length (cm)", "width (cm)", "height (cm)"))[:p]
    data = Dataset("made", X, codes, classes, names)
    pipeline = Pipeline([("classify", model)]).fit(X, codes)
    rows = np.arange(n)
    return make_view(pipeline, data, rows, feature_plane(data, axes, rows))


def decoded(spec) -> np.ndarray:
    values = np.frombuffer(base64.b64decode(spec["bdata"]), dtype=spec["dtype"])
    shape = spec.get("shape")
    return values.reshape([int(n) for n in shape.split(",")]) if shape else values


def traces(figure, kind: str) -> list[dict]:
    return [trace for trace in figure.to_dict()["data"] if trace["type"] == kind]


MODELS = [
    FisherDiscriminant(),
    LeastSquaresClassifier(),
    LogisticRegression(C=1.0),
    QuadraticDiscriminantAnalysis(),
    OneVsRest(LinearDiscriminantAnalysis()),
    RandomForestClassifier(5, random_state=0),
]


@pytest.mark.parametrize(
    ("model", "axes"),
    [*((model, (0, 1)) for model in MODELS[2:5]), (MODELS[0], (2,)), (MODELS[5], (2,))],
)
def test_every_quantity_of_every_model_is_drawn_lightly(model, axes):
    view = fitted_view(model, axes=axes)
    for quantity in view.quantities:
        figure = plots.contour(view, quantity=quantity)
        assert len(figure.__class__(traces(figure, "contour")).to_json()) < 200_000
        assert "the rest held fixed" in figure.layout.meta["subtitle"]
    for figure in (plots.boundary(view), plots.surface(view)):
        assert "120 rows" in figure.layout.meta["alt"]
    for quantity in {"posterior", "density", "score"} - set(view.quantities):
        with pytest.raises(ValueError, match="it has"):
            plots.contour(view, quantity=quantity)


def test_the_lead_in_score_is_shaded_where_there_is_no_posterior():
    view = fitted_view(LeastSquaresClassifier(), p=2)
    figure = plots.contour(view)
    assert figure.layout.meta["title"] == "Margin between the two highest scores"
    for layer in traces(figure, "contour"):
        code = int(layer["legendgroup"])
        x, y, z = (decoded(layer[name]) for name in "xyz")
        grid = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))]).astype(float)
        scores = np.sort(view.scores(grid), axis=1)
        lead = (scores[:, -1] - scores[:, -2]).reshape(z.shape)
        wins = (view.scores(grid).argmax(axis=1) == code).reshape(z.shape)
        assert np.all(z[~wins] <= 1e-3)
        assert np.isclose(z[wins], lead[wins], atol=2e-3 * lead.max()).mean() > 0.9


@pytest.mark.parametrize("model", MODELS[:3], ids=lambda model: type(model).__name__)
def test_boundaries_of_scores_are_where_two_are_level(model):
    view = fitted_view(model)
    line = trace_lines(Map.whole(view, AxisLimits.of(view)))
    best = np.sort(view.scores(line[~np.isnan(line[:, 0])]), axis=1)
    assert np.mean(best[:, -1] - best[:, -2] < 1e-6 * np.abs(best).max()) > 0.9


def test_a_roof_has_the_winners_posterior_and_colour():
    view = fitted_view(LogisticRegression(C=1.0))
    figure = plots.surface(view)
    (sheet,) = traces(figure, "surface")
    x, y, z = (decoded(sheet[name]).astype(float) for name in "xyz")
    grid = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))])
    posterior = np.exp(view.log_posterior(grid))
    np.testing.assert_allclose(z.ravel(), posterior.max(axis=1), atol=1e-6)
    np.testing.assert_array_equal(decoded(sheet["surfacecolor"]).ravel(), posterior.argmax(axis=1))
    assert {band[1] for band in sheet["colorscale"]} == {colour(k) for k in range(3)}
    assert len(figure.to_json()) < 250_000


@pytest.mark.parametrize("kind", [OneVsRest, OneVsOne])
def test_ambiguity_of_lines_is_drawn_as_polygons_in_the_shades_of_the_legend(kind):
    base = (
        Perceptron(max_epochs=3, random_state=0) if kind is OneVsOne else LeastSquaresClassifier()
    )
    with captured_warnings():
        view = fitted_view(kind(base), p=2, seed=4)
    figure = plots.ambiguity(view)
    assert not traces(figure, "heatmap") and not traces(figure, "contour")
    shades = [t["fillcolor"] for t in traces(figure, "scatter") if t.get("fill") == "toself"]
    keys = [t for t in traces(figure, "scatter") if "%)" in t.get("name", "")]
    assert keys and {key["marker"]["color"] for key in keys} == set(shades[3:])
    limits = AxisLimits.of(view)
    grid = np.random.default_rng(0).uniform(limits.low, limits.high, (20_000, 2))
    for code, word in ((1, "by no class"), (2, "by several"), (3, "tied")):
        seen = float(np.mean(view.ambiguous.ambiguity(grid) == code))
        drawn = [key["name"] for key in keys if word in key["name"]]
        share = float(drawn[0].split("(")[1].rstrip("\u00a0 %)")) / 100 if drawn else 0.0
        assert share == pytest.approx(seen, abs=0.015)
    n_rows = np.count_nonzero(view.ambiguous.ambiguity(view.points))
    assert f"{n_rows} of the 120 rows lie there" in figure.layout.meta["alt"]
    (lines,) = [t for t in traces(figure, "scatter") if "binary models" in t.get("name", "")]
    ends = np.column_stack([decoded(lines["x"]), decoded(lines["y"])])
    margins = np.abs(view.half_planes.margins(ends[~np.isnan(ends[:, 0])]))
    assert np.all(margins.min(axis=1) < 1e-5 * margins.max())


def test_the_boundary_of_votes_is_straight():
    with captured_warnings():
        view = fitted_view(OneVsOne(Perceptron(max_epochs=3, random_state=0)), p=2, seed=4)
    line = drawn_boundary(view)
    assert len(line) < 60  # not a staircase of a grid
    middle = line[:-1] + 0.37 * np.diff(line, axis=0)
    middle = middle[~np.isnan(middle[:, 0])]
    aside = 1e-5 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    sides = np.array([view.scores(middle + step).argmax(axis=1) for step in aside])
    assert np.all((sides != sides[0]).any(axis=0))


def test_ambiguity_of_other_models_is_that_of_a_grid():
    view = fitted_view(OneVsRest(QuadraticDiscriminantAnalysis()), p=2)
    figure = plots.ambiguity(view)
    (shade,) = traces(figure, "heatmap")
    codes, x, y = decoded(shade["z"]), decoded(shade["x"]), decoded(shade["y"])
    grid = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))]).astype(float)
    said = view.ambiguous.ambiguity(grid).reshape(codes.shape)
    assert shade["z"]["dtype"] == "u1" and np.mean(said == codes) > 0.999


def test_ambiguity_is_of_binary_models_alone():
    with pytest.raises(ValueError, match="one-versus-rest"):
        plots.ambiguity(fitted_view(LinearDiscriminantAnalysis()))


def test_a_frame_gives_two_figures_the_same_ranges_and_scale():
    left = fitted_view(QuadraticDiscriminantAnalysis(), seed=1)
    right = replace(left, points=left.points * 1.5, densities=left.densities._replace(
        means=left.densities.means * 1.5), priors=np.array([0.8, 0.1, 0.1]),
        log_weights=np.log([0.8, 0.1, 0.1]))  # fmt: skip
    frame = plots.SharedAxes.of(left, right)
    for draw in (plots.contour, plots.boundary):
        one, other = draw(left, shared=frame), draw(right, shared=frame)
        assert one.layout.xaxis.range == other.layout.xaxis.range
        assert one.layout.yaxis.range == other.layout.yaxis.range
        assert draw(left).layout.xaxis.range != one.layout.xaxis.range
    one, other = (
        plots.contour(view, quantity="density", focus=0, shared=frame) for view in (left, right)
    )
    tops = [traces(figure, "contour")[0]["contours"]["end"] for figure in (one, other)]
    assert tops[0] == tops[1]
    scenes = [plots.surface(view, shared=frame).layout.scene for view in (left, right)]
    assert scenes[0] == scenes[1]


def test_small_multiples_share_axes_and_name_the_errors():
    views = [fitted_view(model) for model in MODELS]
    names = [NASTY, "<b>b</b>", "c", "d", "e", "a very long name of a method"]
    figure = plots.small_multiples(views, names)
    assert len([key for key in figure.to_dict()["layout"] if key.startswith("xaxis")]) == 6
    assert figure.layout.xaxis4.matches == "x" and figure.layout.yaxis6.matches == "y"
    lines = [trace for trace in figure.data if trace.name == "decision boundary"]
    assert len(lines) == 6 and len({line.xaxis for line in lines}) == 6
    shown = [trace for trace in figure.data if trace.showlegend and trace.name]
    assert [trace.name for trace in shown] == [f"class {k} (40)" for k in range(3)]
    for view, note in zip(views, figure.layout.annotations, strict=True):
        assert f"{100 * np.mean(view.predicted != view.codes):.1f} % misclassified" in note.text
    assert "<img" not in json.dumps(figure.to_dict()["layout"]["annotations"])
    assert len(figure.to_json()) < 400_000
    with pytest.raises(ValueError, match="two coordinates"):
        plots.small_multiples([], [])


def test_levels_stand_at_their_codes_with_their_rows_around():
    view = fitted_view(LogisticRegression(C=1.0))
    codes = np.column_stack([np.arange(120) % 2, view.points[:, 1]])
    view = replace(view, points=codes, levels=(("<b>no</b>", "yes"), None))
    figure = plots.contour(view)
    axis = figure.layout.xaxis
    assert axis.tickvals == (0, 1) and axis.ticktext == ("&lt;b&gt;no&lt;/b&gt;", "yes")
    assert axis.range == (-0.5, 1.5)
    shown = [t for t in traces(figure, "scatter") if t.get("customdata")]
    x = np.concatenate([decoded(t["x"]) for t in shown])
    rows = np.concatenate([decoded(t["customdata"]) for t in shown])
    np.testing.assert_array_equal(np.rint(x), rows % 2)
    assert len(np.unique(x)) == 120
