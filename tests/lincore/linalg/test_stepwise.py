"""Stepwise selection: a slow reference, published numbers, invariance, collinear features."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore.linalg import stepwise_selection
from lincore.moments import Moments
from tests.lincore.references import stepwise_by_determinants


def steps_of(X, codes, weight=None):
    return stepwise_selection(Moments.from_groups(X, codes, codes.max() + 1, weight))


def drawn(seed, n=150, p=12, K=3):
    """Correlated features of unequal units, of which some separate unequal classes."""
    rng = np.random.default_rng(seed)
    codes = np.sort(rng.choice(K, n, p=np.arange(1, K + 1) / np.arange(1, K + 1).sum()))
    codes[:K] = np.arange(K)
    mixed = rng.standard_normal((p, p)) * (rng.random((p, p)) < 0.4) + np.eye(p)
    means = rng.standard_normal((K, p)) * (rng.random(p) < 0.5)
    X = (rng.standard_normal((n, p)) + means[codes]) @ mixed
    return X * 10.0 ** rng.integers(-4, 5, p) + 100, codes


@pytest.mark.parametrize("seed", range(12))
def test_it_equals_refits_by_determinants(seed):
    X, codes = drawn(seed, K=2 + seed % 3)
    steps, expected = steps_of(X, codes), stepwise_by_determinants(X, codes)
    assert [(s.feature, s.enters) for s in steps] == [(j, enters) for j, enters, *_ in expected]
    numbers = [(s.wilks, s.F, s.df1, s.df2) for s in steps]
    assert np.array(numbers) == pytest.approx(np.array([one[2:] for one in expected]), rel=1e-8)


def test_features_leave_again():
    """One feature is best alone, but the sum of two others explains it entirely."""
    rng, codes = np.random.default_rng(1), np.arange(400) % 2
    first, second, noise = rng.standard_normal((3, 400))
    X = np.column_stack([first + codes, second + codes, first + second + 2 * codes + 0.3 * noise])
    steps = steps_of(X, codes)
    assert [(s.feature, s.enters) for s in steps] == [
        (2, True), (0, True), (1, True), (2, False)
    ]  # fmt: skip
    assert steps[-1].F < 2.71 and steps[-1].wilks > steps[-2].wilks
    assert [one[:2] for one in stepwise_by_determinants(X, codes)] == [
        (s.feature, s.enters) for s in steps
    ]


def test_iris_as_in_r():
    """As published, rounded, of klaR's `greedy.wilks(Species ~ ., iris)` and of SPSS."""
    iris = lincore.sample("iris")
    steps = steps_of(iris.X, iris.codes)
    names = [str(iris.feature_names[s.feature]).removesuffix(" (cm)") for s in steps]
    assert names == ["petal length", "sepal width", "petal width", "sepal length"]
    assert [s.wilks for s in steps] == pytest.approx([0.0586, 0.0369, 0.0250, 0.0234], abs=5e-5)
    assert [s.F for s in steps] == pytest.approx([1180.161, 43.035, 34.569, 4.721], abs=5e-4)
    assert [s.df2 for s in steps] == [147, 146, 145, 144]


def test_units_and_origin_change_nothing_and_weights_repeat_rows():
    X, codes = drawn(3)
    steps = steps_of(X, codes)
    moved = steps_of(X * np.geomspace(1e-6, 1e6, X.shape[1]) + 1e3, codes)
    assert [s[:2] for s in moved] == [s[:2] for s in steps]
    assert [s.F for s in moved] == pytest.approx([s.F for s in steps], rel=1e-5)
    weight = np.arange(len(X)) % 3
    repeated = steps_of(np.repeat(X, weight, axis=0), np.repeat(codes, weight))
    weighted = steps_of(X, codes, weight.astype(float))
    assert [s[:2] for s in weighted] == [s[:2] for s in repeated]
    assert [s.F for s in weighted] == pytest.approx([s.F for s in repeated])


def test_combinations_and_constants_never_enter():
    X, codes = drawn(5, n=300)
    first = steps_of(X, codes)[0].feature
    same = X[:, first] * 2 + 1
    near = X[:, first] + 1e-3 * np.std(X[:, first]) * np.random.default_rng(0).standard_normal(300)
    wide = np.column_stack([X, same, near, np.ones(300), codes])
    chosen = [s.feature for s in steps_of(wide, codes)]
    assert len({first, 12, 13} & set(chosen)) == 1 and not {14, 15} & set(chosen)


def test_fewer_rows_than_features():
    rng = np.random.default_rng(6)
    X, codes = rng.standard_normal((20, 60)), np.arange(20) % 2
    X[:, 7] += 4 * codes
    steps = steps_of(X, codes)
    assert steps[0].feature == 7 and all(s.df2 > 0 for s in steps)
    assert all(np.isfinite(s.F) and 0 < s.wilks < 1 for s in steps)
