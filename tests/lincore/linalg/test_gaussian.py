"""Gaussian densities against scipy's, and covariances that need care."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn import naive_bayes
from sklearn.covariance import OAS

from lincore import GaussianNB, LinearDiscriminantAnalysis
from lincore.linalg import Gaussians, Whitener


def test_log_density_and_distance_are_scipys():
    rng = np.random.default_rng(0)
    means = rng.standard_normal((3, 4))
    roots = rng.standard_normal((3, 4, 6)) * np.logspace(-1, 1, 4)[:, None]
    covariances = roots @ roots.swapaxes(1, 2)
    X = rng.standard_normal((20, 4)) * np.logspace(-1, 1, 4)
    gaussians = Gaussians.from_covariances(means, covariances)
    for k in range(3):
        expected = multivariate_normal(means[k], covariances[k]).logpdf(X)
        assert_allclose(gaussians.log_density(X)[:, k], expected, rtol=1e-7)
        delta = X - means[k]
        distance = np.einsum("ij,ij->i", delta, np.linalg.solve(covariances[k], delta.T).T)
        assert_allclose(gaussians.squared_distances(X)[:, k], distance, rtol=1e-6)


def test_the_density_of_a_singular_covariance_lives_on_its_subspace():
    cov = np.diag([4.0, 0.0])
    density = Gaussians.from_covariances([[0.0, 0.0]], [cov]).log_density([[1.0, 0.0]])
    assert_allclose(density, [[multivariate_normal(0, 4).logpdf(1.0)]])


def test_lda_posteriors_are_those_of_its_densities():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((90, 3)), np.repeat([0, 1, 2], [50, 30, 10])
    X += y[:, None]
    model = LinearDiscriminantAnalysis().fit(X, y)
    joint = model.densities_.log_density(X) + np.log(model.priors_)
    expected = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    assert_allclose(model.predict_log_proba(X), expected, atol=1e-10)


def test_oas_is_scikit_learns():
    X = np.random.default_rng(0).standard_normal((15, 6)) * [1, 2, 3, 4, 5, 6]
    y = np.arange(15) % 3
    within = X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y]
    model = LinearDiscriminantAnalysis(shrinkage="oas")
    assert_allclose(model.fit(X, y).covariance_, OAS().fit(within).covariance_)
    assert_allclose(model.fit(X[:, :1], y).covariance_, [[within[:, 0].var()]])
    cube = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    assert_allclose(
        model.fit(np.vstack([cube, cube + 9]), [0] * 4 + [1] * 4).covariance_, np.eye(2)
    )


def test_a_whitener_sees_rank_through_units_and_rounding():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 3))
    X = np.column_stack([X, X @ [1.0, -2.0, 0.5], X[:, 0]]) * [1e-8, 1e8, 1, 1, 1e4]
    whitener = Whitener.from_covariance(np.cov(X.T))
    assert whitener.rank == 3
    with pytest.raises(ValueError, match="No feature varies"):
        Whitener.from_covariance(np.zeros((2, 2)))


def test_a_row_beyond_all_bounds_is_named():
    gaussians = Gaussians.from_covariances([[0.0, 0.0]], [np.eye(2)])
    with pytest.raises(ValueError, match="Row 1 of X is so far"):
        gaussians.squared_distances([[0.0, 1.0], [1e300, 0.0]])


@pytest.mark.parametrize("deviation", [1e-2, 1e-4, 1e-6])
def test_distances_from_a_narrow_class_keep_their_digits(deviation):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    narrow = 1 + deviation * (rng.standard_normal(300) + y)
    X = np.column_stack([np.where(y < 2, narrow, rng.standard_normal(300)), rng.random(300) + y])
    X = np.column_stack([X, rng.standard_normal((300, 2)) + y[:, None]])
    expected = naive_bayes.GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X)
    found = GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X)
    assert_allclose(found, expected, atol=1e-9)
