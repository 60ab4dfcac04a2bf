"""Rules settle what rounding would: data that differ in the twelfth digit give the same answer.

Processors with other vector units round otherwise. Signs of eigenvectors, axes of equal variance
and choices among equals would then differ from server to server.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import lincore
from lincore import plots
from lincore.data import gaussian_classes, with_row_weights
from lincore.imbalance import optimism_of_best
from lincore.linalg import Gaussians
from lincore.plots.plane import with_ellipses
from tests.lincore.plots.plane.test_views import make_view

SEEDS = range(12)
EQUICORRELATED = 0.7 * np.eye(4) + 0.3


def nearly(numbers, seed, size=1e-12):
    """Return numbers changed by about 1e-12 of each; as they are for the first seed."""
    change = np.random.default_rng([seed, 1]).uniform(-size, size, np.shape(numbers))
    return np.asarray(numbers) * (1 + change * bool(seed))


def assert_settled(answer):
    """Compare an answer to the changed numbers with that to those that are not."""
    expected = answer(0)
    for seed in SEEDS[1:]:
        assert_allclose(answer(seed), expected, rtol=1e-6, atol=1e-6)


def drawn(figure, kind="scatter"):
    traces = [t for t in figure.data if t.type == kind and t.x[0] is not None]
    lines = [t for t in traces if getattr(t, "mode", "") != "markers"]
    assert lines
    return np.concatenate([np.ravel(t[axis]) for t in lines for axis in "xy"])


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_outlines_of_classes_begin_at_the_same_point(correlation):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 2))
    rows -= rows.mean(axis=0)
    # Of exactly this correlation: without one every direction has the same variance.
    half = np.linalg.cholesky(np.linalg.inv(np.cov(rows.T)))
    root = np.linalg.cholesky([[1.0, correlation], [correlation, 1.0]])
    points = rows @ half @ root.T * [1.0, 30.0]

    def outline(seed):
        figure = plots.scatter(
            nearly(points, seed), np.zeros(40, int), ["a"], ["u", "v"], title="t", ellipses=True
        )
        return drawn(figure)

    assert_settled(outline)


@pytest.mark.parametrize("spread", [np.eye(2), np.array([[1.0, 0.5], [0.5, 1.0]])])
def test_ellipses_and_surfaces_of_a_model_begin_at_the_same_point(spread):
    view = make_view()

    def changed(seed):
        spreads = [(one + one.T) / 2 for one in nearly([spread] * 3, seed)]
        return replace(view, densities=Gaussians.from_covariances(view.densities.means, spreads))

    def ellipses(seed):
        return drawn(with_ellipses(plots.contour(view), changed(seed)))

    def surfaces(seed):
        return drawn(plots.surface(changed(seed), quantity="density"), "surface")

    assert_settled(ellipses)
    assert_settled(surfaces)


def test_components_of_two_standardised_features_keep_their_signs():
    X = np.random.default_rng(1).normal(size=(50, 2)) @ [[1.0, 0.4], [0.0, 1.0]]

    def components(seed):
        return lincore.PCA().fit(lincore.Standardizer().fit_transform(nearly(X, seed))).components_

    assert_settled(components)


@pytest.mark.parametrize("n_components", [None, 1, 2])
def test_components_of_equal_variance_are_the_features(n_components):
    design = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T

    def components(seed):
        return lincore.PCA(n_components).fit(nearly(design, seed)).components_

    assert_allclose(components(0), np.eye(3)[:n_components], atol=1e-12)
    assert_settled(components)


@pytest.mark.parametrize("n_components", [None, 1])
def test_directions_of_equal_separation_are_settled(n_components):
    around = 0.3 * np.concatenate([np.eye(3), -np.eye(3)])
    X, codes = np.concatenate([mean + around for mean in np.eye(3)]), np.repeat(np.arange(3), 6)

    def projections(seed):
        return (
            lincore.FisherDiscriminant(n_components=n_components)
            .fit(nearly(X, seed), codes)
            .transform(X)
        )

    assert_settled(projections)


def test_rows_drawn_from_equal_variances_are_the_same():
    def rows(seed):
        covariance = nearly(EQUICORRELATED, seed)
        covariance = (covariance + covariance.T) / 2
        return gaussian_classes(np.zeros((2, 4)), [covariance] * 2, sizes=50, seed=0).X

    assert_settled(rows)


def test_optimism_of_equal_variances_is_the_same():
    def optimism(seed):
        covariance = nearly(EQUICORRELATED, seed)
        return optimism_of_best(np.array([0.3, 0.1, 0.2, 0.5]), (covariance + covariance.T) / 2)

    assert_settled(optimism)


def test_of_two_seeds_that_are_as_typical_the_first_is_the_example():
    rng = np.random.default_rng(5)
    codes = np.repeat([0, 1, 2], [60, 50, 40])
    plain = lincore.load((rng.normal(size=(150, 2)) + codes[:, None], codes))
    weights = rng.gamma(2.0, size=150)
    for seed in SEEDS:
        data = with_row_weights(plain, weights=nearly(weights, seed))
        study = lincore.balance(data, {2: 0.3}, "lda", repeats=2)
        assert study.example.seed == study.seeds[0]
