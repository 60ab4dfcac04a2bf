"""The largest eigenpairs against all of them, in one thread and in several."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lincore.linalg.eigenpairs import largest_eigenpairs


def symmetric(p: int, seed: int, scale: float = 1.0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(p, p))
    return scale * (rows + rows.T)


@given(st.integers(1, 60), st.data(), st.integers(0, 10**6), st.sampled_from([1e-140, 1.0, 1e140]))
def test_they_are_the_last_of_all(p: int, data: st.DataObject, seed: int, scale: float) -> None:
    k = data.draw(st.integers(1, p))
    matrix = symmetric(p, seed, scale)
    before = matrix.copy()
    values, vectors = largest_eigenpairs(matrix, k)
    np.testing.assert_array_equal(matrix, before)
    size = np.abs(np.linalg.eigvalsh(matrix)).max()
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[p - k :], atol=1e-12 * size)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-10 * size)


def test_threads_do_not_disturb_each_other() -> None:
    matrices = [symmetric(150, seed) for seed in range(8)]
    alone = [largest_eigenpairs(matrix, 20) for matrix in matrices]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda matrix: largest_eigenpairs(matrix, 20), matrices * 5))
    for i, (values, vectors) in enumerate(together):
        np.testing.assert_array_equal(values, alone[i % 8][0])
        np.testing.assert_array_equal(vectors, alone[i % 8][1])
