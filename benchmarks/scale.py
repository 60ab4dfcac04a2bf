"""Constants of sums over partitions, one worker against two, and what follows for a cluster.

Measures on this machine what moments, reading, merging and tasks cost, simulates runs by these
constants alone, and sets the simulation beside what one and two workers took. docs/scale.md has
the arithmetic that follows.

Run with ``python benchmarks/scale.py [rows]``; it needs ``lincore[distributed]``.
"""

from __future__ import annotations

import heapq
import pickle
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import finish, require
from distributed import Client, LocalCluster

from lincore import LogisticRegression, Moments
from lincore.distributed import Dask, PartitionedData, ProcessPool, open_parquet

ROWS = int(sys.argv[1]) if sys.argv[1:] else 240_000
FEATURES, CLASSES, FOLDS, PARTS = 600, 2, 2, 16
TURNS = 2
#: Between machines of a cluster: ten gigabits a second, as bytes.
NETWORK = 1.25e9
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Constants(NamedTuple):
    """Costs on one core, in seconds."""

    moments: float  # a row and a squared feature
    read: float  # a byte of rows in float64
    gradient: float  # a row, a feature and a class, in one pass
    merge: float  # a byte of two partial results that become one
    send: float  # a byte from worker to worker
    task: float  # a task of the scheduler, of which there is one


