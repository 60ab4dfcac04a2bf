"""Images of features in any unit that floating point has, and how much travels for them."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

import lincore
from lincore import DataError, inspection, plots
from lincore.checks import assumption_inputs, assumptions
from lincore.data import Dataset
from lincore.data import split as split_rows
from lincore.model_selection import Steps
from lincore.plots.plane import with_ellipses

WORDS = ["lda", "qda", "naive-bayes", "logistic(C=1.0)", "least-squares", "one-vs-rest"]
UNITS = {
    "1e-300": (1e-300, 1e-300),
    "1e-160": (1e-160, 1e-160),
    "1e-40": (1e-40, 1e-40),
    "1e40": (1e40, 1e40),
    "1e150": (1e150, 1e150),
    "one 1e-300": (1e-300, 1.0),
    "one 1e150": (1.0, 1e150),
    "both": (1e-300, 1e150),
}


def flowers(units, n_features=2):
    X, codes = load_iris(return_X_y=True)
    scale = np.resize(units, n_features)
    names = ("u", "v", "w", "x")[:n_features]
    return Dataset("flowers", X[:, :n_features] * scale, codes, np.array(list("abc")), names)


def fitted_view(data, word, *, axes=(0, 1), standardize=False, rows=None):
    split = split_rows(data, "stratified", test_size=0.3)
    steps = Steps(standardize=standardize)
    fitted = lincore.fit(data, word, split, steps=steps).pipeline
    return inspection.model_view(fitted, data, split.test if rows is None else rows, axes)


def figures_of(view):
    yield plots.boundary(view)
    for quantity in view.quantities:
        yield plots.contour(view, quantity=quantity)
        yield plots.surface(view, quantity=quantity)
        if quantity != "score":
            yield plots.contour(view, quantity=quantity, focus=1)
    if len(view.axis_names) == 2:
        yield with_ellipses(plots.contour(view), view)
        if view.ambiguous is not None:
            yield plots.ambiguity(view)


FEW = [
    ("qda", "1e-160", (0, 1)),
    ("logistic(C=1.0)", "one 1e150", (0, 1)),
    ("one-vs-rest", "1e-40", (0, 1)),
    ("naive-bayes", "1e150", (1,)),
]


@pytest.mark.filterwarnings("ignore:Coefficient 0")
@pytest.mark.parametrize(
    ("word", "units", "axes"),
    [
        pytest.param(*case, marks=[] if case in FEW else pytest.mark.long)
        for case in itertools.product(WORDS, UNITS, [(0, 1), (1,)])
    ],
)
def test_every_plot_survives_every_unit_or_the_data_are_refused(word, units, axes):
    data = flowers(UNITS[units])
    try:
        view = fitted_view(data, word, axes=axes)
    except (DataError, ValueError) as error:
        assert any(said in str(error) for said in ("square", "varies", "overflow")), error
        return
    assert 1e-15 <= np.abs(view.points).max() <= 1e15
    for figure in figures_of(view):
        json.loads(figure.to_json(), parse_constant=pytest.fail)
        for trace in figure.data:
            heights = trace.z if trace.type in ("contour", "surface") else ()
            assert np.isfinite(np.asarray(heights, float)).all()
        width = np.ptp(np.array(figure.layout.xaxis.range or (0, 1), float))
        assert 1e-16 < width < 1e16


@pytest.mark.parametrize("word", ["qda", "logistic(C=1.0)"])
def test_a_view_in_another_unit_is_the_same_view(word):
    plain, large = (fitted_view(flowers((u, u)), word, standardize=True) for u in (1.0, 1e40))
    np.testing.assert_allclose(large.points, plain.points, rtol=1e-12)
    assert large.axis_names == ("u (× 1e40)", "v (× 1e40)")
    np.testing.assert_array_equal(large.predicted, plain.predicted)
    np.testing.assert_allclose(
        large.log_posterior(large.points), plain.log_posterior(plain.points), atol=1e-6
    )
    if plain.densities is not None:
        np.testing.assert_allclose(
            large.log_joint(large.points), plain.log_joint(plain.points), atol=1e-6
        )


def test_units_are_changed_only_where_they_must_be():
    for points, names in (
        ([[1e15, -1e-15], [2.0, 0.0]], ["a", "b"]),
        ([[2e150, 5e-301], [-9e151, 1e-320]], ["a (× 1e151)", "b (× 1e-301)"]),
    ):
        axes = plots.scatter(points, [0, 1], ["u", "v"], ["a", "b"], title="t").layout
        assert [axes.xaxis.title.text, axes.yaxis.title.text] == names


@pytest.mark.parametrize("units", [UNITS["1e150"], UNITS["both"]])
def test_rows_are_drawn_in_any_unit(units):
    data = flowers(units, 4)
    flat = plots.scatter(data.X[:, :2], data.codes, data.classes, "uv", title="t", ellipses=True)
    deep = plots.scatter_3d(data.X[:, :3], data.codes, data.classes, "uvw", title="t")
    for figure in (flat, deep):
        first = json.loads(figure.to_json())["data"][0]
        assert first["x"]["dtype"] == "f4"
        assert np.abs(np.asarray(figure.data[0].x)).max() > 1e-16
    bars = plots.coefficients(["u", "v"], units)
    lengths = np.sort(np.asarray(bars.data[0].x, float))
    # Beside a long bar nothing is seen of a short one.
    np.testing.assert_allclose(lengths, np.sort(units), rtol=1e-7, atol=1e-5 * max(units))


def test_each_check_stands_for_itself():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    whole = assumptions(X, codes, ["a", "b"])
    part = assumptions(X * [1e-300, 1.0], codes, ["a", "b"])
    assert [check.name for check in part] == [check.name for check in whole]
    refused = [check for check in part if check.sentence.startswith("Not checked.")]
    assert 0 < len(refused) < 5
    assert all(check.verdict == "note" and "1e-140" in check.sentence for check in refused)
    assert part[0] == whole[0]


@pytest.mark.filterwarnings("ignore:Coefficient 0")
def test_what_is_checked_behind_a_pipeline_is_told_one_by_one():
    data = flowers((1e-300, 1.0))
    split = split_rows(data, "stratified", test_size=0.3)
    fitted = lincore.fit(data, "lda", split, steps=Steps(standardize=False)).pipeline
    assert len(assumptions(*assumption_inputs(fitted, data, split.train))) == 5


@pytest.mark.parametrize(
    "n_classes", [3, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 10, 40))]
)
def test_a_contour_over_many_rows_travels_in_200_kb(n_classes):
    rng = np.random.default_rng(0)
    codes = np.arange(24_000) % n_classes
    X = 3 * rng.normal(size=(n_classes, 2))[codes] + rng.normal(size=(24_000, 2))
    labels = np.array([f"a rather long class name {k:02d}" for k in range(n_classes)])
    data = Dataset("many", X, codes, labels, ("u", "v"))
    for word in ("lda", "one-vs-rest"):
        view = fitted_view(data, word, rows=np.arange(20_000))
        for quantity in view.quantities:
            for focus in (None, 0) if quantity != "score" else (None,):
                figure = plots.contour(view, quantity=quantity, focus=focus)
                assert len(figure.to_json()) < 200_000
                assert "of 20,000 rows" in figure.layout.meta["subtitle"]
