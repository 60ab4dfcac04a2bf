"""QDA and Gaussian naive Bayes: scikit-learn, Friedman's two steps, batches, and extremes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as ScikitQDA

from lincore import (
    DiagonalLinearDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    Moments,
    QuadraticDiscriminantAnalysis,
)
from tests.lincore.estimators.test_linear_discriminant import unbalanced

MODELS = [
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(regularization=0.3, shrinkage=0.1, divisor="n-1"),
    GaussianNB(),
    DiagonalLinearDiscriminantAnalysis(),
]
by_name = pytest.mark.parametrize("model", MODELS, ids=str)


def log_posterior_by_definition(X, y, priors=None):
    """Log p_k + log N(x; m_k, S_k), normalised ("lda-qda-derivations", QDA)."""
    classes = np.unique(y)
    p = np.array([(y == c).mean() for c in classes]) if priors is None else priors
    joint = np.column_stack(
        [
            np.log(p[k])
            + multivariate_normal(X[y == c].mean(axis=0), np.cov(X[y == c].T, bias=True)).logpdf(X)
            for k, c in enumerate(classes)
        ]
    )
    return joint - np.logaddexp.reduce(joint, axis=1)[:, None]


@pytest.mark.parametrize("sizes", [(60, 25, 9), (40, 8)])
def test_qda_is_its_definition_and_scikit_learns(sizes):
    X, y = unbalanced(sizes=sizes)
    ours, theirs = QuadraticDiscriminantAnalysis().fit(X, y), ScikitQDA().fit(X, y)
    assert_allclose(ours.predict_log_proba(X), log_posterior_by_definition(X, y), atol=1e-7)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-12)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-8)


def test_regularization_goes_from_qda_to_lda():
    X, y = unbalanced()
    lda = LinearDiscriminantAnalysis().fit(X, y)
    all_pooled = QuadraticDiscriminantAnalysis(regularization=1).fit(X, y)
    assert_allclose(all_pooled.predict_proba(X), lda.predict_proba(X), rtol=1e-7, atol=1e-12)
    half = QuadraticDiscriminantAnalysis(regularization=0.5).fit(X, y)
    scatter = Moments.from_groups(X, y, 3).scatter
    expected = 0.5 * (scatter[2] + scatter.sum(axis=0)) / (0.5 * 9 + 0.5 * 94)
    assert_allclose(half.covariance_[2], expected)


def test_diagonal_lda_is_lda_of_uncorrelated_features():
    X, y = unbalanced()
    model = DiagonalLinearDiscriminantAnalysis().fit(X, y)
    centred = X - model.means_[y]
    assert_allclose(model.covariance_, (centred**2).mean(axis=0))
    scaled = (X[:, None] - model.means_) ** 2 / model.covariance_
    joint = np.log(model.priors_) - scaled.sum(axis=2) / 2
    expected = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    assert_allclose(model.predict_log_proba(X), expected, atol=1e-9)


@by_name
@given(st.integers(0, 50))
def test_weights_are_replication(model, seed):
    X, y = unbalanced(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(X))
    weighted = model.fit(X, y, sample_weight=weight).predict_log_proba(X)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_log_proba(X)
    assert_allclose(weighted, repeated, rtol=1e-6, atol=1e-6)


def test_a_class_with_too_few_rows_is_named_with_a_remedy():
    X, y = unbalanced(sizes=(60, 25, 3))
    with pytest.raises(ValueError, match="class 2 is singular: its 3 rows.*regularization > 0"):
        QuadraticDiscriminantAnalysis().fit(X, y)
    model = QuadraticDiscriminantAnalysis(regularization=0.1).fit(X, y)
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_a_feature_constant_within_one_class():
    X, y = unbalanced(sizes=(60, 25, 9))
    X[y == 1, 2] = 5.0
    with pytest.raises(ValueError, match="class 1 is singular"):
        QuadraticDiscriminantAnalysis().fit(X, y)
    with pytest.raises(ValueError, match="Feature 2 does not vary within class 1"):
        GaussianNB(var_smoothing=0).fit(X, y)
    assert np.isfinite(GaussianNB().fit(X, y).predict_log_proba(X)).all()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (QuadraticDiscriminantAnalysis(regularization=1.5), "regularization"),
        (QuadraticDiscriminantAnalysis(divisor="n-k"), "divisor"),
        (QuadraticDiscriminantAnalysis(shrinkage=-1), "shrinkage"),
        (GaussianNB(var_smoothing=-1), "var_smoothing"),
        (GaussianNB(priors=[0.5, 0.5]), "3 probabilities"),
    ],
    ids=str,
)
def test_options_that_do_not_fit_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*unbalanced())


def test_a_class_still_without_rows_is_never_predicted():
    X, y = unbalanced(sizes=(30, 20))
    for model in (LinearDiscriminantAnalysis(), *MODELS):
        fresh = type(model)(**model.get_params())
        proba = fresh.partial_fit(X, y, classes=[0, 1, 2]).predict_proba(X)
        assert_array_equal(proba[:, 2], 0)
        assert not np.isnan(proba).any()
