"""Cholesky factors against eigenvalues, and where they decline to decide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lincore.linalg import Whitener
from lincore.linalg.cholesky import CLEAR, MOST_LOST, pivoted_factor, triangular_inverse
from lincore.linalg.covariance import is_positive


def correlation(rank: int, p: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(p, rank))
    R = rows @ rows.T
    scale = np.sqrt(np.diagonal(R))
    return R / scale / scale[:, None]


@given(st.integers(1, 40), st.integers(0, MOST_LOST), st.integers(0, 10**6))
@example(1, 1, 500_000)  # its second pivot is a whole eps
def test_the_same_inverse_as_by_eigenvalues(rank: int, lost: int, seed: int) -> None:
    R = correlation(rank, rank + lost, seed)
    values, vectors = np.linalg.eigh(R)
    kept = is_positive(values)
    found = pivoted_factor(R)
    if found is None:  # then some eigenvalue is near the limit
        assert values[kept].min() < CLEAR * len(R) ** 2 * values.max()
        return
    assert found.basis.shape == (len(R), kept.sum()) == (len(R), rank)
    part = Whitener(found.basis, 0.0, found.root)
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    size = np.abs(inverse).max()
    np.testing.assert_allclose(part.factor @ part.factor.T, inverse, atol=1e-7 * size)
    log_det = 2 * np.log(np.diagonal(found.root)).sum()
    np.testing.assert_allclose(log_det, np.log(values[kept]).sum(), atol=1e-6)


def test_few_rows_are_whitened_as_many_are() -> None:
    found = pivoted_factor(correlation(6, 8, 0))
    assert found is not None
    rows = np.random.default_rng(1).normal(size=(20, 8))
    lazy = Whitener(found.basis, 0.0, found.root)
    few = np.vstack([lazy.whiten(row[None]) for row in rows])
    np.testing.assert_allclose(few, lazy.whiten(rows), atol=1e-9)
    np.testing.assert_allclose(
        np.vstack([Whitener(found.basis, 0.0, found.root).unwhiten(row[None]) for row in few]),
        lazy.unwhiten(few),
        atol=1e-9,
    )


@pytest.mark.parametrize("small", [1e-10, 1e-12, 1e-14])
def test_a_rank_that_is_open_to_doubt_is_left_to_eigenvalues(small: float) -> None:
    R = np.array([[1.0, 1.0 - small], [1.0 - small, 1.0]])
    assert pivoted_factor(R) is None


def test_many_lost_directions_are_left_to_eigenvalues() -> None:
    assert pivoted_factor(correlation(3, 4 + MOST_LOST, 0)) is None


@given(st.integers(1, 40), st.integers(1, 80), st.integers(0, 10**6))
def test_a_full_rank_is_inverted_at_once_and_only_that(p: int, rank: int, seed: int) -> None:
    R = correlation(rank, p, seed)
    values = np.linalg.eigvalsh(R)
    inverse = triangular_inverse(R)
    if inverse is None:  # then the smallest eigenvalue is zero, or not far enough from it
        assert values[0] < CLEAR * p**3 * values[-1]
        return
    assert values[0] > CLEAR * values[-1]
    np.testing.assert_array_equal(np.triu(inverse, 1), 0)
    np.testing.assert_allclose(inverse @ R @ inverse.T, np.eye(p), atol=1e-7)
    np.testing.assert_allclose(
        -2 * np.log(np.diagonal(inverse)).sum(), np.log(values).sum(), atol=1e-6
    )


def test_a_whitener_says_whether_its_rank_is_certain() -> None:
    full, lost = correlation(9, 6, 0), correlation(4, 6, 0)
    doubt = np.array([[1.0, 1.0 - 1e-12], [1.0 - 1e-12, 1.0]])
    certain = [Whitener.from_covariance(R).is_certain for R in (full, lost, doubt)]
    assert certain == [True, True, False]
