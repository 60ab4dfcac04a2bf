"""A Dask DataFrame on a cluster gives what its rows give in a folder of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator

import dask
import dask.dataframe as dd
import distributed
import joblib
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.dummy import DummyClassifier

import lincore
from lincore.data import DaskExecutor
from tests.lincore.io.tables.streamed.test_executors import (
    METHODS,
    SMALL,
    check_all,
    check_killed,
    folder_of,
    frame_of_numbers,
    partitions,
)
from tests.lincore.model_selection.test_workers import Deadly, same


@pytest.fixture(scope="module")
def client() -> Iterator[distributed.Client]:
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    # Workers begin as those of the pages do: with everything imported.
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster.scheduler_address) as client,
    ):
        yield client


def dask_frame():
    return dd.from_map(lambda part: part.reset_index(drop=True), partitions(frame_of_numbers()))


def test_without_a_cluster_this_process_reads_the_partitions(monkeypatch):
    monkeypatch.setattr("lincore.io.loading.LIMITS", SMALL)
    frame = dask_frame()
    data = lincore.load(frame, target="kind")
    assert not isinstance(data.blocks.executor, DaskExecutor)
    check_all(data, frame_of_numbers())


def test_a_cluster_finds_what_is_found_in_files(client, tmp_path, monkeypatch):
    whole = lincore.load(dask_frame(), target="kind")
    assert whole.blocks is None and whole.n_rows == len(frame_of_numbers())
    monkeypatch.setattr("lincore.io.loading.LIMITS", SMALL)
    monkeypatch.setattr("lincore.io.tables.streamed._parquet.PART_CELLS", 1)
    data = lincore.load(dask_frame(), target="kind")
    assert isinstance(data.blocks.executor, DaskExecutor)
    check_all(data, frame_of_numbers())
    expected = lincore.load(folder_of(frame_of_numbers(), tmp_path / "rows"), target="kind")
    assert_array_equal(data.X, expected.X)
    found, there = (lincore.compare(one, METHODS, "3-fold") for one in (data, expected))
    assert_allclose(found.log_proba, there.log_proba, rtol=1e-10, atol=1e-10)
    assert found.settings.streamed == there.settings.streamed
    found, there = (lincore.imbalance_cost(one, "lda", repeats=1) for one in (data, expected))
    assert_allclose(found.losses, there.losses, rtol=1e-10, atol=1e-10)


def test_a_comparison_on_a_cluster_finds_what_is_found_here(client, tmp_path):
    data = lincore.sample("wine")
    methods = {"lda": "lda", "logistic": "logistic", "deadly": Deadly(str(tmp_path))}
    with joblib.parallel_config("dask", scatter=[data]):
        found = lincore.compare(data, methods, "5-fold")
    assert len(list(tmp_path.iterdir())) > 5  # a worker was killed
    same(lincore.compare(data, methods | {"deadly": DummyClassifier()}, "5-fold"), found)


def test_a_worker_that_is_killed_changes_nothing(client, tmp_path):
    check_killed(tmp_path / "killed", executor=DaskExecutor(client))
