"""Full and reduced models in one plane, under other priors and other costs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import imbalance, metrics
from lincore.imbalance import (
    aligned_planes,
    condition_view,
    shared_planes,
    view_with_costs,
    view_with_predictions,
    view_with_prior_shift,
)
from lincore.inspection import feature_plane
from lincore.model_selection import Steps, transform_for_classifier

METHODS = ("lda", "qda", "logistic", "least-squares")


@pytest.fixture(scope="module")
def data():
    return lincore.sample("wine")


@pytest.fixture(scope="module")
def study(data):
    return lincore.balance(data, {"class_0": 8}, METHODS, steps=Steps(n_components=2), repeats=1)


def views(study, data, method, condition):
    pipelines = [study.example.pipelines[method, which] for which in ("full", condition)]
    planes = aligned_planes(pipelines, data, study.example.split.test)
    pair = zip(("full", condition), planes, strict=True)
    return [condition_view(study.example, method, which, data, plane) for which, plane in pair]


def test_components_are_turned_back_and_nothing_is_stretched(study, data):
    test = study.example.split.test
    full, reduced = (study.example.pipelines["lda", subset] for subset in ("full", "reduced"))
    # Signs of components are a convention: undo the one that this PCA follows.
    reduced.named_steps["pca"].components_[0] *= -1
    try:
        one, other = aligned_planes([full, reduced], data, test)
        seen = transform_for_classifier(reduced, data.X[test])
    finally:
        reduced.named_steps["pca"].components_[0] *= -1
    points, goal = other.drop(seen), one.drop(transform_for_classifier(full, data.X[test]))
    for axis in range(2):
        assert np.corrcoef(points[:, axis], goal[:, axis])[0, 1] > 0.9
    assert_allclose(other.projection.T @ other.projection, np.eye(2), atol=1e-12)
    assert_allclose(points.mean(axis=0), goal.mean(axis=0), atol=1e-9)
    assert_allclose(other.lift(points), seen, atol=1e-9)


@pytest.mark.parametrize(
    "condition", ["full", "reduced", "corrected priors", "both", "oversampling"]
)
@pytest.mark.parametrize("method", METHODS)
def test_the_plot_decides_as_the_cell_does(study, data, method, condition):
    view = views(study, data, method, condition)[1]
    assert_array_equal(view.scores(view.points).argmax(axis=1), view.predicted)
    results = study.example.results[condition]
    assert_array_equal(view.predicted, results.predicted[results.position(method)])


@pytest.mark.parametrize("method", ["lda", "logistic"])
def test_the_moved_threshold_is_where_the_plot_has_it(study, data, method):
    view = views(study, data, method, "moved threshold")[1]
    assert_array_equal(view.scores(view.points).argmax(axis=1), view.predicted)


@pytest.mark.parametrize("method", ["qda", "logistic"])
def test_other_priors_and_costs_move_the_boundary(study, data, method):
    view, results = views(study, data, method, "reduced")[1], study.example.results["reduced"]
    new = np.array([0.6, 0.3, 0.1])
    costs = np.array([[0.0, 9.0, 9.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    old = imbalance.condition_priors(study, "reduced")
    asked = imbalance.minimum_cost_decisions(metrics.adjust_priors(results, old, new), costs)
    moved = view_with_prior_shift(
        view, imbalance.log_prior_shift(old[study.methods.index(method)], new)
    )
    position = results.position(method)
    log_proba = metrics.adjust_priors(results, old, new).log_proba[position]
    assert_allclose(moved.log_posterior(view.points), log_proba, atol=1e-8)
    cheap = view_with_predictions(view_with_costs(moved, costs), asked, method)
    assert_array_equal(cheap.scores(cheap.points).argmax(axis=1), asked.predicted[position])
    assert (cheap.predicted != view.predicted).any()


def test_costs_that_are_the_same_for_all_decisions_move_no_boundary(study, data):
    view = views(study, data, "lda", "reduced")[1]
    for costs in (np.zeros((3, 3)), np.ones((3, 3)), np.outer([4, 2, 9], np.ones(3))):
        same = view_with_costs(view, costs)
        assert_array_equal(same.scores(view.points), view.scores(view.points))


def test_error_by_share_ends_at_the_recalls(study):
    results, old = study.example.results["reduced"], imbalance.condition_priors(study, "reduced")
    curve = imbalance.error_by_share(results, old, 0, [1.0], corrected=False)
    for method, (value, _, _) in zip(METHODS, curve[:, 0], strict=True):
        assert value == pytest.approx(1 - metrics.recall(results, method)[0].value)
    told = imbalance.error_by_share(results, old, 0, [0.05, 0.999], corrected=True)
    assert told[0, 1, 0] <= curve[0, 0, 0]


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("lda", Steps()),
        ("logistic", Steps(standardize=False)),
        ("logistic", Steps(n_components=5)),
    ],
)
def test_all_features_are_drawn_in_one_discriminant_plane(data, line, steps):
    study = lincore.balance(data, {"class_0": 8}, line, steps=steps, repeats=1)
    pair = [study.example.pipelines[line, subset] for subset in ("full", "reduced")]
    split = study.example.split
    one, other = shared_planes(pair, data, split.train)
    assert one.axis_names == other.axis_names == ("Discriminant 1", "Discriminant 2")
    points, same = (
        plane.drop(transform_for_classifier(pipeline, data.X[split.test]))
        for plane, pipeline in zip((one, other), pair, strict=True)
    )
    # Components of two training sets span different spaces; features are the same to both.
    assert_allclose(points, same, atol=1e-8 if steps.n_components is None else 3)
    assert_allclose(other.drop(other.lift(points)), points, atol=1e-8)


def test_a_gaussian_model_of_all_features_is_shown_by_its_marginal(data):
    study = lincore.balance(data, {"class_0": 8}, ("lda", "logistic"), repeats=1)
    plane = feature_plane(data, (6, 2), study.example.split.train)
    view, cut = (
        condition_view(study.example, method, "corrected priors", data, plane)
        for method in ("lda", "logistic")
    )
    rows = study.example.rows["reduced"]
    alone = lincore.LinearDiscriminantAnalysis(priors=data.counts / data.n_rows)
    alone.fit(data.X[rows][:, [6, 2]], data.codes[rows])
    proba = alone.predict_proba(view.points)
    assert_allclose(np.exp(view.log_posterior(view.points)), proba, atol=0.02)
    assert view.densities is not None and cut.densities is None
