"""Basis functions: formulas by loops, straight boundaries that become curved, and extremes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from lincore import (
    LinearDiscriminantAnalysis,
    OneVsRest,
    RadialBasis,
    Standardizer,
    TrigonometricFeatures,
    preprocessing,
)

BASES = [
    preprocessing.polynomial(2),
    preprocessing.kernel(n_components=30, random_state=0),
    # Alone it is additive in the features; their products come from a second basis.
    make_pipeline(TrigonometricFeatures(1), preprocessing.polynomial(interaction_only=True)),
    RadialBasis(10, random_state=0),
    RadialBasis(10, centers="random", random_state=0),
]
by_name = pytest.mark.parametrize(
    "functions", BASES, ids=["polynomial", "kernel", "trigonometric", "k-means", "random"]
)


def exclusive_or(n=60, seed=0):
    """Four blobs at the corners of a square; opposite corners are of one class."""
    rng = np.random.default_rng(seed)
    corner = np.arange(n) % 4
    X = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]])[corner] + rng.uniform(-0.6, 0.6, (n, 2))
    return X, corner % 2


def trigonometric_by_loops(X, Z, n_harmonics):
    columns = []
    for j in range(X.shape[1]):
        low, high = X[:, j].min(), X[:, j].max()
        for m in range(1, n_harmonics + 1):
            angle = m * np.pi * (Z[:, j] - (low + high) / 2) / (high - low)
            columns += [np.sin(angle), np.cos(angle)]
    return np.column_stack(columns)


@by_name
def test_what_is_not_separable_is_in_the_feature_space(functions):
    X, y = exclusive_or()
    plain = LinearDiscriminantAnalysis().fit(X, y)
    assert plain.score(X, y) < 0.75
    # As rows of either label lie around every line through the square, no line separates them.
    curved = make_pipeline(clone(functions), LinearDiscriminantAnalysis()).fit(X, y)
    assert curved.score(X, y) == 1
    fresh, labels = exclusive_or(seed=1)
    assert curved.score(fresh, labels) > 0.95


@by_name
def test_they_stand_before_any_classifier_and_have_names(functions):
    X, y = exclusive_or()
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = make_pipeline(Standardizer(), clone(functions), OneVsRest(LinearDiscriminantAnalysis()))
    assert model.fit(frame, y).score(frame, y) == 1
    functions = clone(functions).fit(frame)
    assert len(functions.get_feature_names_out()) == functions.transform(frame).shape[1]


@given(st.integers(0, 1000), st.integers(1, 4), st.sampled_from([0.0, 1e6, -1e6]))
@settings(deadline=None)
def test_trigonometric_is_its_formula_and_knows_no_units(seed, m, offset):
    rng = np.random.default_rng(seed)
    X, Z = np.round(rng.standard_normal((2, 9, 3)) * 2**12) / 2**12
    found = TrigonometricFeatures(m).fit(X).transform(Z)
    assert_allclose(found, trigonometric_by_loops(X, Z, m), atol=1e-12)
    units = np.array([1e-8, 1.0, 1e8])
    moved = TrigonometricFeatures(m).fit((X + offset) * units).transform((Z + offset) * units)
    assert_allclose(moved, found, atol=1e-6)


def test_the_ends_of_a_range_are_told_apart_unless_the_period_is_known():
    hours = np.arange(25.0)[:, None]
    own = TrigonometricFeatures(1).fit(hours).transform(hours)
    assert abs(own[0] - own[-1]).max() > 1
    clock = TrigonometricFeatures(3, period=24).fit(hours).transform(hours)
    assert_allclose(clock[0], clock[-1], atol=1e-12)


def test_a_constant_feature_says_nothing():
    X = np.column_stack([np.arange(5.0), np.full(5, 1e6 + 0.1)])
    Z = TrigonometricFeatures(1).fit(X).transform(X + 3)
    assert_array_equal(Z[:, 2:], np.tile([0.0, 1.0], (5, 1)))


@given(st.integers(0, 1000), st.sampled_from(["k-means", "random"]))
@settings(deadline=None, max_examples=25)
def test_radial_basis_is_its_formula(seed, centers):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 3))
    model = RadialBasis(6, centers=centers, random_state=seed).fit(X)
    between = [np.linalg.norm(a - b) for i, a in enumerate(X) for b in X[:i]]
    assert_allclose(model.width_, np.median(between))
    expected = [
        [np.exp(-np.sum((x - c) ** 2) / (2 * model.width_**2)) for c in model.centers_] for x in X
    ]
    assert_allclose(model.transform(X), expected)
    moved = RadialBasis(6, centers=centers, random_state=seed).fit(1e6 + 4 * X)
    assert_allclose(moved.transform(1e6 + 4 * X), expected, atol=1e-6)
    if centers == "random":
        assert all((c == X).all(axis=1).any() for c in model.centers_)


def test_centres_and_width_come_from_the_training_rows_alone():
    X = exclusive_or()[0]
    model = RadialBasis(5, random_state=3).fit(X)
    before = model.centers_.copy()
    model.transform(X + 100)
    assert_array_equal(model.centers_, before)
    assert_array_equal(RadialBasis(5, random_state=3).fit(X).centers_, before)


def test_fewer_different_rows_than_centres_is_no_fault():
    X = np.array([[0.0], [1.0], [1.0], [5.0]])
    assert_array_equal(RadialBasis(20).fit(X).centers_, [[0.0], [1.0], [5.0]])
    assert RadialBasis(20, width=1.0).fit(np.ones((4, 2))).transform(np.ones((1, 2))) == 1


def test_the_kernel_is_exact_with_as_many_components_as_rows():
    X = exclusive_or()[0]
    Z = preprocessing.kernel(n_components=60, gamma=0.5, random_state=0).fit_transform(X)
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    assert_allclose(Z @ Z.T, np.exp(-0.5 * distances), atol=1e-8)


@pytest.mark.parametrize("functions", [TrigonometricFeatures(), RadialBasis(5, random_state=0)])
@pytest.mark.parametrize("convert", [np.asfortranarray, np.float32, np.uint8])
def test_kinds_of_rows(functions, convert):
    X = np.random.default_rng(0).integers(0, 256, (30, 2)).astype(float)
    expected = functions.fit(X).transform(X)
    rows = convert(X) if convert is np.asfortranarray else X.astype(convert)
    assert_allclose(functions.fit(rows).transform(rows), expected, rtol=1e-6, atol=1e-9)
    assert expected.dtype == functions.transform(rows).dtype == np.float64


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        (TrigonometricFeatures(0), "n_harmonics"),
        (TrigonometricFeatures(1.5), "n_harmonics"),
        (TrigonometricFeatures(period=-1), "period must be positive"),
        (RadialBasis(0), "n_centers"),
        (RadialBasis(centers="grid"), "centers must be"),
        (RadialBasis(centers=[[1.0]]), r"shape \(m, 2\)"),
        (RadialBasis(width=0), "width must be"),
        (RadialBasis(width="mean"), "width must be"),
    ],
    ids=str,
)
def test_options_that_do_not_fit_are_refused(functions, message):
    with pytest.raises(ValueError, match=message):
        functions.fit(exclusive_or()[0])


def test_rows_that_are_all_equal_have_no_width():
    with pytest.raises(ValueError, match="are equal.*Give a width"):
        RadialBasis().fit(np.ones((4, 2)))
