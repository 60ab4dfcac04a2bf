"""Logistic regression over blocks is that of all rows: the same minimum by the same solvers."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lincore import LogisticRegression, Moments
from lincore.data import RowBlock
from lincore.estimators import SeparationKind, SeparationWarning


def rows(n=300, p=3, K=3, *, offset=0.0, spread=1.0):
    rng = np.random.default_rng(1)
    codes = rng.choice(K, n, p=np.arange(1, K + 1) / np.arange(1, K + 1).sum())
    X = rng.normal(size=(n, p)) * spread + np.eye(K, p)[codes]
    return np.column_stack([X, X @ np.ones(p)]) + offset, codes


def over_blocks(X, codes, length=70):
    """Return what goes over unequal blocks, and how many passes it has made."""
    blocks = [RowBlock(X[i : i + length], codes[i : i + length]) for i in range(0, len(X), length)]
    passes = []

    def over(work, merge):
        passes.append(work)
        return reduce(merge, map(work, blocks))

    return over, passes


def fitted(model, X, codes):
    labels = np.array(["a", "b", "c"])[: codes.max() + 1]
    over, passes = over_blocks(X, codes)
    moments = Moments.from_groups(X, codes, len(labels))
    sample = RowBlock(X[::2], codes[::2])
    return model.fit_blocks(over, moments, labels, sample), passes, labels[codes]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("newton-cg", {"C": 0.1}),
        ("newton", {"C": np.inf}),
        ("newton-cg", {"class_weight": "balanced", "fit_intercept": False}),
    ],
)
def test_the_minimum_over_blocks_is_that_of_all_rows(solver, n_classes, options):
    X, codes = rows(K=n_classes, offset=50.0 if options.get("C") else 0.0)
    options |= {"solver": solver, "tol": 1e-11}
    found, passes, y = fitted(LogisticRegression(**options), X, codes)
    expected = LogisticRegression(**options).fit(X, y)
    assert found.converged_ and len(passes) >= len(found.trace_)
    assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-8)
    assert_allclose(found.intercept_, expected.intercept_, rtol=1e-8, atol=1e-8)
    assert_allclose(found.log_loss_, expected.log_loss_, rtol=1e-10)


@pytest.mark.parametrize(("limit", "value"), [("WHOLE_HESSIAN", 0), ("CHEAP", 1)])
def test_any_preconditioner_leads_to_the_same_minimum(limit, value, monkeypatch):
    # One matrix for all classes; the Hessian of every third row of the sample.
    X, codes = rows()
    expected = LogisticRegression(solver="newton").fit(X, codes)
    monkeypatch.setattr(f"lincore.estimators.logistic.solvers.{limit}", value)
    found, _, y = fitted(LogisticRegression(tol=1e-12), X, codes)
    in_memory = LogisticRegression(tol=1e-12).fit(X, y)
    for model in (found, in_memory):
        assert_allclose(model.coef_, expected.coef_, rtol=1e-8)


def test_classes_that_separate_are_seen():
    X, codes = rows(spread=1e-3)
    with pytest.warns(SeparationWarning, match="complete separation"):
        found, _, _ = fitted(LogisticRegression(C=np.inf), X, codes)
    assert found.separation_.kind is SeparationKind.COMPLETE and not found.converged_


def test_rows_count_as_they_weigh_and_a_class_without_rows_is_left_out():
    X, codes = rows()
    weight = np.arange(len(X)) % 3 * (codes != 1) + 0.0
    blocks = [RowBlock(X[i::4], codes[i::4], weight[i::4]) for i in range(4)]
    moments = Moments.from_groups(X, codes, 3, weight)
    found = LogisticRegression(tol=1e-11).fit_blocks(
        lambda work, merge: reduce(merge, map(work, blocks)), moments, [0, 1, 2], blocks[0]
    )
    used = weight > 0
    expected = LogisticRegression(tol=1e-11).fit(X[used], codes[used], sample_weight=weight[used])
    assert found.classes_.tolist() == [0, 2]
    assert_allclose(found.coef_, expected.coef_, rtol=1e-7)


@pytest.mark.parametrize("solver", ["sgd", "gradient", "fixed-hessian"])
def test_solvers_of_many_steps_take_no_passes(solver):
    assert not hasattr(LogisticRegression(solver=solver), "fit_blocks")
