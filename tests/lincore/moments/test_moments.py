"""The algebra of moments: any cutting, merged, equals one pass."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from lincore import DataError
from lincore.moments import Moments, leave_one_out
from tests.lincore.references import moments_by_loops


@st.composite
def grouped_rows(draw, max_rows=40):
    """Rows with offsets up to ±1e6, and groups of which some are empty or hold one row."""
    n, p = draw(st.integers(1, max_rows)), draw(st.integers(1, 4))
    n_groups = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    offset = draw(st.sampled_from([-1e6, 0.0, 1.0, 1e6]))
    scale = draw(st.sampled_from([1e-3, 1.0, 1e3]))
    X = offset + scale * rng.standard_normal((n, p))
    lonely = draw(st.booleans())
    codes = rng.integers(0, max(1, n_groups - 1), n)
    if lonely:
        codes[-1] = n_groups - 1
    return X, codes, n_groups, scale


def assert_same(a: Moments, b: Moments, scale=1.0, offset=None):
    """Equal but for rounding: a mean can be stored to `ulp` only, and deltas carry that error."""
    offset = np.abs(b.mean).max(initial=0) if offset is None else offset
    ulp = np.finfo(float).eps * (offset + scale)
    assert_allclose(a.count, b.count, rtol=1e-12)
    assert_allclose(a.mean, b.mean, rtol=0, atol=8 * ulp)
    n = b.count.max(initial=1)
    assert_allclose(a.scatter, b.scatter, rtol=1e-11, atol=16 * n * ulp * scale)


@given(grouped_rows())
def test_one_pass_equals_the_definition(case):
    X, codes, n_groups, scale = case
    expected = Moments(*moments_by_loops(X, codes, n_groups))
    assert_same(Moments.from_groups(X, codes, n_groups), expected, scale)


@given(grouped_rows(), st.lists(st.integers(0, 40), max_size=6))
def test_any_cutting_merged_equals_one_pass(case, cuts):
    X, codes, n_groups, scale = case
    bounds = [0, *sorted(min(c, len(X)) for c in cuts), len(X)]
    parts = [
        Moments.from_groups(X[a:b], codes[a:b], n_groups)
        for a, b in zip(bounds, bounds[1:], strict=False)
    ]
    assert_same(reduce(add, parts), Moments.from_groups(X, codes, n_groups), scale)


@given(grouped_rows(), st.integers(1, 7), st.integers(1, 5))
def test_blocks_and_tiles_do_not_matter(case, block, tile):
    X, codes, n_groups, scale = case
    expected = Moments.from_groups(X, codes, n_groups)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lincore.moments.moments.BLOCK_VALUES", block * X.shape[1])
        patch.setattr("lincore.moments._accumulate.TILE_ROWS", tile)
        assert_same(Moments.from_groups(X, codes, n_groups), expected, scale)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_columns_that_begin_to_vary_at_any_row(seed, tile, weighted):
    """Constant columns are left out of the product until, and unless, they vary."""
    rng = np.random.default_rng(seed)
    X = np.full((20, 6), 1e6) + np.arange(6)
    for column, start in enumerate(rng.integers(0, 25, 6)):
        X[start:, column] += rng.standard_normal(max(0, 20 - start))
    weight = rng.uniform(0.1, 2, 20) if weighted else None
    codes = np.zeros(20, dtype=int)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lincore.moments._accumulate.TILE_ROWS", tile)
        for diagonal in (False, True):
            found = Moments.from_groups(X, codes, 1, weight, diagonal=diagonal)
            count, mean, scatter = moments_by_loops(X, codes, 1, weight)
            scatter = np.diagonal(scatter, axis1=1, axis2=2) if diagonal else scatter
            assert_same(found, Moments(count, mean, scatter))
            assert not found.scatter[scatter == 0].any()


@given(grouped_rows())
def test_merging_is_commutative_and_has_a_neutral_element(case):
    X, codes, n_groups, scale = case
    half = len(X) // 2
    a = Moments.from_groups(X[:half], codes[:half], n_groups)
    b = Moments.from_groups(X[half:], codes[half:], n_groups)
    assert_same(a + b, b + a, scale)
    nothing = Moments.empty((n_groups,), X.shape[1])
    for merged in (b + nothing, nothing + b):
        assert_array_equal(merged.mean, b.mean)
        assert_array_equal(merged.scatter, b.scatter)


@given(grouped_rows(), st.integers(0, 2**32 - 1))
def test_weights_are_replication(case, seed):
    X, codes, n_groups, scale = case
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    repeated = Moments.from_groups(np.repeat(X, weight, axis=0), np.repeat(codes, weight), n_groups)
    assert_same(Moments.from_groups(X, codes, n_groups, weight), repeated, scale)


@given(grouped_rows(), st.integers(0, 2**32 - 1))
def test_wild_weights_lose_nothing(case, seed):
    X, codes, n_groups, scale = case
    weight = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, len(X))
    got = Moments.from_groups(X, codes, n_groups, weight)
    expected = moments_by_loops(X, codes, n_groups, weight)
    assert_allclose(got.mean, expected[1], rtol=1e-13, atol=1e-11 * scale)
    size = scale**2 * weight.sum()
    assert_allclose(got.scatter, expected[2], rtol=1e-8, atol=1e-9 * size)


@given(grouped_rows(), st.integers(0, 3))
def test_scale_is_replication_of_groups(case, times):
    X, codes, n_groups, scale = case
    w = np.arange(n_groups) % 2 + times
    repeated = Moments.from_groups(
        np.repeat(X, w[codes], axis=0), np.repeat(codes, w[codes]), n_groups
    )
    assert_same(Moments.from_groups(X, codes, n_groups).scale(w), repeated, scale)


@given(grouped_rows(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_map_is_the_moments_of_the_product(case, q, seed):
    X, codes, n_groups, scale = case
    rng = np.random.default_rng(seed)
    A, origin = rng.standard_normal((X.shape[1], q)), X.mean(axis=0)
    mapped = Moments.from_groups(X, codes, n_groups).map(A, origin)
    offset = np.abs(X).max()
    direct = Moments.from_groups((X - origin) @ A, codes, n_groups)
    assert_same(mapped, direct, 10 * scale, 10 * offset)
    units = rng.uniform(0.5, 2, X.shape[1])
    mapped = Moments.from_groups(X, codes, n_groups).map(units, origin)
    direct = Moments.from_groups((X - origin) * units, codes, n_groups)
    assert_same(mapped, direct, 10 * scale, 10 * offset)


@given(grouped_rows())
def test_pooled_is_the_moments_without_groups(case):
    X, codes, n_groups, scale = case
    grouped = Moments.from_groups(X, codes, n_groups)
    whole = Moments.from_groups(X, np.zeros(len(X), dtype=int), 1)[0]
    assert_same(grouped.pooled(), whole, scale)
    centred = X - grouped.mean[codes]
    slack = 1e-14 * len(X) * scale * (scale + np.abs(X).max())
    assert_allclose(grouped.within(), centred.T @ centred, rtol=1e-11, atol=slack)


@given(grouped_rows(), st.integers(2, 6))
def test_leaving_one_fold_out_equals_one_pass_over_the_others(case, k):
    X, codes, n_groups, scale = case
    fold = np.arange(len(X)) % k
    grouped = Moments.from_groups(X, fold * n_groups + codes, k * n_groups)
    p = X.shape[1]
    parts = Moments(
        grouped.count.reshape(k, n_groups),
        grouped.mean.reshape(k, n_groups, p),
        grouped.scatter.reshape(k, n_groups, p, p),
    )
    merged = leave_one_out(parts)
    assert len(merged) == k
    for i, others in enumerate(merged):
        kept = fold != i
        assert_same(others, Moments.from_groups(X[kept], codes[kept], n_groups), scale)


@given(grouped_rows(), st.booleans())
def test_groups_on_two_axes_are_those_of_each_part(case, diagonal):
    X, codes, n_groups, scale = case
    part = np.arange(len(X)) % 3
    flat = Moments.from_groups(X, part * n_groups + codes, 3 * n_groups, diagonal=diagonal)
    for i, found in enumerate(flat.reshape(3, n_groups)):
        of_part = part == i
        alone = Moments.from_groups(X[of_part], codes[of_part], n_groups, diagonal=diagonal)
        assert_same(found, alone, scale)


@given(grouped_rows())
def test_diagonal_is_the_diagonal(case):
    X, codes, n_groups, scale = case
    full = Moments.from_groups(X, codes, n_groups)
    diagonal = Moments.from_groups(X, codes, n_groups, diagonal=True)
    expected = np.diagonal(full.scatter, axis1=1, axis2=2)
    assert diagonal.is_diagonal and not full.is_diagonal
    assert_allclose(diagonal.scatter, expected, rtol=1e-9, atol=1e-9 * scale**2)
    pooled, both = diagonal.pooled(), diagonal + diagonal
    assert_allclose(pooled.scatter, np.diag(full.pooled().scatter), rtol=1e-9, atol=1e-8 * scale**2)
    assert_allclose(both.scatter, 2 * expected, rtol=1e-9, atol=1e-9 * scale**2)
    units = np.full(X.shape[1], 3.0)
    assert_allclose(diagonal.map(units).scatter, 9 * expected, rtol=1e-9, atol=1e-8 * scale**2)


@settings(max_examples=30)
@given(st.floats(-1e9, 1e9), st.integers(1, 2000), st.integers(1, 3))
def test_a_constant_column_has_no_scatter_to_the_last_bit(value, n, n_groups):
    X = np.full((n, 2), value)
    m = Moments.from_groups(X, np.arange(n) % n_groups, n_groups)
    assert not m.scatter.any() and not m.pooled().scatter.any()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, bool])
def test_narrow_types_are_summed_in_float64(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if dtype is bool else 256, (3000, 5)).astype(dtype)
    codes = rng.integers(0, 3, 3000)
    assert_same(Moments.from_groups(X, codes, 3), Moments.from_groups(X.astype(float), codes, 3))
    fortran = Moments.from_groups(np.asfortranarray(X), codes, 3)
    assert_same(fortran, Moments.from_groups(X, codes, 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [0, 1], 2), "do not match"),
        (([1.0], [0], 1), "do not match"),
        (([[1.0]], [3], 2), "0 .. 1"),
        (([[1.0]], [-1], 2), "0 .. 1"),
        (([[1.0]], [0], 1, [-1.0]), "not negative"),
        (([[1.0]], [0], 1, [np.nan]), "finite"),
        (([[1.0]], [0], 1, [1.0, 1.0]), "one for each row"),
    ],
)
def test_bad_rows_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Moments.from_groups(*arguments)


def test_what_cannot_be_done_is_refused():
    one, two = Moments.empty((1,), 2), Moments.empty((2,), 2)
    with pytest.raises(ValueError, match="cannot be merged"):
        one + two
    with pytest.raises(ValueError, match="change of units"):
        Moments.empty((1,), 2, diagonal=True).map(np.eye(2))
    with pytest.raises(ValueError, match="not negative"):
        one.scale(-1)
    with pytest.raises(ValueError, match="at least two parts"):
        leave_one_out([one])
    with pytest.raises(TypeError):
        one + 1


@given(case=grouped_rows())
def test_json_is_exact_and_merges(case):
    X, codes, n_groups, _ = case
    whole = Moments.from_groups(X, codes, n_groups)
    again = Moments.from_json(whole.to_json())
    for name in ("count", "mean", "scatter"):
        assert_array_equal(getattr(again, name), getattr(whole, name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not contain count"),
        ("[]", "not contain count"),
        ("[" * 100_000, "not contain count"),
        ('{"count": [1], "mean": [[1, 2]]}', "not contain count"),
        ('{"count": [1], "mean": [1, 2], "scatter": [[1, 2], [2, 1]]}', "do not match"),
        ('{"count": [-1], "mean": [[1]], "scatter": [[[1]]]}', "negative"),
        ('{"count": [1], "mean": [[NaN]], "scatter": [[[1]]]}', "not finite"),
    ],
)
def test_json_that_is_damaged_is_refused(text, message):
    with pytest.raises(DataError, match=message):
        Moments.from_json(text)
