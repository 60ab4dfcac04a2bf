"""PCA and standardising: definitions, scikit-learn, and fitting from moments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA as ScikitPCA
from sklearn.preprocessing import StandardScaler

from lincore import PCA, Moments, Standardizer
from tests.lincore.references import pca_by_svd


def rows(seed=0, n=50, p=5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + 10 * rng.standard_normal(p)


@given(st.integers(0, 1000), st.sampled_from([(50, 5), (6, 20), (3, 1), (20, 20)]))
def test_axes_and_variances_are_the_singular_ones(seed, shape):
    X = rows(seed, *shape)
    axes, variances = pca_by_svd(X)
    pca = PCA().fit(X)
    k = pca.n_components_
    assert k == min(shape[0] - 1, shape[1])
    assert_allclose(pca.explained_variance_, variances[:k], rtol=1e-6, atol=1e-9)
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(k), atol=1e-6)
    # Axes of well separated variances are unique but for their sign.
    assert_allclose(abs(pca.components_[0] @ axes[0]), 1, atol=1e-6)


def test_agrees_with_scikit_learn_signs_and_all():
    X = rows()
    for n_components, whiten in ((None, False), (2, True), (0.9, False)):
        ours = PCA(n_components, whiten=whiten).fit(X)
        theirs = ScikitPCA(n_components, whiten=whiten, svd_solver="full").fit(X)
        assert_allclose(ours.components_, theirs.components_, atol=1e-9)
        assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-8)
        assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)


def test_whitening_divides_by_the_square_root_of_the_eigenvalue():
    scores = PCA(whiten=True).fit_transform(rows())
    assert_allclose(np.cov(scores.T), np.eye(5), atol=1e-10)


@pytest.mark.parametrize("whiten", [False, True])
def test_from_moments_of_any_grouping_equals_from_rows(whiten):
    X = rows()
    codes = np.arange(len(X)) % 3
    moments = Moments.from_groups(X, codes, 3)
    by_rows = PCA(3, whiten=whiten).fit(X)
    by_moments = PCA(3, whiten=whiten).fit_moments(moments)
    assert_allclose(by_moments.transform(X), by_rows.transform(X), atol=1e-9)
    mapped = by_rows.map_moments(moments)
    direct = Moments.from_groups(by_rows.transform(X), codes, 3)
    assert_allclose(mapped.mean, direct.mean, atol=1e-9)
    assert_allclose(mapped.scatter, direct.scatter, atol=1e-8)


def test_inverse_transform_returns_the_rows():
    X = rows()
    for whiten in (False, True):
        pca = PCA(whiten=whiten).fit(X)
        assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-9)


def test_a_share_of_variance_is_met_and_not_exceeded_needlessly():
    X = rows()
    for share in (0.5, 0.9, 1.0):
        pca = PCA(share).fit(X)
        ratio = pca.all_variances_ / pca.all_variances_.sum()
        k = pca.n_components_
        assert ratio[:k].sum() >= share - 1e-9 > ratio[: k - 1].sum() - 1e-9


def test_weights_are_replication():
    X = rows()
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = PCA(2).fit(X, sample_weight=weight)
    repeated = PCA(2).fit(np.repeat(X, weight, axis=0))
    assert_allclose(weighted.components_, repeated.components_, atol=1e-9)
    assert_allclose(weighted.explained_variance_, repeated.explained_variance_)
    by_weight = Standardizer().fit(X, sample_weight=weight)
    assert_allclose(by_weight.scale_, np.repeat(X, weight, axis=0).std(axis=0))


def test_directions_without_variance_are_not_kept():
    X = np.column_stack([rows(), np.ones(50)])
    assert PCA().fit(X).n_components_ == 5
    with pytest.warns(UserWarning, match="5 directions only"):
        assert PCA(6, whiten=True).fit(X).transform(X).shape == (50, 5)


def test_pixels_in_uint8_and_float32():
    X = np.random.default_rng(0).integers(0, 256, (60, 9)).astype(np.uint8)
    for narrow in (X, X.astype(np.float32)):
        pca = PCA(3).fit(narrow)
        expected = PCA(3).fit(X.astype(float)).transform(X.astype(float))
        assert_allclose(pca.transform(narrow), expected, atol=1e-9)


@pytest.mark.parametrize("n_components", [0, 6, 1.5, -0.1, "two", True])
def test_numbers_of_components_that_cannot_be(n_components):
    with pytest.raises(ValueError, match="n_components must be"):
        PCA(n_components).fit(rows())


def test_rows_that_are_all_equal_are_refused():
    with pytest.raises(ValueError, match="All rows are equal"):
        PCA().fit(np.ones((4, 2)))


def test_standardizer_is_scikit_learns_but_fits_from_moments():
    X = rows() * [1e-6, 1, 1e6, 1, 1]
    X[:, 3] = 5.5
    ours, theirs = Standardizer().fit(X), StandardScaler().fit(X)
    assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-9)
    assert_allclose(ours.inverse_transform(ours.transform(X)), X)
    moments = Moments.from_groups(X, np.arange(50) % 4, 4)
    assert_allclose(Standardizer().fit_moments(moments).scale_, ours.scale_)
    scaled = ours.map_moments(moments).pooled()
    assert_allclose(np.diag(scaled.scatter) / 50, [1, 1, 1, 0, 1], atol=1e-12)
