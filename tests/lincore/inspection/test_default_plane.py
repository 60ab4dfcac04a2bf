"""The plane that a model is drawn in unless another is chosen: of the full model, and named."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import plots
from lincore.inspection import (
    classifier_input_names,
    default_plane,
    default_plane_kind,
    discriminant_plane,
    leading_coordinates,
    leading_features,
    make_view,
    model_view,
)
from lincore.model_selection import Steps, as_method, pipeline_for
from lincore.plots.plane import Marks

PLAIN = Steps()


def two_classes(n_features: int, n_rows: int = 120, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, n_features)) * np.linspace(1, 4, n_features)
    X[:, 0] += 2 * y
    return lincore.load((X, y), name="two")


def mixed(n_rows: int = 80):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n_rows)
    lines = [
        f"{['red', 'blue', 'green'][(k + rng.integers(0, 2)) % 3]},{k + rng.normal():.3f},"
        f"{rng.normal():.3f},{'ab'[k]}"
        for k in y
    ]
    table = "colour,signal,noise,kind\n" + "\n".join(lines)
    return lincore.load(table.encode(), name="mixed.csv")


def fitted(data, line, steps=PLAIN):
    pipeline = pipeline_for(data, as_method(line).estimator, steps)
    return pipeline.fit(data.X, data.codes)


def drawn(data, line, steps=PLAIN):
    pipeline, rows = fitted(data, line, steps), np.arange(data.n_rows)
    return make_view(pipeline, data, rows, default_plane(pipeline, data, rows))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("line", "n_features"),
    [("lda", 3), ("logistic", 40), ("least-squares", 200), ("perceptron", 40), ("fisher", 3)],
)
def test_two_classes_of_a_linear_model_are_drawn_just_as_it_decides(line, n_features):
    view = drawn(two_classes(n_features), line)
    assert view.axis_names == ("Discriminant", "Within-class axis")
    assert view.n_faithful == len(view.points)
    assert view.fidelity == "The regions show all 120 predictions correctly."


@pytest.mark.parametrize("n_features", [5, 200])
def test_the_second_axis_is_uncorrelated_with_the_first_within_the_classes(n_features):
    data = two_classes(n_features)
    rows = np.arange(data.n_rows)
    pipeline = fitted(data, "lda")
    plane = discriminant_plane(pipeline, data, rows)
    points = plane.drop(pipeline[:-1].transform(data.X))
    for code in range(2):
        points[data.codes == code] -= points[data.codes == code].mean(axis=0)
    within = points.T @ points / (data.n_rows - 2)
    if n_features < data.n_rows:  # beyond, nothing varies within classes along the first axis
        np.testing.assert_allclose(within, np.eye(2), atol=1e-6)
    np.testing.assert_allclose(within[0, 1], 0, atol=1e-6)


def test_of_what_is_uncorrelated_the_second_axis_varies_most():
    data = two_classes(4)
    rows = np.arange(data.n_rows)
    plane = discriminant_plane(fitted(data, "lda", Steps(False)), data, rows)
    assert np.abs(plane.steps[1]).argmax() == 3


def test_one_axis_is_drawn_where_one_is_wanted():
    data = two_classes(4)
    plane = discriminant_plane(fitted(data, "fisher"), data, np.arange(data.n_rows), n_axes=1)
    assert plane.axis_names == ("Discriminant",) and plane.steps.shape == (1, 4)


def test_rows_whose_prediction_depends_on_more_than_the_plane_are_counted():
    data = lincore.sample("digits")
    view = drawn(data, "lda")
    own = (view.scores(view.points).argmax(axis=1) == view.predicted).sum()
    assert 0 < view.n_faithful == own < data.n_rows
    assert f"{own:,} of 1,797 predictions" in view.fidelity


def test_three_classes_are_drawn_in_the_plane_of_their_means():
    view = drawn(lincore.sample("wine"), "lda")
    assert view.axis_names == ("Discriminant 1", "Discriminant 2")
    assert view.n_faithful == 178


@pytest.mark.parametrize(
    ("name", "steps", "kind"),
    [
        ("wine", Steps(), "discriminant"),
        ("wine", Steps(n_components=2), "coordinates"),
        ("iris", Steps(basis="polynomial"), "features"),
        ("gaussian", Steps(), "features"),
    ],
)
def test_the_plane_is_of_the_kind_that_shows_most(name, steps, kind):
    data = lincore.sample(name)
    assert default_plane_kind(fitted(data, "lda", steps), data) == kind


@pytest.mark.parametrize(
    ("line", "steps"), [("qda(regularization=0.1)", Steps()), ("lda", Steps(n_components=2))]
)
def test_two_features_are_never_two_levels_of_a_category(line, steps):
    data = mixed()
    features = leading_features(fitted(data, line, steps), data, np.arange(data.n_rows))
    assert [data.feature_names[i] for i in features] == ["signal", "noise"]


def test_equal_means_leave_the_two_leading_features():
    X = np.array([[-1.0, 0, 2], [1, 0, -2], [0, 1, 1], [0, -1, -1]] * 2)
    data = lincore.load((X, [0] * 4 + [1] * 4), name="equal")
    plane = default_plane(fitted(data, "qda(regularization=0.5)"), data, np.arange(8))
    assert plane.columns is not None and len(plane.axis_names) == 2


def test_model_inputs_have_their_names_and_numbers_come_before_levels():
    data = mixed()
    pipeline = fitted(data, "qda(regularization=0.5)")
    names = classifier_input_names(pipeline, data)
    axes = leading_coordinates(pipeline)
    assert [names[axis] for axis in axes] == ["signal", "noise"]
    coded = [place for place, name in enumerate(names) if name.startswith("colour")]
    view = model_view(pipeline, data, np.arange(data.n_rows), (coded[0], axes[0]))
    unit = ", standardised"
    assert view.axis_names == (f"{names[coded[0]]}{unit}", f"signal{unit}")
    as_they_are = fitted(data, "lda", Steps(standardize=False))
    view = model_view(as_they_are, data, np.arange(data.n_rows), axes)
    assert view.axis_names == ("signal", "noise")


def test_rows_that_share_few_places_are_drawn_side_by_side_and_the_figure_says_so():
    rng = np.random.default_rng(2)
    y = np.arange(120) % 2
    X = np.column_stack([rng.integers(1, 4, 120), rng.integers(0, 2, 120)]).astype(float)
    data = lincore.load((X, y), name="few places")
    view = drawn(data, "lda")
    marks = Marks.of(view)
    assert len(np.unique(view.points, axis=0)) == 6
    assert len(np.unique(marks.points, axis=0)) == 120
    # Nobody comes nearer to another place than to its own.
    assert np.abs(marks.points - view.points).max() <= 0.25
    assert "drawn side by side" in plots.contour(view).layout.meta["subtitle"]
    # Of stripes each row keeps its place along the stripe.
    X[:, 1] = rng.standard_normal(120)
    striped = drawn(lincore.load((X, y), name="stripes"), "lda")
    points = Marks.of(striped).points
    stripe = int(len(np.unique(striped.points[:, 1])) == 3)
    assert len(np.unique(points[:, stripe])) == 120
    np.testing.assert_array_equal(points[:, 1 - stripe], striped.points[:, 1 - stripe])
    apart = drawn(two_classes(2), "lda")
    np.testing.assert_array_equal(Marks.of(apart).points, apart.points)
    assert "side by side" not in plots.contour(apart).layout.meta["subtitle"]
