"""A class at once: visitors that upload, click and change pages, and how long each waits.

A teacher opens every page before the class comes; a server that has just started is measured in
``benchmarks/dashboard.py``. The sessions are real ones over websockets, without browsers, in a
process beside the server's. Each visitor uploads a table, whose names carry a mark that nobody else
may be sent, and then, after pauses as people make them, changes what needs no fit, what needs one,
and the page.

``python benchmarks/classroom.py 20 50`` says how many visitors (these by default), and
``--processes 2`` how many servers stand behind one nginx, by deploy/nginx.conf; wants two idle
cores. The seconds of processor that the driver took are printed: it has the same cores.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import resource
import subprocess
import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.common import ROOT, finish, require
from benchmarks.visitors import Taken, TurnedAwayError, Visitor
from tests.browser.server import free_port, serving, wait_until_healthy

MARK = re.compile(rb"zq(\d{3})zq")
THINKING = (1.5, 4.5)
ROUNDS = int(os.environ.get("LINCORE_TURNS", "4"))
#: What refits nothing, and what fits, by page: the first letters of the widgets' keys.
DRAWN = {
    "classify": (
        "classify.panels",
        "classify.plane.drawing",
        "classify.plane.quantity",
        "classify.confusion.cells",
    ),
    "explore": ("explore.view", "explore.plot", "explore.heights", "explore.panels"),
    "compare": ("compare.panels", "compare.score"),
    "balance": ("balance.tabs", "balance.drawing", "balance.loss"),
}
FITTED = {
    "classify": ("classify.classifier", "experiment.lda.shrinkage.kind", "experiment.lda.priors"),
    "compare": ("compare.scheme",),
}
#: Models that take no job of their own on a small table.
WORDS = ("LDA", "Diagonal LDA", "QDA", "Naive Bayes", "Fisher's discriminant")
FIRST, UPLOAD, DRAW, FIT, PAGE = "first page", "upload", "refits nothing", "fits", "page"


class Bounds(NamedTuple):
    """Seconds: the median and the 95th percentile of clicks that refit nothing, and others."""

    median: float
    p95: float
    fit: float = np.inf
    first: float = np.inf


BOUNDS = {20: Bounds(0.06, 0.2), 50: Bounds(0.1, 0.3, fit=0.3, first=3.0)}


class Class:
    """Visitors of one server, what they waited for, and what went wrong."""

    def __init__(self, address: str, size: int) -> None:
        self.address = address
        self.size = size
        self.taken: dict[str, list[Taken]] = defaultdict(list)
        self.turned_away: list[str] = []
        self.failures: list[str] = []
        self.foreign = 0

    async def meet(self) -> None:
        """Let a teacher open every page, then all come at once; wait until the last has left."""
        teacher = Visitor(self.address)
        await teacher.enter()
        for page in sorted(DRAWN):
            await teacher.visit(page)
        await teacher.leave()
        await asyncio.gather(*(self._visit(number) for number in range(self.size)))

    async def _visit(self, number: int) -> None:
        dice = random.Random(number)
        mark = f"{number:03d}"
        visitor = Visitor(self.address, MARK, mark.encode())
        try:
            self.taken[FIRST].append(await visitor.enter())
            await think(dice)
            upload = await visitor.upload(f"zq{mark}zq.csv", table(mark, number))
            self.taken[UPLOAD].append(upload)
            await self._work(visitor, dice)
        except TurnedAwayError as error:
            self.turned_away.append(f"{mark} {error}")
        finally:
            await visitor.leave()
            self.failures += [f"{mark} {failure}" for failure in visitor.seen.failures]
            self.foreign += bool(visitor.foreign)

    async def _work(self, visitor: Visitor, dice: random.Random) -> None:
        for page in dice.choices(sorted(DRAWN), weights=[1, 4, 1, 1], k=ROUNDS):
            await think(dice)
            self.taken[PAGE].append(await visitor.visit(page))
            for kind, keys in ((DRAW, DRAWN), (FIT, FITTED), (DRAW, DRAWN), (DRAW, DRAWN)):
                widgets = widgets_of(visitor, keys.get(page, ()))
                if widgets:
                    await think(dice)
                    key, option = dice.choice(widgets)
                    self.taken[kind].append(await visitor.choose(key, option))


def widgets_of(visitor: Visitor, keys: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the widgets that are on the page, each with what may be chosen."""
    return [
        (key, option)
        for key, widget in visitor.seen.widgets.items()
        if key.startswith(keys)
        for option in widget.options
        if keys and (not key.endswith("classifier") or option in WORDS)
    ]


async def think(dice: random.Random) -> None:
    """Make a pause as long as people do."""
    await asyncio.sleep(dice.uniform(*THINKING))


