"""Logistic regression over blocks is that of all rows: the same minimum by the same solvers."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lincore import LogisticRegression, Moments
from lincore.estimators import SeparationKind, SeparationWarning


def rows(n=300, p=3, K=3, *, offset=0.0, spread=1.0):
    rng = np.random.default_rng(1)
    codes = rng.choice(K, n, p=np.arange(1, K + 1) / np.arange(1, K + 1).sum())
    X = rng.normal(size=(n, p)) * spread + np.eye(K, p)[codes]
    return np.column_stack([X, X @ np.ones(p)]) + offset, codes


def over_blocks(X, codes, length=70):
    """Return what goes over unequal blocks, and how many passes it has made."""
    blocks = [(X[i : i + length], codes[i : i + length]) for i in range(0, len(X), length)]
    passes = []

    def over(work, merge):
        passes.append(work)
        return reduce(merge, map(work, blocks))

    return over, passes


def fitted(model, X, codes):
    labels = np.array(["a", "b", "c"])[: codes.max() + 1]
    over, passes = over_blocks(X, codes)
    moments = Moments.from_groups(X, codes, len(labels))
    return model.fit_blocks(over, moments, labels), passes, labels[codes]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("newton-cg", {"C": 0.1}),
        ("newton", {"C": np.inf}),
        ("fixed-hessian", {"class_weight": "balanced", "fit_intercept": False}),
    ],
)
def test_the_minimum_over_blocks_is_that_of_all_rows(solver, n_classes, options):
    X, codes = rows(K=n_classes, offset=50.0 if options.get("C") else 0.0)
    found, passes, y = fitted(LogisticRegression(solver=solver, **options), X, codes)
    expected = LogisticRegression(solver=solver, **options).fit(X, y)
    assert found.converged_ and len(passes) >= len(found.trace_)
    assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-8)
    assert_allclose(found.intercept_, expected.intercept_, rtol=1e-8, atol=1e-8)
    assert_allclose(found.log_loss_, expected.log_loss_, rtol=1e-10)


def test_wide_problems_take_one_matrix_for_all_classes(monkeypatch):
    monkeypatch.setattr("lincore.estimators.logistic.solvers.WHOLE_HESSIAN", 0)
    X, codes = rows()
    found, _, y = fitted(LogisticRegression(tol=1e-12), X, codes)
    assert_allclose(found.coef_, LogisticRegression(tol=1e-12).fit(X, y).coef_, rtol=1e-8)


def test_classes_that_separate_are_seen():
    X, codes = rows(spread=1e-3)
    with pytest.warns(SeparationWarning, match="complete separation"):
        found, _, _ = fitted(LogisticRegression(C=np.inf), X, codes)
    assert found.separation_.kind is SeparationKind.COMPLETE and not found.converged_


def test_a_solver_that_goes_from_row_to_row_is_refused():
    with pytest.raises(ValueError, match="works row by row"):
        fitted(LogisticRegression(solver="sgd"), *rows())
