"""Rows in partitions give what they give in one file, whoever works on them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import lincore
from lincore import DataError, LogisticRegression
from lincore.distributed import Executor, Inline, PartitionedData, ProcessPool, deal, open_parquet
from lincore.model_selection import Steps, as_method

N, GROUP, FOLDS = 600, 90, 3
METHODS = ("lda", "qda", "naive-bayes", "fisher", "least-squares")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of three unequal classes far from zero, in seven groups."""
    rng = np.random.default_rng(0)
    codes = np.sort(rng.choice(3, N, p=[0.6, 0.3, 0.1]))
    codes = rng.permutation(codes)
    X = 1e3 + rng.normal(size=(N, 3)) @ rng.normal(size=(3, 3)) + np.eye(3)[codes]
    columns = {f"x{j}": X[:, j] for j in range(3)}
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    table = pa.table({**columns, "kind": np.array(["a", "b", "c"])[codes]})
    pq.write_table(table, path, row_group_size=GROUP)
    return path


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(2) as pool:
        yield pool


@pytest.fixture(scope="module", params=["inline", pytest.param("pool", marks=pytest.mark.long)])
def executor(request: pytest.FixtureRequest) -> Executor:
    return Inline() if request.param == "inline" else request.getfixturevalue("pool")


def in_one_file(path: Path) -> tuple[lincore.Dataset, list[tuple[np.ndarray, np.ndarray]]]:
    """Return all rows, and the folds that the partitions deal them over."""
    data = lincore.load(path, target="kind")
    part = np.concatenate(
        [
            deal(data.codes[start : start + GROUP], FOLDS, 5, number)
            for number, start in enumerate(range(0, N, GROUP))
        ]
    )
    return data, [(np.flatnonzero(part != f), np.flatnonzero(part == f)) for f in range(FOLDS)]


def test_partitions_find_what_is_found_in_one_file(executor, file):
    check_all(executor, file)


def check_all(executor: Executor, file: Path) -> None:
    """Compare sums, scores, studies and fits with those of all rows in one file."""
    data = open_parquet(executor, file, "kind")
    shared = data.summarise(n_folds=FOLDS, seed=5)
    alone, folds = in_one_file(file)
    whole = lincore.Moments.from_groups(alone.X, alone.codes, 3)
    assert_allclose(shared.by_class.scatter, whole.scatter, rtol=1e-10)
    for method in METHODS:
        expected = as_method(method).fresh(3).fit(alone.X, alone.y)
        found = shared.fit(method).decision_function(alone.X)
        assert_allclose(found, expected.decision_function(alone.X), rtol=1e-8, atol=1e-8)
    steps = Steps(standardize=False)
    table = lincore.compare(alone, METHODS, folds, steps=steps).table(wide=True)
    scores = data.score(shared, METHODS).table()
    expected = table[list(scores.columns)].loc[list(METHODS)].astype(float)
    assert_allclose(scores, expected, rtol=1e-10)
    model = data.fit(LogisticRegression(C=10), shared)
    fitted = LogisticRegression(C=10).fit(alone.X, alone.y)
    assert model.converged_
    assert_allclose(model.coef_, fitted.coef_, rtol=1e-8, atol=1e-8)
    assert_allclose(model.log_loss_, fitted.log_loss_, rtol=1e-10)


@dataclass(frozen=True)
class Deadly:
    """Rows whose first reader dies, as one that runs out of memory does."""

    mark: str

    def __call__(self):
        """Die, or return rows."""
        if not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])


@dataclass(frozen=True)
class Harmless:
    """Other rows."""

    start: float

    def __call__(self):
        """Return rows."""
        return self.start + np.eye(2), np.array([0, 1])


def test_a_worker_that_is_killed_changes_nothing(pool, tmp_path):
    check_killed(pool, tmp_path / "killed")


def check_killed(executor: Executor, mark: Path) -> None:
    """Kill a worker in the midst of its work: others do it."""
    partitions = [Harmless(1), Deadly(str(mark)), Harmless(2), Harmless(3)]
    data = PartitionedData(executor, partitions, ("u", "v"))
    found = data.summarise(n_folds=2).moments
    assert mark.exists()
    expected = PartitionedData(Inline(), partitions, ("u", "v")).summarise(n_folds=2).moments
    assert np.array_equal(found.count, expected.count)
    assert_allclose(found.scatter, expected.scatter, rtol=1e-12, atol=1e-12)


def test_partitions_that_do_not_belong_together_are_refused(file):
    names = ("u", "v")
    wider = lambda: (np.eye(3), [0, 1, 0])  # noqa: E731
    with pytest.raises(DataError, match="partition 1"):
        PartitionedData(Inline(), [Harmless(1), wider], names).summarise()
    rows = lambda: (np.arange(16.0).reshape(8, 2) % 7, [0, 1] * 4)  # noqa: E731
    shared = PartitionedData(Inline(), [rows], names).summarise(n_folds=2)
    others = lambda: (np.eye(2), [0, 5])  # noqa: E731
    with pytest.raises(DataError, match="other classes"):
        PartitionedData(Inline(), [others], names).score(shared, "naive-bayes")
    with pytest.raises(DataError, match="no file"):
        open_parquet(Inline(), [], "kind")
    with pytest.raises(DataError, match="no column weight"):
        open_parquet(Inline(), file, "kind", features=["x0", "weight"])


def test_a_partition_may_lack_classes_or_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), np.repeat(["b", "a", "c"], 40)
    ranges = [range(30), range(30, 30), range(30, 90), range(90, 120)]
    parts = [lambda rows=rows: (X[list(rows)], y[list(rows)]) for rows in ranges]
    data = PartitionedData(Inline(), parts, ("u", "v"))
    shared = data.summarise(n_folds=4)
    assert shared.classes.tolist() == ["a", "b", "c"]
    whole = lincore.Moments.from_groups(X, np.repeat([1, 0, 2], 40), 3)
    assert_allclose(shared.by_class.scatter, whole.scatter, rtol=1e-12)
    scores = data.score(shared, METHODS)
    assert_allclose(scores.confusion.sum(axis=(1, 3)), 40)
    # Rows were dealt for their scores as for their sums.
    assert_allclose(scores.confusion[0].sum(axis=2), shared.moments.count)