def table(mark: str, seed: int, n_rows: int = 300, n_features: int = 6) -> bytes:
    """Return a table of three classes as CSV: columns and classes carry the mark."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=n_rows)
    rows = rng.normal(size=(n_rows, n_features)) + codes[:, None] * rng.normal(size=n_features)
    names = [f"x{i}zq{mark}zq" for i in range(n_features)]
    lines = [",".join([*names, f"kind zq{mark}zq"])]
    for row, code in zip(rows, codes, strict=True):
        lines.append(",".join([*(f"{value:.4f}" for value in row), f"{'abc'[code]} zq{mark}zq"]))
    return "\n".join(lines).encode()


def report(met: Class) -> None:
    """Print what the visitors waited, and hold it to the bounds."""
    print(
        f"{'seconds':<16}{'clicks':>7}{'median':>8}{'p95':>8}{'worst':>8}{'messages':>10}{'kB':>7}"
    )
    for kind, taken in met.taken.items():
        times = np.array([one.settled if kind == FIT else one.finished for one in taken])
        half, most = np.quantile(times, [0.5, 0.95])
        messages, size = np.median([[one.n_messages, one.n_bytes / 1e3] for one in taken], axis=0)
        print(
            f"{kind:<16}{len(taken):>7}{half:>8.3f}{most:>8.3f}{times.max():>8.3f}"
            f"{messages:>10.0f}{size:>7.0f}"
        )
    for line in [*met.turned_away, *met.failures][:10]:
        print("      ", line)
    who = f"{met.size} visitors"
    require(f"{who}, turned away", len(met.turned_away), at_most=0)
    require(f"{who}, failures on their pages", len(met.failures), at_most=0)
    require(f"{who} who were sent another one's data", met.foreign, at_most=0)
    bounds = BOUNDS.get(met.size)
    if bounds is None:
        return
    quantiles = [
        (DRAW, 0.5, bounds.median),
        (DRAW, 0.95, bounds.p95),
        (FIT, 0.95, bounds.fit),
        (FIRST, 0.95, bounds.first),
    ]
    for kind, quantile, bound in quantiles:
        times = [one.settled if kind == FIT else one.finished for one in met.taken[kind]]
        if bound < np.inf:
            value = round(float(np.quantile(times, quantile)), 3)
            require(f"{who}, {kind}, quantile {quantile}", value, at_most=bound)


def processor(whose: int) -> float:
    """Return the seconds of processor that this process, or those it has waited for, took."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


@contextmanager
def served(home: Path, processes: int) -> Iterator[str]:
    """Serve the dashboard from one process, or from several behind an nginx; yield the address."""
    with ExitStack() as stack:
        addresses = [
            stack.enter_context(serving(ROOT, home, home / f"log{number}"))
            for number in range(processes)
        ]
        if processes == 1:
            yield addresses[0]
            return
        port, own = free_port(), (ROOT / "deploy/nginx.conf").read_text()
        servers = "".join(f"    server 127.0.0.1:{urlsplit(one).port};\n" for one in addresses)
        own = re.sub(r"(    server 127.0.0.1:\d+;\n)+", servers, own)
        own = own.replace("listen 80;", f"listen 127.0.0.1:{port};")
        conf, log = home / "nginx.conf", home / "nginx.log"
        conf.write_text(f"error_log {log};\nevents {{}}\nhttp {{\naccess_log off;\n{own}}}\n")
        command = ["nginx", "-c", str(conf), "-g", f"daemon off; pid {home}/nginx.pid;"]
        nginx = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            address = f"http://localhost:{port}"
            wait_until_healthy(nginx, address, log)
            yield address
        finally:
            nginx.terminate()
            nginx.wait()


def memory(kind: str) -> float:
    """Return the resident megabytes of all processes that this one has started."""
    found = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        if int(lines["PPid"]) == os.getpid() and kind in lines:
            found += int(lines[kind].split()[0]) / 1024
    return found


def main() -> None:
    """Let a class of each size come to a server of its own."""
    parser = ArgumentParser()
    parser.add_argument("sizes", type=int, nargs="*", default=sorted(BOUNDS))
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    servers = 0.0
    for size in asked.sizes:
        with tempfile.TemporaryDirectory() as home:
            with served(Path(home), asked.processes) as address:
                began = memory("VmRSS")
                met = Class(address, size)
                own = -processor(resource.RUSAGE_SELF)
                asyncio.run(met.meet())
                own += processor(resource.RUSAGE_SELF)
                load = Path("/proc/loadavg").read_text().split()[0]
                most = memory("VmHWM")
            server = processor(resource.RUSAGE_CHILDREN)
            print(
                f"\n{size} visitors, load {load}; seconds of processor: {own:.1f} the driver",
                end="",
            )
            print(f", {server - servers:.1f} the server with its start")
            print(f"megabytes of the server: {began:.0f} at first, at most {most:.0f}")
            servers = server
            report(met)
            for log in Path(home).glob("log*"):
                if "Traceback" in log.read_text():
                    print(log.read_text()[-3000:])
    finish()


if __name__ == "__main__":
    main()
