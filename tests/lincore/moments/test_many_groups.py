"""Groups of any length and rows of any type are summarised to the last digits that rows have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincore.moments import Moments


@given(
    lengths=st.lists(st.integers(0, 9), min_size=2, max_size=30),
    p=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1),
    offset=st.sampled_from([0.0, 1e3, 1e8]),
    diagonal=st.booleans(),
)
def test_groups_of_all_lengths_against_longer_numbers(lengths, p, seed, offset, diagonal):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(lengths)), lengths))
    X = offset + rng.standard_normal((len(codes), p)) * 10.0 ** rng.integers(-3, 4, p)
    found = Moments.from_groups(X, codes, len(lengths), diagonal=diagonal)
    for group, length in enumerate(lengths):
        rows = X[codes == group].astype(np.longdouble)
        assert found.count[group] == length
        if not length:
            assert not found.mean[group].any() and not found.scatter[group].any()
            continue
        centred = rows - rows.mean(axis=0)
        scatter = centred.T @ centred
        scale = np.sqrt(np.diagonal(scatter))
        off = np.abs(found.mean[group] - rows.mean(axis=0))
        assert (off <= 4 * np.finfo(float).eps * np.abs(rows).max(axis=0)).all()
        error = found.scatter[group] - (np.diagonal(scatter) if diagonal else scatter)
        allowed = scale**2 if diagonal else np.outer(scale, scale)
        # A scatter of numbers near 1e8 cannot be better than their own last digit.
        assert (np.abs(error) <= 1e-13 * allowed + length * (1e-16 * offset) ** 2).all()


def test_what_is_constant_in_a_group_has_no_scatter_at_all():
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 7
    X = np.column_stack([codes / 3 + 0.1, rng.standard_normal(60), np.full(60, 1e15 / 7)])
    found = Moments.from_groups(X, codes, 7)
    assert (found.mean[:, 0] == np.arange(7) / 3 + 0.1).all()
    assert not found.scatter[:, 0].any() and not found.scatter[:, :, 2].any()
    assert (found.scatter[:, 1, 1] > 0).all()


def test_scatters_are_symmetric_to_the_bit():
    X = np.random.default_rng(1).standard_normal((300, 20))
    scatter = Moments.from_groups(X, np.arange(300) % 11, 11).scatter
    assert (scatter == scatter.swapaxes(1, 2)).all()


def test_bytes_and_single_numbers_are_taken_as_they_are():
    X = np.random.default_rng(2).integers(0, 256, (90, 5)).astype(np.uint8)
    codes = np.arange(90) % 10
    for kind in (np.uint8, np.float32, np.int16):
        found = Moments.from_groups(X.astype(kind), codes, 10)
        wanted = Moments.from_groups(X.astype(float), codes, 10)
        assert (found.scatter == wanted.scatter).all() and (found.mean == wanted.mean).all()


@pytest.mark.parametrize(("value", "word"), [(np.nan, "nan"), (np.inf, "inf")])
@pytest.mark.parametrize("n_groups", [2, 20])  # groups of ten rows, and each row by itself
def test_a_number_that_is_none_is_named_with_its_place(value, word, n_groups):
    X = np.random.default_rng(3).standard_normal((20, 4))
    X[7, 2] = value
    codes = np.arange(20) % n_groups
    with pytest.raises(ValueError, match=f"NaN or infinity: {word} in row 7, column 2"):
        Moments.from_groups(X, codes, n_groups)


def test_a_column_that_is_infinite_throughout_is_refused():
    X = np.ones((6, 2))
    X[:, 1] = np.inf
    with pytest.raises(ValueError, match=r"inf in row 0, column 1"):
        Moments.from_groups(X, [0, 0, 0, 1, 1, 1], 2)


def test_rows_without_features_are_counted():
    found = Moments.from_groups(np.empty((5, 0)), [0, 0, 1, 1, 1], 2)
    assert found.count.tolist() == [2, 3] and found.scatter.shape == (2, 0, 0)


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint16])
def test_moments_of_whole_numbers_are_exact_but_for_the_last_digits(kind):
    rng = np.random.default_rng(0)
    least, most = (0, 1) if kind is bool else (np.iinfo(kind).min, np.iinfo(kind).max)
    X = rng.integers(least, most, (3000, 210), endpoint=True).astype(kind)
    X[:, 3] = most  # constant
    X[:900, 4] = least  # constant in the first rows
    codes = rng.integers(0, 3, len(X))
    own = Moments.from_groups(X, codes, 4)
    for k in range(3):
        rows = X[codes == k].astype(np.int64)
        total = rows.sum(axis=0)
        assert own.count[k] == len(rows)
        np.testing.assert_allclose(own.mean[k], total / len(rows), rtol=1e-14, atol=1e-11)
        exact = (len(rows) * (rows.T @ rows) - np.outer(total, total)) / len(rows)
        size = np.sqrt(np.diag(exact))
        assert (np.abs(own.scatter[k] - exact) <= 1e-14 * np.outer(size, size)).all()
    assert not own.scatter[:, 3].any()