def best(work: Callable[[], Any], turns: int = TURNS) -> float:
    """Return the seconds of the quickest of some turns."""
    found = []
    for _ in range(turns):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def write_rows(path: Path) -> None:
    """Write rows of Gaussian classes, in as many groups as there are partitions."""
    rng = np.random.default_rng(0)
    codes = rng.integers(CLASSES, size=ROWS)
    X = rng.normal(size=(ROWS, FEATURES)) + 0.5 * np.eye(CLASSES, FEATURES)[codes]
    columns = {f"x{j}": X[:, j] for j in range(FEATURES)} | {"class": codes}
    pq.write_table(pa.table(columns), path, row_group_size=-(-ROWS // PARTS))


def on_worker(partition: Any) -> tuple[float, float, float]:
    """Return the seconds of reading a partition, of its moments and of a pass for gradients."""
    X, labels = map(np.asarray, partition())
    groups, passes = labels * FOLDS + np.arange(len(X)) % FOLDS, []

    def over(work: Any, merge: Any) -> Any:
        passes.append(work)
        return work((X, labels))

    by_class = Moments.from_groups(X, labels, CLASSES)
    start = time.perf_counter()
    LogisticRegression(max_iter=3, tol=1e-3).fit_blocks(over, by_class, np.arange(CLASSES))
    gradient = (time.perf_counter() - start) / len(passes)
    summarise = partial(Moments.from_groups, X, groups, CLASSES * FOLDS)
    return best(partition), best(summarise), gradient


def constants(rows: PartitionedData, client: Client) -> Constants:
    """Measure each cost by itself, on one core of a worker; those of results on their way here."""
    n, p = ROWS / PARTS, FEATURES
    one = Dask(client)
    read, summarise, gradient = one.reduce(max, one.map(on_worker, list(rows.partitions)[:1]))
    moments = Moments.from_groups(
        np.random.default_rng(0).normal(size=(2000, p)), np.arange(2000) % 4, CLASSES * FOLDS
    )
    size = len(pickle.dumps(moments))
    found = Constants(
        moments=summarise / (n * p**2),
        read=read / (8 * n * p),
        gradient=gradient / (n * p * CLASSES),
        merge=best(lambda: moments + moments) / size,
        send=best(lambda: pickle.loads(pickle.dumps(moments))) / size,
        task=best(lambda: client.gather(client.map(abs, range(1000), pure=False))) / 1000,
    )
    print(f"n = {n:,.0f} rows a partition, p = {p}, one partial result {size / 1e6:.2f} MB")
    for name, value in found._asdict().items():
        print(f"       {name}: {value:.3g} s")
    return found


def simulate(
    cost: Constants,
    *,
    n_rows: int,
    p: int,
    groups: int,
    n_parts: int,
    n_workers: int,
    network: float = np.inf,
) -> float:
    """Return the seconds that moments take: tasks dealt to workers, then a tree of merges."""
    rows = n_rows / n_parts
    own = rows * (8 * p * cost.read + p**2 * cost.moments) + p**2 * groups * 8 * cost.merge / 2
    free = [0.0] * n_workers
    ready = []
    for i in range(n_parts):
        # One scheduler deals all tasks.
        begin = max(heapq.heappop(free), i * cost.task)
        heapq.heappush(free, begin + own)
        ready.append(begin + own)
    size = 8 * groups * p**2
    step = size * (cost.merge + cost.send + 1 / network) + cost.task
    while len(ready) > 1:
        ready.sort()
        rest = ready[len(ready) // 2 * 2 :]
        merged = []
        for i in range(0, len(ready) - 1, 2):
            begin = max(heapq.heappop(free), ready[i + 1])
            heapq.heappush(free, begin + step)
            merged.append(begin + step)
        ready = merged + rest
    return ready[0]


def timed(open_rows: Callable[[int], Any]) -> dict[int, float]:
    """Return the seconds of the moments by number of workers, the first of which warms up."""
    found = {}
    for number in (1, 2):
        with open_rows(number) as rows:
            work = partial(rows.summarise, n_folds=FOLDS)
            work()
            found[number] = best(work)
    return found


class OnCluster:
    """Rows on a Dask cluster of some worker processes."""

    def __init__(self, path: Path, number: int) -> None:
        self._path, self._number = path, number

    def __enter__(self) -> PartitionedData:
        """Start the workers."""
        self._cluster = LocalCluster(
            n_workers=self._number, threads_per_worker=1, dashboard_address=None
        )
        self.client = Client(self._cluster)
        return open_parquet(Dask(self.client), self._path, "class")

    def __exit__(self, *_: Any) -> None:
        """End them."""
        self.client.close()
        self._cluster.close()


class InPool:
    """Rows for a pool of some processes."""

    def __init__(self, path: Path, number: int) -> None:
        self._path, self._pool = path, ProcessPool(number)

    def __enter__(self) -> PartitionedData:
        """Return the rows."""
        return open_parquet(self._pool, self._path, "class")

    def __exit__(self, *of: Any) -> None:
        """End the processes."""
        self._pool.__exit__(None, None, None)


def main() -> None:
    """Measure, simulate and compare."""
    # Dask has workers give memory back at once, and get it again by page faults: slow on machines
    # that are virtual.
    dask.config.set({"distributed.nanny.pre-spawn-environ": dict.fromkeys(ONE_THREAD, 1)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_rows(path)
        cluster = OnCluster(path, 1)
        with cluster as rows:
            cost = constants(rows, cluster.client)
        for name, kind in (("process pool", InPool), ("Dask", OnCluster)):
            found = timed(partial(kind, path))
            for number, seconds in found.items():
                alike = simulate(
                    cost,
                    n_rows=ROWS,
                    p=FEATURES,
                    groups=CLASSES * FOLDS,
                    n_parts=PARTS,
                    n_workers=number,
                )
                print(f"       {name}, {number} workers: {seconds:.2f} s; simulated {alike:.2f} s")
                require(
                    f"{name}, {number} workers: simulated / measured",
                    alike / seconds,
                    at_least=0.7,
                    at_most=1.3,
                )
            require(f"{name}: two workers / one", found[2] / found[1], at_most=0.6)
    large = {"n_rows": 10**9, "p": 1000, "groups": 100, "n_parts": 10_000, "n_workers": 100}
    hours = simulate(cost, **large, network=NETWORK) / 3600
    print(f"       a billion rows of 1,000 features on 100 workers: {hours:.2f} h simulated")
    finish()


if __name__ == "__main__":
    main()
