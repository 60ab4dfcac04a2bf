"""Whiteners by Cholesky factors against eigenvalues, and where they are in doubt of a rank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lincore.linalg import Whitener

#: Eigenvalues above this share of the largest one are beyond doubt.
CLEAR = 1e-8


def correlation(rank: int, p: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(p, rank))
    R = rows @ rows.T
    scale = np.sqrt(np.diagonal(R))
    return R / scale / scale[:, None]


@given(st.integers(1, 40), st.integers(0, 80), st.integers(0, 10**6))
@example(1, 1, 500_000)  # its second pivot is a whole eps
@example(3, 30, 0)  # so many lost directions are left to eigenvalues
def test_the_same_inverse_as_by_eigenvalues(rank: int, lost: int, seed: int) -> None:
    R = correlation(rank, rank + lost, seed)
    values, vectors = np.linalg.eigh(R)
    kept = values > 10 * len(R) * np.finfo(float).eps * values[-1]
    found = Whitener.from_covariance(R)
    assert found.rank == kept.sum()
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    size = np.abs(inverse).max()
    np.testing.assert_allclose(found.factor @ found.factor.T, inverse, atol=1e-7 * size)
    np.testing.assert_allclose(found.log_det, np.log(values[kept]).sum(), atol=1e-6)
    if found.is_certain:
        assert values[kept].min() > CLEAR * values[-1]
    elif lost <= 10:  # then some eigenvalue is near the limit
        assert values[kept].min() < CLEAR * len(R) ** 3 * values[-1]


def test_few_rows_are_whitened_as_many_are() -> None:
    R = correlation(6, 8, 0)
    rows = np.random.default_rng(1).normal(size=(20, 8))
    lazy = Whitener.from_covariance(R)
    few = np.vstack([lazy.whiten(row[None]) for row in rows])
    np.testing.assert_allclose(few, lazy.whiten(rows), atol=1e-9)
    each = [Whitener.from_covariance(R).unwhiten(row[None]) for row in few]
    np.testing.assert_allclose(np.vstack(each), lazy.unwhiten(few), atol=1e-9)


@pytest.mark.parametrize("small", [1e-10, 1e-12, 1e-14])
def test_a_whitener_says_whether_its_rank_is_certain(small: float) -> None:
    full, lost = correlation(9, 6, 0), correlation(4, 6, 0)
    doubt = np.array([[1.0, 1.0 - small], [1.0 - small, 1.0]])
    certain = [Whitener.from_covariance(R).is_certain for R in (full, lost, doubt)]
    assert certain == [True, True, False]
