"""Columns and rows at every extreme: few, many, constant, repeated, separated."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from lincore import (
    MultinomialNB,
    OneVsOne,
    Perceptron,
)
from lincore.estimators.logistic.separation import SeparationWarning
from tests.common.extremes import (
    CASES,
    answer,
    assert_same,
    clouds,
    easy,
    every,
    every_but_counts,
    fit,
    name,
    refusal,
)


@every
def test_constant_columns_change_nothing(case):
    X, y = clouds()
    Z = np.column_stack([X, np.zeros(len(X)), np.full(len(X), 1e6 + 0.1)])
    # To a shrunken covariance even a column of zeros is a feature; to counts, words; and the rate
    # that is safe for sequential steps is smaller, which shows when they are cut short.
    if case.units == "all" or not case.offsets or "sgd" in name(case):
        answer(fit(case.model, Z, y), Z)
    else:
        assert_same(case, X, Z, y)


@every
def test_repeated_and_combined_columns(case):
    X, y = clouds()
    Z = np.column_stack([X, X[:, 1], X[:, 0] + 2 * X[:, 2]])
    if case.repeats:
        assert_same(case, X, Z, y)
    else:
        Z, y = easy()
        Z = np.column_stack([Z, Z])
        assert_array_equal(answer(fit(case.model, Z, y), Z), y)


@every
def test_a_column_that_is_constant_within_every_class(case):
    X, y = easy()
    Z = np.column_stack([X, y == 1])
    assert_array_equal(answer(fit(case.model, Z, y), Z), y)


@every
def test_rows_that_are_all_equal(case):
    X, y = np.full((20, 3), 7.1), np.repeat([0, 1], [14, 6])
    words = refusal(case.model, X, y)
    if words is None:
        # Nothing but the shares of the classes is left.
        assert_array_equal(answer(fit(case.model, X, y), X), 0)
    else:
        assert "varies" in words or "equal" in words


@every_but_counts
def test_one_feature(case):
    X, y = easy((30, 20), p=1)
    assert_array_equal(answer(fit(case.model, X, y), X), y)


@every
def test_more_features_than_rows(case):
    X, y = easy((8, 5, 6), p=60)
    new, truth = easy((30, 30, 30), p=60, seed=1)
    if str(case.model) == "QuadraticDiscriminantAnalysis()":
        assert "regularization" in refusal(case.model, X, y)
    else:
        assert np.mean(answer(fit(case.model, X, y), new) == truth) > 0.95


@pytest.mark.parametrize("p", [1, 6, 40])
@every
def test_one_row_of_each_class(case, p):
    X, y = easy((1, 1, 1), p=p) if p > 1 else easy((1, 1), p=1)
    words = refusal(case.model, X, y)
    if words is None:
        predicted = answer(fit(case.model, X, y), X)
        # One word has the same probability in every class.
        if case.lone_rows and not (p == 1 and isinstance(case.model, MultinomialNB)):
            assert_array_equal(predicted, y)
    else:
        assert not case.lone_rows
        assert "varies" in words or "outweigh" in words


@pytest.mark.parametrize("p", [2, 6, 40])
@every
def test_two_rows_of_each_class(case, p):
    X, y = easy((2,) * min(p, 3), p=p)
    if str(case.model) == "QuadraticDiscriminantAnalysis()":
        assert "regularization" in refusal(case.model, X, y)
    else:
        assert_array_equal(answer(fit(case.model, X, y), X), y)


# Left out: 4,950 models (test_multiclass has them), and Hessians of 2,079 by 2,079, many times.
MANY = [
    case
    for case in CASES
    if not isinstance(case.model, OneVsOne)
    and getattr(case.model, "solver", "sgd") in ("gradient", "sgd")
]


@pytest.mark.parametrize("case", MANY, ids=name)
def test_one_hundred_classes(case):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 3)
    X = rng.choice([20.0, 200.0], (100, 20))[y] + rng.normal(0, 4, (300, 20))
    if str(case.model) == "QuadraticDiscriminantAnalysis()":
        assert "regularization" in refusal(case.model, X, y)
    else:
        assert np.mean(answer(fit(case.model, X, y), X) == y) > 0.98


@every
def test_a_thousand_rows_against_three(case):
    X, y = easy((1000, 3))
    if str(case.model) == "QuadraticDiscriminantAnalysis()":
        assert "regularization" in refusal(case.model, X, y)
        return
    predicted = answer(fit(case.model, X, y), X)
    assert_array_equal(predicted[y == 1], 1)
    # Fisher's targets put the threshold at the mean of all rows, in the middle of the larger class.
    if getattr(case.model, "targets", "") != "fisher":
        assert_array_equal(predicted, y)


@every
def test_classes_that_a_plane_separates(case):
    X, y = easy((40, 20))
    assert_array_equal(answer(fit(case.model, X, y), X), y)
    if isinstance(case.model, Perceptron):
        assert fit(case.model, X, y).converged_
    if getattr(case.model, "C", 1.0) == np.inf:
        with pytest.warns(SeparationWarning, match=r"(?s)led by: feature.*Use a finite C"):
            clone(case.model).fit(X, y)
