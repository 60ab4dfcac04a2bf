"""More cores change how long a fit takes, never a bit of what it finds."""

from __future__ import annotations

import numpy as np
import pytest

from lincore import Dataset, LogisticRegression, Moments
from lincore.imbalance import class_size_sweep
from lincore.model_selection import compare
from lincore.moments import _accumulate
from lincore.utils import threads


@pytest.fixture
def on_cores(monkeypatch):
    def use(number: int) -> None:
        for module in (threads, _accumulate, class_size_sweep):
            monkeypatch.setattr(module, "n_threads", lambda: number)

    return use


def test_every_number_of_threads_finds_the_same_bits(on_cores):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(40_000, 20)) + 1e3, rng.integers(0, 3, 40_000)
    X[codes == 1, 0] += 1
    data = Dataset("drawn", X, codes, np.arange(3), tuple(f"x{i}" for i in range(20)))
    found = []
    for number in (1, 2, 16):
        on_cores(number)
        moments = Moments.from_groups(X, codes, 3)
        model = LogisticRegression(max_iter=5, solver="newton-cg").fit(X, codes)
        posteriors = compare(data, ["lda", "qda"], "3-fold").log_proba
        found.append((moments.mean, moments.scatter, model.coef_, posteriors))
    for other in found[1:]:
        for one, same in zip(found[0], other, strict=True):
            assert np.array_equal(one, same)


@pytest.mark.parametrize("n", [1, 2, 100, 16_384, 60_000, 10**6])
def test_parts_cover_all_rows_once(n):
    parts = threads.parts_of(n)
    assert [i for part in parts for i in (part.start, part.stop - 1)] == sorted(
        i for part in parts for i in (part.start, part.stop - 1)
    )
    assert sum(map(len, parts)) == n
    assert len(parts) <= threads.MOST
