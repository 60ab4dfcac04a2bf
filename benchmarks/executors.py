"""Long work in threads of the server against processes of its own.

Two studies of imbalance run while a visitor clicks on Classify. For either place: how long a click
takes, how long a study works on after it was stopped, what memory it takes, what it costs to
begin, and what is left when native code crashes. What was decided stands in benchmarks/README.md.

Run with ``python -m benchmarks.executors [clicks]``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

import lincore
from benchmarks.common import ROOT
from pages.ui.jobs import worker_process
from pages.ui.jobs.executor import Job, Pool

CLICKS = int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdigit() else 30
#: Rounds in which both places are timed in turn.
ROUNDS = 3
SAMPLE = "digits"
METHODS = ["lda", "qda", "logistic"]


@contextmanager
def studies(pool: Pool) -> Iterator[Callable[[], float]]:
    """Run two studies as jobs of the dashboard; yield what stops them and returns the seconds."""
    data = lincore.sample(SAMPLE)

    def study(progress: Any) -> Any:
        return lincore.balance(data, {9: 40}, METHODS, repeats=300, progress=progress)

    jobs = [Job(f"study.{i}", i, study) for i in range(2)]
    for job in jobs:
        pool.submit(job)
    while any(job.progress.done == 0 for job in jobs):
        time.sleep(0.01)

    def stop() -> float:
        start = time.perf_counter()
        for job in jobs:
            job.stop()
        for job in jobs:
            job.wait()
        return time.perf_counter() - start

    yield stop
    stop()


def clicks(app: AppTest, number: int) -> list[float]:
    """Return the seconds of so many clicks that change the classifier, in the scripts' turns."""
    from pages.ui.server.script_queue import scripts

    found = []
    for i in range(number):
        box = app.selectbox(key="classify.classifier").set_value(("lda", "qda")[i % 2])
        start = time.perf_counter()
        with scripts.taken():
            box.run(timeout=120)
        found.append(time.perf_counter() - start)
        time.sleep(0.2)
    return found


def own_memory() -> float:
    """Return what this process and its workers hold for themselves alone, in MB."""
    total = 0
    parents = {str(os.getpid())}
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if folder.name in parents or parent in parents:
                parents.add(folder.name)
                held = (folder / "smaps_rollup").read_text()
                total += int(held.split("\nPss:")[1].split()[0])
        except (OSError, IndexError):
            continue
    return total / 1024


def seconds_to_begin() -> float:
    """Return the median seconds of a job that does nothing."""
    pool, taken = Pool(1), []
    for i in range(20):
        job = Job("nothing", i, lambda progress: 1)
        start = time.perf_counter()
        pool.submit(job)
        job.wait()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def fault() -> str:
    """Return the message of work that ends as native code does that reads where nothing is."""
    job = Job("fault", 1, lambda progress: os.kill(os.getpid(), signal.SIGSEGV))
    Pool(1).submit(job)
    job.wait()
    return str(job.error)


def main() -> None:
    """Time both places in turn, and print a table."""
    from pages.ui.server import preload

    preload.import_modules()
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120).run()
    app.switch_page("pages/classify.py").run()
    clicks(app, 4)
    alone = clicks(app, CLICKS)
    print(f"click alone: median {np.median(alone):.3f} s, p95 {np.quantile(alone, 0.95):.3f} s")
    places = {"threads": worker_process.end, "processes": worker_process.start}
    found: dict[str, list[float]] = {name: [] for name in places}
    stops: dict[str, list[float]] = {name: [] for name in places}
    memory, begins = {}, {}
    for _ in range(ROUNDS):
        for name, prepare in places.items():
            prepare()
            begins[name] = seconds_to_begin()
            before = own_memory()
            with studies(Pool(2)) as stop:
                found[name] += clicks(app, CLICKS // ROUNDS)
                memory[name] = (before, (own_memory() - before) / 2)
                stops[name].append(stop())
    for name in places:
        at_rest, each = memory[name]
        print(
            f"{name}: click median {np.median(found[name]):.3f} s, "
            f"p95 {np.quantile(found[name], 0.95):.3f} s; stops after {np.median(stops[name]):.3f} "
            f"s (longest {max(stops[name]):.3f}); begins in {begins[name]:.4f} s; "
            f"{at_rest:.0f} MB at rest, {each:.0f} MB a study"
        )
    print(f"crash of a process: {fault()} Of a thread: the end of the server.")


if __name__ == "__main__":
    main()
