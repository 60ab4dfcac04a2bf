"""Products of small whole numbers: exact, whatever the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincore.moments import _integer_products
from lincore.moments._integer_products import are_small, exact_product
from lincore.moments.accumulate import buffer_type
from lincore.moments.moments import Moments


def product(rows):
    wide = rows.astype(np.int64)
    return wide.T @ wide


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 700),
    q=st.integers(1, 9),
    bits=st.integers(1, 16),
    n_dark=st.integers(0, 400),
)
def test_a_product_is_exact_whatever_follows_the_first_rows(seed, n, q, bits, n_dark):
    rows = np.random.default_rng(seed).integers(-(2**bits) + 1, 2**bits, (n, q))
    rows[:n_dark] //= 2 ** max(bits - 2, 0)
    np.testing.assert_array_equal(exact_product(rows.astype(np.float32)), product(rows))


def test_the_largest_numbers_do_not_become_slow_pieces(monkeypatch):
    rows = np.full((5000, 3), 65535, dtype=np.float32)
    monkeypatch.setattr(_integer_products, "_guess", lambda rows: 100_000)
    np.testing.assert_array_equal(exact_product(rows), product(rows))


@pytest.mark.parametrize(
    ("kind", "small"),
    [(bool, True), (np.uint8, True), (np.int16, True), (np.int32, False), (np.float32, False)],
)
def test_which_types_are_small(kind, small):
    assert are_small(np.dtype(kind)) is small


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.int16, np.uint16])
def test_moments_of_whole_numbers_are_those_of_the_same_rows_in_float64(kind):
    rng = np.random.default_rng(0)
    least, most = (0, 1) if kind is bool else (np.iinfo(kind).min, np.iinfo(kind).max)
    X = rng.integers(least, most, (3000, 210), endpoint=True).astype(kind)
    X[:, 3] = most  # constant
    X[:900, 4] = least  # constant in the first rows
    codes = rng.integers(0, 3, len(X))
    assert buffer_type(X, None, 4, diagonal=False) is np.float32
    own, wide = (Moments.from_groups(x, codes, 4) for x in (X, X.astype(np.float64)))
    np.testing.assert_array_equal(own.count, wide.count)
    np.testing.assert_allclose(own.mean, wide.mean, rtol=1e-14)
    for k in range(3):
        rows = X[codes == k].astype(np.int64)
        total = rows.sum(axis=0)
        exact = (len(rows) * (rows.T @ rows) - np.outer(total, total)) / len(rows)
        size = np.sqrt(np.diag(exact))
        assert (np.abs(own.scatter[k] - exact) <= 1e-14 * np.outer(size, size)).all()
    assert not own.scatter[:, 3].any()
