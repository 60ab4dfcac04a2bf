"""More cores change how long a fit takes, never a bit of what it finds."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lincore import Dataset, LogisticRegression, Moments
from lincore.model_selection import compare
from lincore.utils import n_threads, parts_of, read_ahead


@pytest.fixture
def on_cores(monkeypatch):
    def use(number: int) -> None:
        monkeypatch.setattr("lincore.utils.threads.cpu_count", lambda: number)
        n_threads.cache_clear()

    yield use
    n_threads.cache_clear()


def test_every_number_of_threads_finds_the_same_bits(on_cores):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(26_000, 20)) + 1e3, rng.integers(0, 3, 26_000)
    X[codes == 1, 0] += 1
    data = Dataset("drawn", X, codes, np.arange(3), tuple(f"x{i}" for i in range(20)))
    found = []
    for number in (1, 3):
        on_cores(number)
        moments = Moments.from_groups(X, codes, 3)
        model = LogisticRegression(max_iter=5, solver="newton-cg").fit(X, codes)
        posteriors = compare(data, ["lda", "qda"], "3-fold").log_proba
        found.append((moments.mean, moments.scatter, model.coef_, posteriors))
    for one, same in zip(*found, strict=True):
        assert np.array_equal(one, same)


@pytest.mark.parametrize("n", [1, 2, 100, 16_383, 16_384, 60_000, 200_000])
def test_parts_cover_all_rows_once(n):
    parts = parts_of(n)
    assert [i for part in parts for i in part] == list(range(n))
    assert len(parts) <= 16 and (n < 4 * 4096 or min(map(len, parts)) >= 4096)


@pytest.mark.parametrize(("cores", "is_elsewhere"), [(1, False), (2, True)])
def test_items_are_read_ahead_by_a_thread_where_there_are_cores(on_cores, cores, is_elsewhere):
    on_cores(cores)
    here = threading.get_ident()
    found = list(read_ahead(threading.get_ident() for _ in range(3)))
    assert [ident != here for ident in found] == [is_elsewhere] * 3
