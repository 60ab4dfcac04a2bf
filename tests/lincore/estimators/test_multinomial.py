"""Multinomial naive Bayes: counting, scikit-learn, sparse rows, and words never seen."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import MultinomialNB as ScikitMultinomialNB

from lincore import MultinomialNB
from tests.lincore.references_linear import multinomial_by_counting


def documents(seed=0, sizes=(40, 15, 6), p=12, density=0.4):
    """Draw counts of words: classes of unequal sizes, many zeros."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    rates = rng.gamma(0.5, 2.0, (len(sizes), p)) + 0.05
    return rng.poisson(rates[y]) * (rng.random((len(y), p)) < density), y


@given(
    st.integers(0, 1000),
    st.sampled_from([(40, 15, 6), (30, 9)]),
    st.sampled_from([1e-3, 1.0, 7.5]),
    st.booleans(),
    st.booleans(),
)
def test_agrees_with_scikit_learn(seed, sizes, alpha, weighted, sparse):
    X, y = documents(seed, sizes)
    weight = np.random.default_rng(seed).uniform(0.1, 3, len(X)) if weighted else None
    priors = np.arange(1, len(sizes) + 1) / sum(range(len(sizes) + 1)) if seed % 2 else None
    rows = sp.csr_array(X) if sparse else X
    ours = MultinomialNB(alpha, priors=priors).fit(rows, y, weight)
    theirs = ScikitMultinomialNB(alpha=alpha, class_prior=priors).fit(rows, y, weight)
    assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-10)
    assert_allclose(
        ours.predict_log_proba(rows), theirs.predict_log_proba(rows), rtol=1e-10, atol=1e-10
    )
    assert_array_equal(ours.predict(rows), theirs.predict(rows))
    scores = X @ ours.coef_.T + ours.intercept_
    assert_allclose(ours.decision_function(rows), np.squeeze(scores), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_scores_are_those_of_the_lecture(alpha):
    X, y = documents(density=1.0)
    X = X + 1  # every class has every word
    model = MultinomialNB(alpha).fit(X, y)
    expected = [multinomial_by_counting(X, y, row, alpha) for row in X]
    assert_allclose(model.decision_function(X), expected, rtol=1e-12)


@given(st.integers(0, 1000), st.lists(st.integers(1, 60), max_size=4, unique=True), st.booleans())
def test_partial_fit_is_exact_under_any_cutting(seed, cuts, sparse):
    X, y = documents(seed)
    order = np.r_[0, 40, np.random.default_rng(seed).permutation(np.setdiff1d(range(61), [0, 40]))]
    model = MultinomialNB()
    for batch in np.split(order, sorted({max(2, c) for c in cuts})):
        if len(batch):
            rows = sp.csr_matrix(X[batch]) if sparse else X[batch]
            model.partial_fit(rows, y[batch], [0, 1, 2])
    whole = MultinomialNB().fit(X, y)
    assert_array_equal(model.coef_, whole.coef_)
    assert_array_equal(model.intercept_, whole.intercept_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_smoothing_a_word_never_had_excludes_the_class(n_classes):
    X = np.array([[2, 1, 0, 0], [1, 0, 3, 0], [1, 1, 1, 0]])[:n_classes]
    y = np.array(["a", "b", "c"])[:n_classes]
    model = MultinomialNB(alpha=0.0).fit(X, y)
    proba = model.predict_proba([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]])
    assert proba[0, 1] == 0 and proba[1, 0] == 0
    assert_allclose(proba[2], 1 / n_classes)
    assert_array_equal(model.feature_log_prob_[:, 3], -np.inf)
    scores = model.decision_function([[1, 1, 0, 0]])
    assert np.isneginf(scores[0] if n_classes == 2 else scores[0, 1])
    assert not np.isnan(model.coef_).any()


def test_a_word_that_no_class_has_had_is_ignored():
    X, y = documents(density=1.0)
    X = np.column_stack([X + 1, np.zeros(len(X), dtype=int)])
    model = MultinomialNB(alpha=0.0).fit(X, y)
    more = X + 5 * (np.arange(X.shape[1]) == X.shape[1] - 1)
    assert_array_equal(model.predict_proba(more), model.predict_proba(X))


@given(st.integers(0, 1000))
def test_without_smoothing_is_the_limit_of_smoothing_less_and_less(seed):
    X, y = documents(seed, density=0.3)
    new = documents(seed + 1, density=0.6)[0]
    new = new * (X.sum(axis=0) > 0)  # words that no class has had are ignored instead
    limit = MultinomialNB(alpha=0.0).fit(X, y).predict_proba(new)
    near = MultinomialNB(alpha=1e-200).fit(X, y).predict_proba(new)
    assert_allclose(limit, near, atol=1e-6)
    assert_allclose(limit.sum(axis=1), 1)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_class_without_words_and_a_class_without_rows(alpha):
    X, y = documents()
    X = np.where(y[:, None] == 1, 0, X)
    model = MultinomialNB(alpha).fit(X, y)
    assert_allclose(np.exp(model.feature_log_prob_[1]), 1 / X.shape[1])
    assert not np.isnan(model.predict_proba(X)).any()
    model = MultinomialNB(alpha).partial_fit(X, y, [0, 1, 2, 3])
    assert_array_equal(model.predict_proba(X)[:, 3], 0)
    assert not np.isnan(model.decision_function(X)).any()
    empty = MultinomialNB(alpha).fit(np.zeros((3, 4)), [0, 0, 1])
    assert_allclose(empty.predict_proba(np.ones((1, 4))), [[2 / 3, 1 / 3]])


def test_counts_in_uint8_do_not_wrap():
    X = np.full((300, 2), 255, dtype=np.uint8)
    model = MultinomialNB().fit(X, np.arange(300) % 2)
    assert_array_equal(model.feature_count_, np.full((2, 2), 150 * 255.0))


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_many_classes_many_words_large_counts_one_word():
    X, y = documents(sizes=(1,) * 100, p=500)
    for alpha in (0.0, 1.0):
        model = MultinomialNB(alpha).fit(X, y)
        assert model.score(X, y) > 0.9
        large = MultinomialNB(alpha).fit(X * 1e8, y)
        assert np.isfinite(large.predict_proba(X * 1e8)).all()
        one = MultinomialNB(alpha).fit(X[:, :1] + 1, y)
        assert_allclose(one.predict_proba(X[:, :1]), 0.01)


def test_negative_counts_and_options_that_do_not_fit_are_refused():
    X, y = documents()
    for rows in (X - 1, sp.csr_array(X - 1)):
        with pytest.raises(ValueError, match="Negative values in data passed to MultinomialNB"):
            MultinomialNB().fit(rows, y)
        with pytest.raises(ValueError, match="Negative values"):
            MultinomialNB().fit(X, y).predict(rows)
    with pytest.raises(ValueError, match="alpha must be a finite number >= 0, got -0.1"):
        MultinomialNB(-0.1).fit(X, y)
    with pytest.raises(ValueError, match="3 probabilities"):
        MultinomialNB(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="got 1 class"):
        MultinomialNB().fit(X, y, sample_weight=(y == 1) * 1.0)
    with pytest.raises(ValueError, match="classes must be passed"):
        MultinomialNB().partial_fit(X, y)
