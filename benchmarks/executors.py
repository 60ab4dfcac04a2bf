"""Long work in threads of the server against processes of its own.

Two studies of imbalance run while a visitor clicks on Classify. For either place: how long a click
takes, how long a study works on after it was told to stop, what memory it takes, and what is left
when native code crashes. What was decided stands in benchmarks/README.md.

Run with ``python benchmarks/executors.py [clicks]``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from common import ROOT
from streamlit.testing.v1 import AppTest

CLICKS = int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdigit() else 30
#: Rounds in which both places are timed in turn.
ROUNDS = 3
SAMPLE = "digits"
METHODS = ("lda", "qda", "logistic")


def study(progress: Any = None) -> Any:
    """Run an imbalance study that takes about a minute."""
    import lincore

    return lincore.balance(
        lincore.sample(SAMPLE), {9: 40}, list(METHODS), repeats=30, progress=progress
    )


def serve() -> None:
    """Study again and again in a process of its own that gives way to others."""
    os.nice(10)
    from threadpoolctl import threadpool_limits

    import lincore

    lincore.sample(SAMPLE)
    with threadpool_limits(1):
        print("ready", flush=True)
        while True:
            study()


@contextmanager
def in_threads() -> Iterator[Callable[[], float]]:
    """Run two studies as jobs of the dashboard; yield what stops them and returns the seconds."""
    from pages.ui.jobs.executor import Job, Pool

    pool = Pool(2, seconds_alone=0)
    jobs = [Job(f"study.{i}", i, lambda progress: study(progress)) for i in range(2)]
    for job in jobs:
        pool.submit(job)
    while any(job.started is None for job in jobs):
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


@contextmanager
def in_processes() -> Iterator[Callable[[], float]]:
    """Run two studies in spawned processes; yield what ends them and returns the seconds."""
    workers = [begin("serve") for _ in range(2)]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()

    def stop() -> float:
        start = time.perf_counter()
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.wait()
        return time.perf_counter() - start

    stop.pids = [worker.pid for worker in workers]  # type: ignore[attr-defined]
    yield stop
    stop()


def clicks(app: AppTest, number: int) -> list[float]:
    """Return the seconds of so many clicks that change the classifier, in the scripts' turns."""
    from pages.ui.server.script_queue import scripts

    found = []
    for i in range(number):
        box = app.selectbox(key="classify.word").set_value(("lda", "qda")[i % 2])
        start = time.perf_counter()
        with scripts.taken():
            box.run(timeout=120)
        found.append(time.perf_counter() - start)
        time.sleep(0.2)
    return found


def resident(pid: int | str = "self") -> float:
    """Return the resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def begin(what: str) -> subprocess.Popen[str]:
    """Begin a process of this file."""
    return subprocess.Popen([sys.executable, __file__, what], stdout=subprocess.PIPE, text=True)


def fault() -> None:
    """End as native code does that reads where nothing is."""
    os.kill(os.getpid(), signal.SIGSEGV)


def main() -> None:
    """Time both places in turn, and print a table."""
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    from pages.ui.server import preload

    preload.start()
    preload.wait()
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120).run()
    app.switch_page("pages/classify.py").run()
    clicks(app, 4)
    alone = clicks(app, CLICKS)
    places = {"threads": in_threads, "processes": in_processes}
    found: dict[str, list[float]] = {name: [] for name in places}
    stops: dict[str, list[float]] = {name: [] for name in places}
    memory = {}
    for _ in range(ROUNDS):
        for name, place in places.items():
            before = resident()
            with place() as stop:
                found[name] += clicks(app, CLICKS // ROUNDS)
                pids = getattr(stop, "pids", ())
                used = [resident(pid) for pid in pids] or [resident() - before]
                memory[name] = f"{np.mean(used):.0f} MB {'a process' if pids else 'more'}"
                stops[name].append(stop())
    code = begin("fault").wait()
    print(f"click alone: median {np.median(alone):.3f} s, p95 {np.quantile(alone, 0.95):.3f} s")
    for name in places:
        print(
            f"{name}: click median {np.median(found[name]):.3f} s, "
            f"p95 {np.quantile(found[name], 0.95):.3f} s; stops after {np.median(stops[name]):.3f} "
            f"s (longest {max(stops[name]):.3f}); {memory[name]}"
        )
    print(f"crash: a process ends with {code}, the server goes on; a thread takes it along")


if __name__ == "__main__":
    {"serve": serve, "fault": fault}.get(sys.argv[-1], main)()
