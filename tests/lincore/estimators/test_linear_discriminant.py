"""LDA: the text's formula, scikit-learn's svd solver, and what must not change the answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA

from lincore import LinearDiscriminantAnalysis, Moments
from tests.lincore.references import lda_by_the_text


def unbalanced(seed=0, sizes=(60, 25, 9), p=4, offset=0.0):
    """Correlated Gaussian classes of unequal sizes and badly scaled features."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((2, p, p)))[0]
    mix = (turn[0] * np.logspace(0, 1, p)) @ turn[1] * np.logspace(-1, 2, p)
    X = [rng.standard_normal((n, p)) @ mix + rng.standard_normal(p) @ mix for n in sizes]
    return np.vstack(X) + offset, np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("sizes", [(60, 25, 9), (40, 7), (5, 9, 30, 12, 8)])
def test_scores_differ_from_the_texts_by_the_same_amount_for_all_classes(sizes):
    X, y = unbalanced(sizes=sizes)
    expected = lda_by_the_text(X, y)(X)
    posterior = LinearDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    shift = expected - posterior
    assert_allclose(shift, shift[:, :1] * np.ones(len(sizes)), atol=1e-6, rtol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("sizes", [(60, 25, 9), (40, 7)])
@pytest.mark.parametrize("priors", [None, "equal"])
def test_agrees_with_scikit_learns_svd_solver(sizes, priors, offset):
    X, y = unbalanced(sizes=sizes)
    X = np.round(X * 2**10) / 2**10 + offset  # so that the offset costs the rows no digits
    priors = None if priors is None else np.full(len(sizes), 1 / len(sizes))
    ours = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
    theirs = ScikitLDA(priors=priors).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-8 * np.abs(theirs.coef_).max())
    if not offset:
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-12)
    assert_array_equal(ours.predict(X), theirs.predict(X))


def test_divisor_n_minus_k_scales_the_covariance():
    X, y = unbalanced()
    by_n = LinearDiscriminantAnalysis().fit(X, y)
    unbiased = LinearDiscriminantAnalysis(divisor="n-k").fit(X, y)
    assert_allclose(unbiased.covariance_, by_n.covariance_ * len(X) / (len(X) - 3))


def test_shrinkage_agrees_with_scikit_learns_lsqr_solver():
    X, y = unbalanced()
    for shrinkage in (0.0, 0.3, 1.0):
        ours = LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
        theirs = ScikitLDA(solver="lsqr", shrinkage=shrinkage).fit(X, y)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-10)


def test_priors_never_enter_the_covariance():
    X, y = unbalanced()
    plain = LinearDiscriminantAnalysis().fit(X, y)
    for priors in ([0.98, 0.01, 0.01], [0.2, 0.3, 0.5]):
        changed = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
        assert_array_equal(changed.covariance_, plain.covariance_)
        # Bayes: the posterior odds change by the odds of the priors and by nothing else.
        ratio = changed.predict_log_proba(X) - plain.predict_log_proba(X)
        expected = np.log(priors) - np.log(plain.priors_)
        assert_allclose(ratio - ratio[:, :1], expected - expected[0] + 0 * ratio, atol=1e-9)


def test_partial_fit_goes_on_after_fit_even_from_the_row_space():
    X, y = unbalanced(p=12)
    first = np.r_[0:4, 60:63, 85:88]
    rest = np.setdiff1d(np.arange(len(X)), first)
    model = LinearDiscriminantAnalysis(shrinkage=0.1).fit(X[first], y[first])
    model.partial_fit(X[rest], y[rest])
    whole = LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y)
    assert_allclose(model.covariance_, whole.covariance_, rtol=1e-8)
    assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-6, atol=1e-12)


@given(st.integers(0, 100))
def test_invariant_under_affine_maps_and_row_order(seed):
    X, y = unbalanced(seed)
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((4, 4)) + 4 * np.eye(4)
    plain = LinearDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    mapped = LinearDiscriminantAnalysis().fit(X @ A + 7, y).predict_log_proba(X @ A + 7)
    assert_allclose(mapped, plain, rtol=1e-6, atol=1e-6)
    order = rng.permutation(len(X))
    shuffled = LinearDiscriminantAnalysis().fit(X[order], y[order]).predict_log_proba(X)
    assert_allclose(shuffled, plain, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("shrinkage", [None, 0.2, "oas"])
def test_fewer_rows_than_features_equals_the_full_covariance(shrinkage):
    """The row space gives what the p x p covariance gives, without forming it."""
    X, y = unbalanced(sizes=(8, 5, 6), p=40)
    space = LinearDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    full = LinearDiscriminantAnalysis(shrinkage=shrinkage)
    full.fit_moments(Moments.from_groups(X, y, 3), [0, 1, 2])
    new = unbalanced(1, sizes=(8, 5, 6), p=40)[0]
    a, b = space.decision_function(new), full.decision_function(new)
    assert_allclose(a - a[:, :1], b - b[:, :1], rtol=1e-5, atol=1e-6 * np.abs(b).max())
    assert_allclose(space.means_, full.means_, rtol=1e-9, atol=1e-9)
    if shrinkage is None:
        assert_array_equal(space.predict(new), ScikitLDA().fit(X, y).predict(new))


def test_duplicated_and_constant_columns_change_nothing():
    X, y = unbalanced()
    plain = LinearDiscriminantAnalysis().fit(X, y)
    wide = np.column_stack([X, X[:, 1], np.full(len(X), 1e6 + 0.1), X[:, 0] + 2 * X[:, 2]])
    singular = LinearDiscriminantAnalysis().fit(wide, y)
    assert singular.rank_ == 4
    assert_allclose(singular.predict_proba(wide), plain.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"priors": [0.5, 0.5]}, "3 probabilities"),
        ({"priors": [0.5, 0.6, -0.1]}, "sum to 1"),
        ({"shrinkage": 1.5}, "shrinkage"),
        ({"shrinkage": "lw"}, "shrinkage"),
        ({"divisor": "n-1"}, "divisor"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    X, y = unbalanced()
    with pytest.raises(ValueError, match=message):
        LinearDiscriminantAnalysis(**options).fit(X, y)


def test_one_row_in_each_class_is_refused_with_a_reason():
    with pytest.raises(ValueError, match="No feature varies within the classes"):
        LinearDiscriminantAnalysis().fit([[0.0, 1.0], [2.0, 3.0]], [0, 1])
    with pytest.raises(ValueError, match="need a total weight"):
        LinearDiscriminantAnalysis(divisor="n-k").fit([[0.0, 1.0], [2.0, 3.0]], [0, 1])


def test_labels_that_were_not_announced_are_named():
    X, y = unbalanced()
    with pytest.raises(ValueError, match=r"\[2\] are not among"):
        LinearDiscriminantAnalysis().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be passed"):
        LinearDiscriminantAnalysis().partial_fit(X, y)
