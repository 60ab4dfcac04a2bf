"""Boundaries as equations in the user's units, and distances from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.preprocessing import PolynomialFeatures

import lincore
from lincore import (
    PCA,
    DiagonalLinearDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    Standardizer,
)
from lincore.estimators import boundary, mahalanobis
from lincore.linalg import Quadric
from lincore.model_selection import Steps, pipeline_for
from tests.lincore.estimators.test_linear_discriminant import unbalanced

MODELS = [
    LinearDiscriminantAnalysis(),
    DiagonalLinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("sizes", [(60, 25, 9), (40, 8)])
def test_discriminants_are_the_scores(model, sizes):
    X, y = unbalanced(sizes=sizes, offset=100)
    posterior = model.fit(X, y).predict_log_proba(X)
    scores = np.column_stack([f.values(X) for f in model.discriminants()])
    assert_allclose(scores - scores[:, :1], posterior - posterior[:, :1], atol=1e-6)
    line = boundary(model, 1, 0)
    assert line.is_linear == isinstance(model, LinearDiscriminantAnalysis)
    A, b, c = line.expanded()
    written_out = np.einsum("ij,jk,ik->i", X, A, X) + X @ b + c
    assert_allclose(written_out, posterior[:, 1] - posterior[:, 0], atol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_boundaries_are_mapped_back_to_the_users_units(model):
    data = lincore.sample("wine")
    for options in ({"n_components": 3}, {"n_components": 4, "whiten": True}, {}):
        pipeline = pipeline_for(data, type(model)(), Steps(**options)).fit(data.X, data.codes)
        posterior = pipeline.predict_log_proba(data.X)
        found = boundary(pipeline, 2, 0)
        assert found.b.shape == (13,)
        expected = posterior[:, 2] - posterior[:, 0]
        assert_allclose(found.values(data.X), expected, rtol=1e-7, atol=1e-6)


def test_standardizer_and_pca_are_the_affine_maps_that_they_name():
    X, _ = unbalanced()
    for step in (Standardizer(), PCA(2), PCA(3, whiten=True)):
        origin, matrix = step.fit(X).affine()
        assert_allclose((X - origin) @ matrix, step.transform(X), atol=1e-10)


def random_quadric(rng, p, kind):
    A = rng.standard_normal((p, p))
    A = {"ellipse": A @ A.T, "saddle": A + A.T, "valley": np.outer(A[0], A[0])}[kind]
    return Quadric(A, rng.standard_normal(p), -float(rng.uniform(0.1, 3)), rng.standard_normal(p))


def nearest_zero_by_rays(quadric, point, n_rays=20_000):
    """Return the least distance at which any of many rays from a point meets a zero."""
    angles = np.linspace(0, 2 * np.pi, n_rays, endpoint=False)
    rays = np.column_stack([np.cos(angles), np.sin(angles)])
    here = quadric.about(point)
    a, b = np.einsum("ij,jk,ik->i", rays, here.A, rays), rays @ here.b
    discriminant = b**2 - 4 * a * here.c
    met = discriminant >= 0
    # The form of the roots that divides by nothing small: c over the larger half.
    half = -0.5 * (b[met] + np.copysign(np.sqrt(discriminant[met]), b[met]))
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = np.abs(np.concatenate([half / a[met], here.c / half]))
    return np.nanmin(roots, initial=np.inf)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["ellipse", "saddle", "valley"]))
def test_distances_from_quadrics_are_those_along_rays(seed, kind):
    rng = np.random.default_rng(seed)
    quadric = random_quadric(rng, 2, kind)
    points = 2 * rng.standard_normal((5, 2)) + quadric.origin
    expected = [nearest_zero_by_rays(quadric, point) for point in points]
    assert_allclose(quadric.distances(points), expected, rtol=1e-3, atol=1e-6)


def test_distances_from_planes_centres_and_nothing():
    plane = Quadric(np.zeros((2, 2)), np.array([3.0, 4.0]), -10.0, np.zeros(2))
    assert_allclose(plane.distances([[0, 0], [2, 1]]), [2, 0])
    sphere = Quadric(np.eye(3), np.zeros(3), -4.0, np.full(3, 1e6))
    assert_allclose(sphere.distances(np.full((1, 3), 1e6)), [2])
    ellipse = Quadric(np.diag([1.0, 4.0]), np.zeros(2), -4.0, np.zeros(2))
    assert_allclose(ellipse.distances([[0, 0], [0.1, 0]]), [1, np.sqrt(1 - 0.01 / 3)], rtol=1e-6)
    nowhere = Quadric(np.eye(2), np.zeros(2), 1.0, np.zeros(2))
    assert np.isinf(nowhere.distances([[1.0, 2.0]])).all()


def test_mahalanobis_distances_in_a_pipeline():
    data = lincore.sample("wine")
    pipeline = pipeline_for(data, LinearDiscriminantAnalysis()).fit(data.X, data.codes)
    found = mahalanobis(pipeline, data.X)
    means = np.array([data.X[data.codes == k].mean(axis=0) for k in range(3)])
    centred = data.X - means[data.codes]
    precision = np.linalg.inv(centred.T @ centred / len(centred))
    delta = data.X - means[1]
    expected = np.sqrt(np.einsum("ij,jk,ik->i", delta, precision, delta))
    assert_allclose(found[:, 1], expected, rtol=1e-7)


def test_what_has_no_equation_is_refused():
    X, y = unbalanced()
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    with pytest.raises(TypeError, match="no discriminants"):
        boundary(KNeighborsClassifier().fit(X, y), 0, 1)
    with pytest.raises(TypeError, match="no class densities"):
        mahalanobis(KNeighborsClassifier().fit(X, y), X)
    bent = make_pipeline(PolynomialFeatures(2), LinearDiscriminantAnalysis()).fit(X, y)
    with pytest.raises(TypeError, match="not affine"):
        boundary(bent, 0, 1)
