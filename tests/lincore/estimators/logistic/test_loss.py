"""What must not change the minimum of the loss: blocks of rows, types of numbers, large scores.

Loss, gradient and Hessian against loops over rows are in test_estimator.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from lincore import LogisticRegression


def problem(n=40, p=3, K=4, offset=0.0):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, K, n)
    X = rng.standard_normal((n, p)) * 20 + 90 + 10 * rng.standard_normal((K, p))[codes] + offset
    return X, codes, rng.uniform(0, 3, n)


@pytest.mark.parametrize(
    ("solver", "values"),
    [("newton", 1), ("newton", 7), ("newton-cg", 7), ("newton-cg", 60), ("fixed-hessian", 60)],
)
def test_any_cutting_into_blocks_gives_the_same(solver, values, monkeypatch):
    X, codes, weight = problem()
    tol = 1e-7 if solver == "fixed-hessian" else 1e-10  # which takes thousands of steps
    options = {"solver": solver, "tol": tol, "max_iter": 9999}
    whole = LogisticRegression(**options).fit(X, codes, weight)
    monkeypatch.setattr("lincore.estimators.logistic.design_matrix.BLOCK_VALUES", values)
    cut = LogisticRegression(**options).fit(X, codes, weight)
    assert_allclose(cut.coef_, whole.coef_, rtol=1e-6, atol=1e-8)
    assert_allclose(cut.log_loss_, whole.log_loss_, rtol=1e-10)
    # The last step is taken or not by the last digits, which differ from machine to machine.
    assert abs(cut.n_iter_ - whole.n_iter_) <= 1


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
@pytest.mark.parametrize("intercept", [True, False])
def test_numbers_of_any_type_are_summed_as_doubles(dtype, intercept):
    X, codes, weight = problem(offset=1e6 if dtype is np.int64 else 0.0)
    X = np.clip(X, 0, 255 if dtype is np.uint8 else np.inf).astype(dtype)
    options = {"fit_intercept": intercept, "tol": 1e-10}
    found = LogisticRegression(**options).fit(X, codes, weight)
    expected = LogisticRegression(**options).fit(X.astype(float), codes, weight)
    assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-8)
    assert_allclose(found.log_loss_, expected.log_loss_, rtol=1e-10)


def test_scores_that_are_large_do_not_overflow():
    X, codes, _ = problem()
    model = LogisticRegression(solver="gradient", learning_rate=1e6, max_iter=3)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, codes)
    assert np.isfinite([step.objective for step in model.trace_]).all()
    assert np.isfinite(model.coef_).all() and np.isfinite(model.predict_proba(X)).all()
