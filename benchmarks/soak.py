"""Visitors that come, upload, look around and leave: what the server holds when they have gone.

``python benchmarks/soak.py`` lets 200 sessions come, the first fifty one after another and the
others ten at a time, with the files of the test data in turn (LINCORE_DATA; a table of its own for
each where there are none), and prints the memory of the server on the way and for five minutes
after. ``LINCORE_TURNS`` says how many sessions instead.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.classroom import table
from benchmarks.common import DATA, ROOT, finish, require
from benchmarks.visitors import TurnedAwayError, Visitor
from tests.browser.server import serving

SESSIONS = int(os.environ.get("LINCORE_TURNS", "200"))
AT_ONCE = 10
STAYS = 5.0  # seconds for a job that a page has begun; then on to the next
REST = 300.0
MEGABYTES = 600.0
PAGES = ("explore", "classify", "compare", "balance")
#: Files of the test data that are read in seconds, of all kinds.
MOST_BYTES = 16_000_000


def files() -> list[tuple[str, bytes]]:
    """Return the names and contents of what is uploaded in turn."""
    found = [path for path in sorted(DATA.rglob("*")) if path.suffix in (".csv", ".zip", ".npz")]
    small = [path for path in found if path.stat().st_size <= MOST_BYTES]
    return [(path.name, path.read_bytes()) for path in small]


async def visit(address: str, number: int, held: list[tuple[str, bytes]]) -> None:
    """Come, upload a file, look at one page after another, and leave."""
    visitor = Visitor(address, stays=STAYS)
    try:
        await visitor.enter()
        mark = f"{number:03d}"
        name, content = held[number % len(held)] if held else (f"{mark}.csv", table(mark, number))
        await visitor.upload(name, content)
        for page in (PAGES[number % len(PAGES)], "classify"):
            await visitor.visit(page)
    except TurnedAwayError as error:
        print(f"       visitor {number}: {error}", flush=True)
    finally:
        await visitor.leave()


async def soak(address: str, held: list[tuple[str, bytes]]) -> None:
    """Let all visitors come and go."""
    alone = SESSIONS // 4
    for number in range(alone):
        await visit(address, number, held)
        if number % 10 == 9:
            tell(f"{number + 1} visitors")
    for first in range(alone, SESSIONS, AT_ONCE):
        together = range(first, min(first + AT_ONCE, SESSIONS))
        await asyncio.gather(*(visit(address, number, held) for number in together))
        tell(f"{together[-1] + 1} visitors")


def tell(when: str) -> None:
    """Print how much memory the server holds."""
    print(f"{time.monotonic() - START:6.0f} s  {held_megabytes():6.0f} MB  {when}", flush=True)


def held_megabytes() -> float:
    """Return the resident memory of the process that was started from here."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    status = Path(f"/proc/{children[0]}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1000


START = time.monotonic()


def main() -> None:
    """Serve the dashboard, let visitors come and go, and see what is held in the end."""
    if not Path("/proc/self/status").exists():
        sys.exit("reads /proc: it runs on Linux only")
    with tempfile.TemporaryDirectory() as home:
        log = Path(home) / "log"
        with serving(ROOT, Path(home), log) as address:
            asyncio.run(soak(address, files()))
            gone = time.monotonic()
            while time.monotonic() - gone < REST:
                time.sleep(REST / 5)
                tell(f"{time.monotonic() - gone:.0f} s after the last has gone")
            require(
                f"megabytes held {REST:.0f} s after {SESSIONS} visitors",
                round(held_megabytes()),
                at_most=MEGABYTES,
            )
        if "Traceback" in log.read_text():
            print(log.read_text()[-3000:])
    finish()


if __name__ == "__main__":
    main()
