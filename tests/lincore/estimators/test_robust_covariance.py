"""LDA by the minimum covariance determinant: the definition, outliers, invariance, the doors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import MinCovDet

import lincore
from benchmarks.outliers import errors
from lincore import DiagonalLinearDiscriminantAnalysis, LinearDiscriminantAnalysis, checks
from lincore.export import load_model, save_model
from lincore.model_selection import as_method


def drawn(seed=0, sizes=(60, 30, 40), p=3):
    rng, codes = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    X = rng.standard_normal((len(codes), p)) @ np.triu(rng.uniform(0.5, 2, (p, p)))
    return X + 2 * codes[:, None], codes


def test_it_is_lda_with_pooled_minimum_covariance_determinants():
    X, codes = drawn()
    model = LinearDiscriminantAnalysis(covariance="mcd").fit(X, codes)
    own = [MinCovDet(random_state=0).fit(X[codes == k]) for k in range(3)]
    counts = np.bincount(codes)
    pooled = sum(n * one.covariance_ for n, one in zip(counts, own, strict=True)) / counts.sum()
    means = np.array([one.location_ for one in own])
    assert model.covariance_ == pytest.approx(pooled) and model.means_ == pytest.approx(means)
    inverse = np.linalg.inv(pooled)
    scores = X @ inverse @ means.T - 0.5 * np.einsum("ki,ij,kj->k", means, inverse, means)
    scores += np.log(counts / counts.sum())
    proba = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert model.predict_proba(X) == pytest.approx(proba / proba.sum(axis=1, keepdims=True))
    diagonal = DiagonalLinearDiscriminantAnalysis(covariance="mcd").fit(X, codes)
    assert diagonal.covariance_ == pytest.approx(np.diagonal(pooled))


def test_outliers_do_not_move_it():
    X, codes = drawn(1)
    plain = LinearDiscriminantAnalysis(covariance="mcd").fit(X, codes)
    far = X.copy()
    far[:6] += 1e4
    moved = LinearDiscriminantAnalysis(covariance="mcd").fit(far, codes)
    assert np.abs(moved.means_ - plain.means_).max() < 1
    assert np.abs(LinearDiscriminantAnalysis().fit(far, codes).means_ - plain.means_).max() > 100
    # Standardised as in a pipeline, where far outliers leave the other rows almost no variance.
    posteriors = []
    for value in (1e3, 1e10):
        X[:6, 0] = value
        standard = (X - X.mean(axis=0)) / X.std(axis=0)
        model = LinearDiscriminantAnalysis(covariance="mcd").fit(standard, codes)
        posteriors.append(model.predict_proba(standard)[6:])
    assert posteriors[1] == pytest.approx(posteriors[0], abs=1e-4)
    sample, robust = errors(200, 0.1, 20)
    clean, _ = errors(200, 0.0, 20)
    assert robust < clean + 0.01 and sample > clean + 0.05


def test_it_follows_affine_maps():
    X, codes = drawn(2)
    A = np.array([[2.0, 0.5, 0.0], [0.0, 1.0, -1.0], [0.3, 0.0, 4.0]])
    model = LinearDiscriminantAnalysis(covariance="mcd")
    first = model.fit(X, codes).predict_proba(X)
    assert model.fit(X @ A + 7, codes).predict_proba(X @ A + 7) == pytest.approx(first, abs=1e-6)


def test_a_class_without_one_keeps_its_sample_covariance():
    X, codes = drawn(3, sizes=(60, 5, 40))
    with pytest.warns(
        UserWarning, match="for 1 class: 1. With 3 features it needs more than 6 rows"
    ):
        model = LinearDiscriminantAnalysis(covariance="mcd").fit(X, codes)
    assert model.means_[1] == pytest.approx(X[codes == 1].mean(axis=0))
    X[:, 2] = codes == 0  # an indicator
    with pytest.warns(UserWarning, match="3 classes"):
        model = LinearDiscriminantAnalysis(covariance="mcd", shrinkage=0.1).fit(X, codes)
    with pytest.raises(ValueError, match="'sample' or 'mcd'"):
        LinearDiscriminantAnalysis(covariance="robust").fit(X, codes)
    for name in ("fit_moments", "partial_fit"):
        assert not hasattr(LinearDiscriminantAnalysis(covariance="mcd"), name)
        assert hasattr(LinearDiscriminantAnalysis(), name)


def test_it_is_an_option_everywhere():
    method = as_method("lda(covariance=mcd)")
    assert not method.from_moments and method.name == "lda(covariance=mcd)"
    data = lincore.sample("wine")
    results = lincore.compare(data, ["lda", "lda(covariance=mcd)"], "5-fold", keep_models=True)
    assert results.log_proba.shape[0] == 2
    model = results.model("lda(covariance=mcd)")
    again = load_model(save_model(model)).model
    assert (again.predict(data) == model.predict(data)).all()
    fitted = lincore.fit(data, "lda(covariance=mcd)")
    assert fitted.canonical().has_functions is False
    assert fitted.learned().finding() and fitted.coefficients().finding()
    assert fitted.plane().finding()


def test_heavy_tails_name_it_as_a_remedy():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((200, 2))
    X[:4] *= 12
    found = checks.assumptions(X, np.arange(200) % 2, np.arange(2), model="lda")
    (normality,) = [one for one in found if one.name == "normality"]
    assert "minimum covariance determinant" in normality.remedy
