"""Least squares on targets: lstsq, RidgeClassifier, Fisher's direction, and the extremes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import RidgeClassifier

from lincore import LeastSquaresClassifier, Moments
from tests.lincore.estimators.comparisons import close
from tests.lincore.estimators.test_linear_discriminant import unbalanced
from tests.lincore.references_linear import (
    fisher_by_the_text,
    least_squares_by_lstsq,
    least_squares_of_the_r_text,
    one_column_per_class,
)

TARGETS = ["one-hot", "plus-minus", "fisher"]


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize(("alpha", "sizes"), [(1e-3, (60, 25, 9)), (100.0, (40, 7))])
def test_plus_minus_targets_are_scikit_learns_ridge_classifier(sizes, alpha, offset):
    X, y = unbalanced(sizes=sizes)
    X = np.round(X * 2**10) / 2**10 + offset  # so that the offset costs the rows no digits
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X))
    ours = LeastSquaresClassifier(alpha, targets="plus-minus").fit(X, y, weight)
    theirs = RidgeClassifier(alpha, solver="cholesky").fit(X, y, weight)
    close(ours.coef_, np.atleast_2d(theirs.coef_))
    close(ours.intercept_, theirs.intercept_)
    assert_array_equal(ours.predict(X), theirs.predict(X))


def singular(seed, n, p):
    X, y = unbalanced(seed, sizes=(n - 8, 5, 3), p=p)
    return np.column_stack([X, X[:, 0], X[:, 1] - 2 * X[:, 2], np.full(n, 7.0)]), y


@pytest.mark.parametrize("shape", [(60, 4), (20, 12), (16, 40)])
def test_the_shortest_solution_where_there_are_many(shape):
    X, y = singular(0, *shape)
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    W, b = least_squares_by_lstsq(X, one_column_per_class(y), weight)
    model = LeastSquaresClassifier().fit(X, y, sample_weight=weight)
    close(model.coef_, W.T, 1e-7)
    close(model.intercept_, b, 1e-7)


@pytest.mark.parametrize("sizes", [(60, 25, 9), (40, 7)])
def test_lstsq_on_data_of_full_rank(sizes):
    X, y = unbalanced(sizes=sizes)
    W, b = least_squares_by_lstsq(X, one_column_per_class(y))
    model = LeastSquaresClassifier().fit(X, y)
    close(
        model.decision_function(X) if len(sizes) > 2 else model.decision_function(X) / 2 + 0.5,
        X @ W + b if len(sizes) > 2 else (X @ W + b)[:, 1],
    )


def test_the_r_texts_codes_1_and_2_with_threshold_one_and_a_half():
    X, y = unbalanced(sizes=(40, 7))
    W = least_squares_of_the_r_text(X, y + 1.0)
    model = LeastSquaresClassifier().fit(X, y)
    close(1.5 + model.decision_function(X) / 2, np.column_stack([np.ones(len(X)), X]) @ W)
    assert_array_equal(model.predict(X), (np.column_stack([np.ones(len(X)), X]) @ W > 1.5) * 1)


def test_fishers_targets_give_fishers_direction_and_the_threshold_of_prml():
    X, y = unbalanced(sizes=(60, 25))
    model = LeastSquaresClassifier(targets="fisher").fit(X, y)
    w = fisher_by_the_text(X, y)
    ratio = model.coef_[0] / w
    assert ratio[0] > 0
    assert_allclose(ratio, ratio[0], rtol=1e-9)
    # Bishop (2006), eq. 4.33: w_0 = -wᵀm with m the mean of all rows.
    assert_allclose(model.decision_function(X.mean(axis=0)[None]), 0, atol=1e-11)
    T = np.where(y == 1, len(X) / 25, -len(X) / 60)[:, None]
    close(
        model.decision_function(X),
        np.ravel(X @ least_squares_by_lstsq(X, T)[0] + least_squares_by_lstsq(X, T)[1]),
    )


def test_fishers_targets_for_many_classes():
    X, y = unbalanced()
    T = one_column_per_class(y) * len(X) / np.bincount(y)
    W, b = least_squares_by_lstsq(X, T)
    close(LeastSquaresClassifier(targets="fisher").fit(X, y).decision_function(X), X @ W + b)


def test_one_hot_targets_sum_to_one_and_plus_minus_predicts_the_same():
    X, y = unbalanced()
    one_hot = LeastSquaresClassifier(0.3).fit(X, y)
    assert_allclose(one_hot.decision_function(X).sum(axis=1), 1)
    assert not hasattr(one_hot, "predict_proba")
    plus_minus = LeastSquaresClassifier(0.3, targets="plus-minus").fit(X, y)
    close(plus_minus.decision_function(X), 2 * one_hot.decision_function(X) - 1)


@given(
    st.integers(0, 1000),
    st.lists(st.integers(1, 93), max_size=4, unique=True),
    st.sampled_from(TARGETS),
    st.sampled_from([0.0, 2.0]),
    st.sampled_from([0.0, -1e6]),
)
def test_neither_cutting_nor_order_nor_replication_matters(seed, cuts, targets, alpha, offset):
    X, y = unbalanced(seed)
    X = np.round(X * 2**10) / 2**10 + offset
    rng = np.random.default_rng(seed)
    weight, order = rng.integers(1, 4, len(X)), rng.permutation(len(X))
    X, y, weight = X[order], y[order], weight[order]
    front = [np.argmax(y == 0), np.argmax(y == 1)]  # two classes, so that there is a model
    order = np.r_[front, np.setdiff1d(np.arange(len(X)), front)]
    model = LeastSquaresClassifier(alpha, targets=targets)
    for batch in np.split(order, sorted({c + 1 for c in cuts})):
        if len(batch):
            model.partial_fit(X[batch], y[batch], [0, 1, 2], sample_weight=weight[batch])
    repeated = LeastSquaresClassifier(alpha, targets=targets)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    close(model.coef_, repeated.coef_, 1e-7)
    moments = Moments.from_groups(X, y, 3, weight)
    again = LeastSquaresClassifier(alpha, targets=targets).fit_moments(moments, [0, 1, 2])
    close(again.coef_, repeated.coef_, 1e-7)


@given(st.integers(0, 1000), st.sampled_from(TARGETS))
def test_affine_maps_change_no_fitted_target(seed, targets):
    X, y = unbalanced(seed)
    A = np.random.default_rng(seed).standard_normal((4, 4)) + 4 * np.eye(4)
    plain = LeastSquaresClassifier(targets=targets).fit(X, y).decision_function(X)
    mapped = LeastSquaresClassifier(targets=targets).fit(X @ A + 7, y).decision_function(X @ A + 7)
    close(mapped, plain, 1e-6)


@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_more_features_than_rows_equals_the_full_scatter(alpha):
    X, y = unbalanced(sizes=(8, 5, 6), p=40)
    space = LeastSquaresClassifier(alpha).fit(X, y)
    full = LeastSquaresClassifier(alpha).fit_moments(Moments.from_groups(X, y, 3), [0, 1, 2])
    close(space.coef_, full.coef_, 1e-6)
    if alpha:
        close(space.coef_, RidgeClassifier(alpha, solver="svd").fit(X, y).coef_ / 2, 1e-7)
    rest = unbalanced(1, sizes=(8, 5, 6), p=40)[0]
    space.partial_fit(rest, y)
    whole = LeastSquaresClassifier(alpha).fit(np.vstack([X, rest]), np.r_[y, y])
    close(space.coef_, whole.coef_, 1e-5)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize("p", [1, 3, 200])
def test_one_row_in_each_of_one_hundred_classes(p):
    X = np.random.default_rng(0).standard_normal((100, p))
    model = LeastSquaresClassifier().fit(X, np.arange(100))
    assert np.isfinite(model.decision_function(X)).all()
    if p == 200:
        close(model.decision_function(X), np.eye(100))


@pytest.mark.parametrize("p", [3, 30])
def test_rows_that_are_all_equal_give_the_shares_of_the_classes(p):
    model = LeastSquaresClassifier().fit(np.full((10, p), 1e6), [0] * 5 + [1] * 3 + [2] * 2)
    assert_allclose(model.decision_function(np.zeros((1, p))), [[0.5, 0.3, 0.2]])


@pytest.mark.parametrize(
    ("options", "message"),
    [({"alpha": -1.0}, "alpha"), ({"alpha": np.nan}, "alpha"), ({"targets": "two"}, "targets")],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LeastSquaresClassifier(**options).fit(*unbalanced())


def test_moments_that_do_not_fit_are_refused():
    X, y = unbalanced()
    model = LeastSquaresClassifier()
    with pytest.raises(ValueError, match="diagonal"):
        model.fit_moments(Moments.from_groups(X, y, 3, diagonal=True), [0, 1, 2])
    with pytest.raises(ValueError, match="increasing order"):
        model.fit_moments(Moments.from_groups(X, y, 3), [0, 2, 1])
    with pytest.raises(ValueError, match="got 1 class"):
        model.fit(X, y, sample_weight=(y == 1) * 1.0)
