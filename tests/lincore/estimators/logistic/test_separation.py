"""The certificate of separation: known cases, and the direction really separates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lincore.estimators import LogisticRegression, SeparationKind, separation


def margins(found, X, codes):
    scores = X @ found.coef.T + found.intercept
    own = scores[np.arange(len(codes)), codes]
    others = scores.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return own - others.max(axis=1)


@given(st.integers(0, 200), st.integers(2, 4))
def test_rows_on_their_own_side_are_found_complete(seed, K):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 3))
    scores = X @ rng.standard_normal((3, K))
    clear = np.partition(scores, -2, axis=1)
    keep = clear[:, -1] - clear[:, -2] > 0.1
    X, codes = X[keep], scores.argmax(axis=1)[keep]
    found = separation(X, codes, K)
    assert found.kind is SeparationKind.COMPLETE and found.separates
    assert margins(found, X, codes).min() > 0


@pytest.mark.parametrize("K", [2, 3])
def test_classes_drawn_alike_overlap(K):
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((200, 3)), rng.integers(0, K, 200)
    found = separation(X, codes, K)
    assert found.kind is SeparationKind.OVERLAP and not found.separates
    assert not found.coef.any() and len(found.leading_features()) == 0


def test_a_feature_that_only_one_class_has_is_quasi_complete():
    """Class 1 alone ever has the symptom; without the symptom both occur."""
    rng = np.random.default_rng(1)
    noise = rng.standard_normal(100) * 1e5
    codes = np.repeat([0, 1], 50)
    symptom = np.where(np.arange(100) >= 80, 1e-3, 0.0)
    X = np.column_stack([noise, symptom])
    found = separation(X, codes, 2)
    assert found.kind is SeparationKind.QUASI_COMPLETE
    assert found.leading_features().tolist() == [1]
    reached = margins(found, X, codes)
    assert reached.min() > -1e-6 and (reached > 1e-3).sum() == 20


def test_one_class_apart_from_two_that_overlap_is_quasi_complete():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((90, 2))
    codes = np.repeat([0, 1, 2], 30)
    X[codes == 2] += 100
    assert separation(X, codes, 3).kind is SeparationKind.QUASI_COMPLETE


@pytest.mark.parametrize("units", [1.0, 1e-8, 1e8])
def test_units_and_offsets_do_not_matter(units):
    X = np.array([[1.0], [2.0], [3.0], [4.0]]) * units
    assert separation(X + 100 * units, [0, 0, 1, 1], 2).kind is SeparationKind.COMPLETE
    assert separation(X + 100 * units, [0, 1, 0, 1], 2).kind is SeparationKind.OVERLAP


def test_without_an_intercept_the_boundary_goes_through_the_origin():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    assert separation(X, [0, 0, 1, 1], 2, intercept=False).kind is SeparationKind.OVERLAP
    assert separation(X - 2.5, [0, 0, 1, 1], 2, intercept=False).kind is SeparationKind.COMPLETE


def test_more_features_than_rows_separate():
    X = np.random.default_rng(0).standard_normal((6, 10))
    codes = np.array([0, 1, 0, 1, 1, 0])
    found = separation(X, codes, 2)
    assert found.kind is SeparationKind.COMPLETE and margins(found, X, codes).min() > 0


@pytest.mark.parametrize("n_classes", [3, 5])
def test_a_class_without_rows_does_not_hide_that_the_others_are_apart(n_classes):
    rng = np.random.default_rng(n_classes)
    X, codes = rng.integers(-1, 2, (30, 2)).astype(float), rng.integers(n_classes, size=30)
    codes[codes == 1] = 0
    without = np.unique(codes, return_inverse=True)[1]
    apart = X + 9 * codes[:, None]
    found = separation(apart, codes, n_classes)
    assert found.kind is SeparationKind.COMPLETE
    present = np.unique(codes)
    scores = apart @ found.coef[present].T + found.intercept[present]
    assert_array_equal(scores.argmax(axis=1), without)


def sparse_counts(seed):
    """Return heavy tails with many zeros, and codes of classes that a model has drawn."""
    rng = np.random.default_rng(seed)
    K, p = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    X = (rng.random((120, p)) < 0.1) * rng.lognormal(0, 2, (120, p))
    scores = X / X.std(axis=0) @ rng.standard_normal((p, K)) * rng.choice([0.5, 3])
    codes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return X, np.unique(codes, return_inverse=True)[1]


@pytest.mark.filterwarnings("ignore:The classes can be separated")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["newton-cg", "newton"])
def test_a_fit_notices_what_the_linear_programme_finds(solver):
    """Steps of conjugate gradients are inexact, and may have come to rest."""
    kinds = []
    for seed in range(10):
        X, codes = sparse_counts(seed)
        kinds.append(separation(X, codes, codes.max() + 1).kind)
        noticed = LogisticRegression(C=np.inf, solver=solver).fit(X, codes).separation_
        assert (SeparationKind.OVERLAP if noticed is None else noticed.kind) is kinds[-1], seed
    assert {SeparationKind.OVERLAP, SeparationKind.QUASI_COMPLETE} <= set(kinds)


def test_heavy_tails_that_overlap_ask_no_linear_programme(monkeypatch):
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 20)) < 0.3) * rng.lognormal(0, 2, (2000, 20))
    scores = X / X.std(axis=0) @ rng.standard_normal(20) * 3
    codes = (scores - np.median(scores) + rng.logistic(size=2000) > 0).astype(int)
    monkeypatch.setattr("lincore.estimators.logistic.separation.linprog", None)
    assert LogisticRegression(C=np.inf).fit(X, codes).converged_
