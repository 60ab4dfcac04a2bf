"""Constants of sums over blocks, one worker against two, and what follows for a cluster.

Measures on this machine what moments, reading, merging and tasks cost, simulates runs by these
constants alone, and sets the simulation beside what one and two workers took to load a folder of
Parquet files. docs/scale.md has the arithmetic that follows.

Run with ``python benchmarks/scale.py [rows]``; it needs ``lincore[distributed]``.
"""

from __future__ import annotations

import heapq
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.dataframe
import joblib
import numpy as np
import pandas as pd
from common import finish, require
from distributed import Client, LocalCluster

import lincore
from lincore import LogisticRegression, Moments
from lincore.data import Blocks

ROWS = int(sys.argv[1]) if sys.argv[1:] else 240_000
FEATURES, CLASSES, PARTS = 600, 2, 16
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


def write_rows(folder: Path) -> None:
    """Write rows of Gaussian classes, in as many files as there are parts."""
    rng = np.random.default_rng(0)
    for i in range(PARTS):
        codes = rng.integers(CLASSES, size=ROWS // PARTS)
        X = rng.normal(size=(len(codes), FEATURES)) + 0.5 * np.eye(CLASSES, FEATURES)[codes]
        frame = pd.DataFrame(X).add_prefix("x").assign(kind=codes)
        frame.to_parquet(folder / f"{i:02}.parquet", index=False)


def on_worker(blocks: Blocks) -> tuple[float, float, float]:
    """Return the seconds of reading a part, of its moments and of a pass for gradients."""
    parts, passes = list(blocks.read(*blocks.parts[0])), []

    def over(work: Any, merge: Any) -> Any:
        start, found = time.perf_counter(), work(parts[0])
        passes.append((time.perf_counter() - start) / len(parts[0].X))
        return found

    moments = Moments.from_groups(parts[0].X, parts[0].codes, CLASSES)
    model = LogisticRegression(max_iter=3, tol=1e-3)
    model.fit_blocks(over, moments, np.arange(CLASSES), parts[0])
    summarise = partial(Moments.from_groups, parts[0].X, parts[0].codes, CLASSES)
    n_rows = sum(len(part.X) for part in parts)
    reading = best(lambda: list(blocks.read(*blocks.parts[0]))) / n_rows
    return reading, best(summarise) / len(parts[0].X), min(passes)


def constants(blocks: Blocks, client: Client) -> Constants:
    """Measure each cost by itself, on one core of a worker; those of results on their way here."""
    p = FEATURES
    read, summarise, gradient = client.submit(on_worker, blocks).result()
    moments = blocks.moments
    size = len(pickle.dumps(moments))
    found = Constants(
        moments=summarise / p**2,
        read=read / (8 * p),
        gradient=gradient / (p * CLASSES),
        merge=best(lambda: moments + moments) / size,
        send=best(lambda: pickle.loads(pickle.dumps(moments))) / size,
        task=best(lambda: client.gather(client.map(abs, range(1000), pure=False))) / 1000,
    )
    print(f"n = {ROWS / PARTS:,.0f} rows a part, p = {p}, a partial result {size / 1e6:.2f} MB")
    for name, value in found._asdict().items():
        print(f"       {name}: {value:.3g} s")
    return found


def simulate(
    cost: Constants,
    *,
    n_rows: int,
    p: int,
    n_classes: int,
    n_parts: int,
    n_workers: int,
    network: float = np.inf,
) -> float:
    """Return the seconds of one pass for moments: tasks dealt to workers, then a tree of merges.

    Rows are read twice: for the first look and for the moments.
    """
    rows = n_rows / n_parts
    own = rows * (2 * 8 * p * cost.read + p**2 * cost.moments)
    free = [0.0] * n_workers
    ready = []
    for i in range(n_parts):
        # One scheduler deals all tasks.
        begin = max(heapq.heappop(free), i * cost.task)
        heapq.heappush(free, begin + own)
        ready.append(begin + own)
    size = 8 * n_classes * p**2
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


@contextmanager
def cluster(number: int) -> Iterator[Client]:
    """Start a Dask cluster of some worker processes."""
    options = {"n_workers": number, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as local, Client(local) as client:
        yield client


def timed(name: str, load: Callable[[], Any], number: int) -> tuple[float, Any]:
    """Return the seconds of loading, which was done once before to start the workers."""
    load()
    found: list[Any] = []
    seconds = best(lambda: found.append(load()))
    print(f"       {name}, {number} workers: {seconds:.2f} s")
    return seconds, found[0]


def by_joblib(folder: Path, number: int) -> tuple[float, Any]:
    """Load the folder with processes of joblib; with one, other than this process."""
    with joblib.parallel_config(n_jobs=number):
        return timed("joblib", lambda: lincore.load(folder, target="kind"), number)


def by_dask(folder: Path, number: int) -> tuple[float, Any]:
    """Load the folder as a Dask DataFrame on a cluster."""
    with cluster(number):
        files = sorted(folder.glob("*.parquet"))
        rows = dask.dataframe.from_map(pd.read_parquet, files)
        return timed("Dask", lambda: lincore.load(rows, target="kind"), number)


def main() -> None:
    """Measure, simulate and compare."""
    # Dask has workers give memory back at once, and get it again by page faults: slow on machines
    # that are virtual.
    dask.config.set({"distributed.nanny.pre-spawn-environ": dict.fromkeys(ONE_THREAD, 1)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder)
        for kind in (by_joblib, by_dask):
            (one, data), (two, same) = (kind(folder, number) for number in (1, 2))
            assert np.allclose(data.blocks.moments.scatter, same.blocks.moments.scatter, rtol=1e-10)
            require(f"{kind.__name__}: two workers / one", two / one, at_most=0.65)
            if kind is by_joblib:
                with cluster(1) as client:
                    cost = constants(data.blocks, client)
                size = {"n_rows": ROWS, "p": FEATURES, "n_classes": CLASSES, "n_parts": PARTS}
                for number, seconds in ((1, one), (2, two)):
                    alike = simulate(cost, **size, n_workers=number)
                    what = f"joblib, {number} workers: simulated / measured"
                    require(what, alike / seconds, at_least=0.5, at_most=1.3)
    large = {"n_rows": 10**9, "p": 1000, "n_classes": 10, "n_parts": 10_000, "n_workers": 100}
    hours = simulate(cost, **large, network=NETWORK) / 3600
    print(f"       a billion rows of 1,000 features on 100 workers: {hours:.2f} h simulated")
    finish()


if __name__ == "__main__":
    main()
