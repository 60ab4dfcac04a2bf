"""Sparse rows: the estimates of dense ones, without ever being made dense."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression as Reference

from lincore import LogisticRegression, OneVsOne, OneVsRest, Perceptron
from lincore.estimators import SeparationWarning
from tests.data import DATA, needs_data


def words(n=200, p=30, n_classes=3, seed=0):
    """Draw counts of words, most of them zero, of unbalanced classes."""
    rng = np.random.default_rng(seed)
    shares = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    y = np.sort(rng.choice(n_classes, n, p=shares))
    rates = rng.gamma(0.3, 0.6, (n_classes, p))
    X = rng.poisson(rates[y]).astype(float)
    X[:, 0] = 3.0  # a constant
    X[:, 1] = 0.0  # a word that never comes
    X[:, 2] *= 20
    return X, y


@pytest.fixture
def never_dense(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("sparse rows were made dense")

    for kind in (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix):
        for name in ("toarray", "todense"):
            monkeypatch.setattr(kind, name, refuse)


@pytest.mark.parametrize("offset", [1e5, 1e7])
def test_a_feature_far_from_zero_has_the_coefficient_of_dense_rows(offset):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.standard_normal((200, 2)) + y[:, None]
    X[:, 0] += offset
    dense, sparse = (LogisticRegression(C=1e4).fit(rows, y) for rows in (X, sp.csr_array(X)))
    assert sparse.converged_
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6)
    assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize(
    ("C", "shape", "weighted"),
    [(10.0, (200, 30), True), (1.0, (40, 80), False), (0.01, (150, 1200), True)],
)
def test_the_estimate_is_that_of_dense_rows(C, shape, weighted):
    X, y = words(*shape)
    weight = np.random.default_rng(0).integers(0, 3, len(y)) if weighted else None
    # A penalty so weak beside so many words holds the minimum loosely.
    dense = LogisticRegression(C=C, tol=1e-11).fit(X, y, weight)
    sparse = LogisticRegression(C=C, tol=1e-11).fit(sp.csr_array(X), y, weight)
    assert sparse.converged_
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-6 * np.abs(dense.coef_).max())
    assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-6, atol=1e-6)
    assert sparse.log_loss_ == pytest.approx(dense.log_loss_, rel=1e-6)
    if shape[0] > shape[1]:  # else dense rows are turned into the space that they span
        # Both begin at zero: the same gradient is that of the same means and deviations.
        first = (model.trace_[0].gradient_norm for model in (sparse, dense))
        assert next(first) == pytest.approx(next(first), rel=1e-9)
    assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("solver", "intercept"),
    [("newton", True), ("newton-cg", False), ("fixed-hessian", True), ("gradient", False)],
)
def test_every_solver_takes_sparse_rows(solver, intercept):
    X, y = words(150, 8)
    X = np.minimum(X, 3)
    options = {"solver": solver, "fit_intercept": intercept, "C": 0.1}
    dense = LogisticRegression(**options).fit(X, y)
    sparse = LogisticRegression(**options).fit(sp.csr_array(X), y)
    assert_allclose(sparse.coef_, dense.coef_, atol=1e-6)


def test_maximum_likelihood_of_overlapping_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [100, 200, 300])
    X = rng.poisson(rng.uniform(0.2, 0.6, (3, 6))[y]).astype(float)
    dense = LogisticRegression(C=np.inf).fit(X, y)
    sparse = LogisticRegression(C=np.inf).fit(sp.csr_array(X), y)
    assert sparse.converged_
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-5, atol=1e-6)
    assert sparse.log_likelihood(sp.csr_array(X), y) == pytest.approx(-dense.log_loss_)


def test_separation_of_sparse_rows_is_noticed():
    X, y = words(30, 100, 2)
    with pytest.warns(SeparationWarning):
        model = LogisticRegression(C=np.inf).fit(sp.csr_array(X), y)
    assert not model.converged_


@pytest.mark.parametrize("n_classes", [2, 4])
def test_wide_rows_are_never_made_dense(never_dense, n_classes):
    X, y = words(300, 1500, n_classes)
    X = sp.csr_array(X)
    model = LogisticRegression().fit(X, y)
    assert model.score(X, y) > 0.8
    assert OneVsRest(LogisticRegression()).fit(X, y).coef_.shape[1] == 1500
    assert OneVsOne(LogisticRegression()).fit(X, y).score(X, y) > 0.8


def test_a_solver_that_would_need_a_huge_matrix_is_refused():
    X, y = words(50, 1500)
    with pytest.raises(ValueError, match="1,500 sparse features. Choose 'newton-cg'"):
        LogisticRegression(solver="newton").fit(sp.csr_array(X), y)
    sgd = LogisticRegression(solver="sgd", random_state=0, max_iter=2)
    with pytest.warns(UserWarning, match="did not converge"):
        assert sgd.fit(sp.csr_array(X), y).score(sp.csr_array(X), y) > 0.5


@pytest.mark.long
@needs_data
def test_short_messages_agree_with_scikit_learn():
    texts = (DATA / "csv" / "sms_spam_latin1.csv").read_text(encoding="latin-1").splitlines()
    y = np.array([line.split(",", 1)[0] for line in texts[1:]])
    is_row = np.isin(y, ["ham", "spam"])
    X = CountVectorizer(dtype=float).fit_transform(np.array(texts[1:])[is_row])
    y = y[is_row]
    # The label itself is a word of the line.
    X = sp.csr_array(X)[:, (X.sum(axis=0).A1 < 700)]
    model = LogisticRegression().fit(X, y)
    reference = Reference(tol=1e-10, max_iter=10_000).fit(X, y)
    assert_allclose(model.coef_, reference.coef_, atol=1e-4)
    assert model.converged_
    assert X.shape[1] > X.shape[0]


# Perceptron


@pytest.mark.parametrize("weights", ["last", "pocket", "averaged"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore:The perceptron did not converge")
def test_the_perceptron_takes_the_same_steps(weights, n_classes):
    X, y = words(600, 20, n_classes)
    options = {"weights": weights, "standardize": False, "random_state": 0, "max_epochs": 5}
    dense = Perceptron(**options).fit(X, y)
    sparse = Perceptron(**options).fit(sp.csr_array(X), y)
    assert_array_equal(sparse.mistakes_, dense.mistakes_)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-12)
    assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-12)
    assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))


def test_the_perceptron_scales_sparse_rows_and_does_not_centre_them():
    X, y = words(120, 400, 2)
    scale = np.sqrt((X**2).mean(axis=0))
    scale[scale == 0] = 1
    plain = Perceptron(standardize=False, random_state=0).fit(X / scale, y)
    sparse = Perceptron(random_state=0).fit(sp.csr_array(X), y)
    assert sparse.converged_
    assert_allclose(sparse.coef_, plain.coef_ / scale, rtol=1e-9, atol=1e-12)


def test_a_feature_whose_variation_is_lost_in_its_offset_is_named():
    """Sparse rows are not centred: below 1e-7 of the mean nothing is left of a deviation."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.arange(200) % 2
    X[:, 1] = 1e9 + y
    with pytest.warns(UserWarning, match="coefficients of zero: 'feature 1'[.]"):
        LogisticRegression().fit(sp.csr_array(X), y)
    X[:, 1] = np.where(y, 0.3, 0.1 + 0.2)  # a last digit is rounding
    weight = rng.uniform(size=200)
    for given in (None, weight):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            LogisticRegression().fit(sp.csr_array(X), y, given)
