"""Pipelines fitted from moments equal those fitted from rows, on training rows alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal

import lincore
from lincore import LinearDiscriminantAnalysis, metrics, model_selection
from lincore.inspection import model_view
from lincore.model_selection import Steps, default_steps, pipeline_for, transform_for_classifier

CHOICES = [
    {"standardize": True, "n_components": 2},
    {"standardize": False, "n_components": 3, "whiten": True},
    {"standardize": True},
    {"standardize": False, "n_components": 0.9},
]


def with_gaps(data, share=0.1, seed=0):
    X = data.X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return replace(data, X=X)


@pytest.mark.parametrize(
    ("options", "gaps"), list(zip(CHOICES, [True, False, True, False], strict=True))
)
def test_from_moments_equals_from_rows(options, gaps):
    data = lincore.sample("wine")
    data = with_gaps(data) if gaps else data
    split = lincore.split(data, seed=3)
    part = model_selection.summarise_training_set(data, split)
    assert part.moments is not None
    pipelines = [
        pipeline_for(data, LinearDiscriminantAnalysis(), Steps(**options)) for _ in range(2)
    ]
    fast = model_selection.fit_from_training_set(pipelines[0], data, split, part)
    slow = pipelines[1].fit(data.X[split.train], data.codes[split.train])
    X = data.X[split.test]
    assert_allclose(fast.predict_proba(X), slow.predict_proba(X), rtol=1e-6, atol=1e-9)
    assert fast.named_steps.keys() == slow.named_steps.keys()


@pytest.mark.parametrize("options", CHOICES[:2])
def test_nothing_leaks_from_the_test_rows(options):
    """Ruining the test rows changes nothing of what was fitted."""
    data = with_gaps(lincore.sample("wine"))
    split = lincore.split(data, seed=3)
    ruined = data.X.copy()
    ruined[split.test] = 1e6
    fitted = [
        model_selection.holdout(
            version, pipeline_for(version, LinearDiscriminantAnalysis(), Steps(**options)), split
        )[0]
        for version in (data, replace(data, X=ruined))
    ]
    probe = lincore.sample("wine").X
    assert_array_equal(fitted[0].predict_proba(probe), fitted[1].predict_proba(probe))


def test_classes_keep_the_order_of_the_data_whatever_their_names():
    rng = np.random.default_rng(0)
    names = np.array([f"s{i}" for i in range(1, 13)])
    codes = np.repeat(np.arange(12), 20)
    X = rng.standard_normal((240, 3)) * 0.1 + rng.standard_normal((12, 3))[codes]
    data = lincore.load((X, names[codes]), name="many")
    assert data.classes.tolist() == names.tolist()
    for shape in (X, np.column_stack([X, rng.standard_normal((240, 300))])):
        data = lincore.load((shape, names[codes]), name="many")
        pipeline = pipeline_for(data, LinearDiscriminantAnalysis(), Steps(n_components=3))
        split = lincore.split(data)
        _, results = model_selection.holdout(data, pipeline, split, method="lda")
        assert_array_equal(results.truth, data.codes[split.test])
        assert metrics.score(results, "lda", "accuracy").value > 0.9 or shape is not X


def test_what_the_model_cannot_do_is_said_as_a_data_error():
    data = lincore.load((np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 0, 1, 1]), name="two points")
    pipeline = pipeline_for(data, LinearDiscriminantAnalysis())
    with pytest.raises(lincore.DataError, match="No feature varies within the classes"):
        model_selection.holdout(data, pipeline, lincore.split(data, test_size=0.5))


def images(n_rows, side):
    stack = np.random.default_rng(0).integers(0, 255, (n_rows, side * side)).astype(np.uint8)
    y = np.arange(n_rows) % 2
    return replace(lincore.load((stack, y), name="noise"), image_shape=(side, side))


@pytest.mark.parametrize(
    ("n_rows", "side", "expected"),
    [(100, 8, None), (50, 8, 0.95), (1000, 20, None), (999, 21, 0.95)],
)
def test_models_see_all_features_by_default_and_of_large_images_most_variance(
    n_rows, side, expected
):
    assert default_steps(images(n_rows, side), n_rows) == Steps(False, n_components=expected)


def test_a_wide_table_is_not_projected_by_default():
    data = lincore.load((np.random.default_rng(0).normal(size=(20, 500)), [0, 1] * 10), name="wide")
    assert default_steps(data, 14) == Steps(True)


def test_a_view_of_all_coordinates_has_the_models_own_posterior():
    data = lincore.sample("wine")
    split = lincore.split(data)
    pipeline = pipeline_for(data, LinearDiscriminantAnalysis(), Steps(n_components=2))
    fitted, results = model_selection.holdout(data, pipeline, split)
    view = model_view(fitted, data, split.test)
    assert_allclose(view.log_posterior(view.points), results.log_proba[0], atol=1e-9)
    assert_array_equal(view.predicted, results.predicted[0])
    assert view.caption.startswith("The whole model")


def test_a_view_of_some_features_is_the_exact_marginal_in_their_own_units():
    data = lincore.sample("wine")
    split = lincore.split(data)
    fitted, _ = model_selection.holdout(
        data, pipeline_for(data, LinearDiscriminantAnalysis()), split
    )
    view = model_view(fitted, data, split.test, axes=(6, 2))
    train = data.X[split.train][:, [6, 2]]
    codes = data.codes[split.train]
    means = np.array([train[codes == k].mean(axis=0) for k in range(3)])
    centred = train - means[codes]
    cov = centred.T @ centred / len(train)
    expected = [multivariate_normal(mean, cov).logpdf(view.points) for mean in means]
    assert_allclose(view.densities.log_density(view.points), np.transpose(expected), rtol=1e-8)
    assert_allclose(view.points, data.X[split.test][:, [6, 2]])
    assert view.axis_names == (data.feature_names[6], data.feature_names[2])
    assert "averaged over" in view.caption


def test_the_steps_before_the_classifier_can_stand_alone():
    data = lincore.sample("iris")
    split = lincore.split(data)
    pipeline = pipeline_for(data, None, Steps(n_components=2))
    fitted = model_selection.fit_from_training_set(
        pipeline, data, split, model_selection.summarise_training_set(data, split)
    )
    found = transform_for_classifier(fitted, data.X)
    assert_allclose(found[split.train].mean(axis=0), 0, atol=1e-9)
    assert found.shape == (150, 2)
