"""Rows in partitions on a Dask cluster give what they give in one file."""

from __future__ import annotations

from collections.abc import Iterator

import dask
import distributed
import pytest

from lincore.distributed import Dask
from tests.lincore.distributed.test_partitioned_data import check_all, check_killed, file

__all__ = ["file"]  # a fixture


@pytest.fixture(scope="module")
def cluster() -> Iterator[Dask]:
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    # Workers begin as those of the pool do: with everything imported.
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield Dask(client)


def test_a_cluster_finds_what_is_found_in_one_file(cluster, file):  # noqa: F811
    check_all(cluster, file)


def test_a_worker_that_is_killed_changes_nothing(cluster, tmp_path):
    check_killed(cluster, tmp_path / "killed")
