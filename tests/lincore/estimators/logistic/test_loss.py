"""Loss, gradient and curvature: loops over rows, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from lincore.estimators.logistic import design_matrix
from lincore.estimators.logistic.design_matrix import StandardRows
from lincore.estimators.logistic.loss import SoftmaxLoss
from tests.lincore.references_logistic import error_and_gradient_by_loops, hessian_by_loops


def problem(seed=0, n=40, p=3, K=4, *, offset=0.0, dtype=float, axes=None, intercept=True):
    """Return a loss, its standardised rows in full, its codes and coefficients of sum zero."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, p)) * 20 + 90 + offset).astype(dtype)
    origin, scale = X.mean(axis=0).astype(float), np.linspace(10, 30, p)
    origin = origin if intercept else np.zeros(p)
    rows = StandardRows(X, origin, scale, axes, intercept=intercept)
    full = (X - origin) / scale
    full = full if axes is None else full @ axes
    full = np.column_stack([full, np.ones(n)]) if intercept else full
    codes = rng.integers(0, K, n)
    loss = SoftmaxLoss(rows, codes, K, rng.uniform(0, 3, n), np.linspace(0, 2, full.shape[1]))
    coef = rng.standard_normal(loss.shape)
    return loss, full, codes, coef - coef.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("offset", [0, 1e6])
@pytest.mark.parametrize("dtype", [float, np.float32, np.uint8, np.int64])
@pytest.mark.parametrize("intercept", [True, False])
def test_value_and_gradient_are_those_of_the_text(offset, dtype, intercept):
    offset = 0 if dtype in (np.uint8, np.float32) or not intercept else offset
    loss, full, codes, V = problem(offset=offset, dtype=dtype, intercept=intercept)
    value, gradient = error_and_gradient_by_loops(full, codes, V, loss.weight)
    point = loss(V)
    pull = loss.penalty[:, None] * V
    assert_allclose(point.value, value + 0.5 * (pull * V).sum(), rtol=1e-10)
    assert_allclose(point.gradient, gradient + pull, rtol=1e-8, atol=1e-8)
    assert_allclose(point.gradient.sum(axis=1), 0, atol=1e-8)


@pytest.mark.parametrize("turned", [False, True])
def test_hessian_and_its_products_are_those_of_the_text(turned):
    axes = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 2)))[0] if turned else None
    loss, full, _, V = problem(axes=axes)
    q, K = loss.shape
    state = loss(V).state
    H = hessian_by_loops(full, V, loss.weight)
    H[:, np.arange(q), :, np.arange(q)] += loss.penalty[:, None, None] * np.eye(K)
    direction = np.random.default_rng(1).standard_normal(V.shape)
    expected = np.einsum("kajb,bj->ak", H, direction)
    exact = loss.product_at(state)(direction)
    assert_allclose(exact, expected, rtol=1e-9, atol=1e-9)
    rough = loss.product_at(state, exact=False)(direction)
    assert_allclose(rough, expected, rtol=1e-4, atol=1e-4)
    # Differences from class 0 as coefficients of sum zero: W = U B, B = I - 1/K without row 0.
    B = (np.eye(K) - 1 / K)[1:]
    reduced = np.einsum("mk,kajb,lj->malb", B, H, B).reshape((K - 1) * q, -1)
    assert_allclose(loss.hessian(state), reduced, rtol=1e-8, atol=1e-8)


def test_gradient_is_the_slope_of_the_value():
    loss, _, _, V = problem(n=25)
    gradient = loss(V).gradient
    for i in range(V.shape[0]):
        for k in range(V.shape[1]):
            step = np.zeros_like(V)
            step[i, k] = 1e-5
            slope = (loss(V + step).value - loss(V - step).value) / 2e-5
            assert_allclose(slope, gradient[i, k], rtol=1e-6, atol=1e-6)


@given(st.integers(1, 60), st.integers(0, 30))
def test_any_cutting_into_blocks_gives_the_same(values, seed):
    loss, _, _, V = problem(seed, n=23)
    whole = loss(V)
    kept = design_matrix.BLOCK_VALUES
    try:
        design_matrix.BLOCK_VALUES = values
        cut = loss(V)
        product = loss.product_at(cut.state)(V)
        hessian = loss.hessian(cut.state)
    finally:
        design_matrix.BLOCK_VALUES = kept
    assert_allclose(cut.value, whole.value, rtol=1e-12)
    assert_allclose(cut.gradient, whole.gradient, rtol=1e-10, atol=1e-11)
    expected = loss.product_at(whole.state)(V)
    assert_allclose(product, expected, rtol=1e-10, atol=1e-11)
    assert_allclose(hessian, loss.hessian(whole.state), atol=1e-10)


@given(st.integers(0, 100))
def test_weights_are_replication(seed):
    loss, _, codes, V = problem(seed, n=15)
    times = np.random.default_rng(seed).integers(0, 4, 15)
    rows = loss.rows
    weighted = SoftmaxLoss(rows, codes, 4, times.astype(float), loss.penalty)
    copies = StandardRows(np.repeat(rows.X, times, axis=0), rows.origin, 1 / rows.units)
    repeated = SoftmaxLoss(copies, np.repeat(codes, times), 4, None, loss.penalty)
    assert_allclose(weighted(V).value, repeated(V).value, rtol=1e-11)
    assert_allclose(weighted(V).gradient, repeated(V).gradient, rtol=1e-9, atol=1e-10)


def test_parts_of_the_gradient_add_up():
    loss, _, _, V = problem()
    parts = sum(loss.part_gradient(V, part) for part in np.split(np.arange(40), [1, 7, 20]))
    assert_allclose(parts, loss(V).gradient, rtol=1e-9, atol=1e-9)


def test_scores_that_are_large_do_not_overflow():
    loss, _, _, V = problem()
    point = loss(1e6 * V)
    assert np.isfinite(point.value) and np.isfinite(point.gradient).all()
