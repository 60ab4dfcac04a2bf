"""Tables beyond the memory budget, read in blocks: time against plain pandas, and memory.

Run ``python benchmarks/blocks.py``. A CSV of 380 MB and a Parquet file of as many rows are written
to a temporary folder. Memory is what a process of its own held at most beyond what it held before,
as Linux tells it.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from common import finish, ratio, require

from lincore.io import read_table, table_to_dataset

N_ROWS, COPIES = 100_000, 24


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "large.csv", Path(folder) / "large.parquet"
        write(csv, parquet)
        against = ratio(lambda: in_blocks(csv), lambda: pd.read_csv(csv), turns=3)
        size = csv.stat().st_size / 1e6
        require(f"read {size:.0f} MB of CSV in blocks / pandas.read_csv", against, at_most=3)
        for path in (csv, parquet):
            whole, blocks = peak(plain, path), peak(in_blocks, path)
            what = f"megabytes more at most for {path.name}, plain pandas {whole:.0f}"
            require(what, blocks, at_most=300)
    finish()


def write(csv: Path, parquet: Path) -> None:
    """Write ten columns of numbers and four classes as text, and as Parquet."""
    rng = np.random.default_rng(0)
    codes = rng.choice(4, N_ROWS, p=[0.55, 0.3, 0.1, 0.05])
    X = rng.normal(size=(N_ROWS, 10)) + codes[:, None] * np.linspace(0, 1, 10) + 1_000
    frame = pd.DataFrame(X.round(10)).rename(columns=str)
    frame["class"] = np.array(["red", "green", "blue", "rare"])[codes]
    header, rows = frame.to_csv(index=False).encode().split(b"\n", 1)
    with csv.open("wb") as stream:
        stream.write(header + b"\n")
        for _ in range(COPIES):
            stream.write(rows)
    pd.concat([frame] * COPIES).to_parquet(parquet)


def in_blocks(path: Path) -> None:
    """Read a file as if it were too large to be held."""
    data = table_to_dataset(read_table(path, path.name))
    assert data.n_rows + data.n_streamed == N_ROWS * COPIES


def plain(path: Path) -> None:
    """Read a file as a whole."""
    pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)


def peak(read: Callable[[Path], None], path: Path) -> float:
    """Return how many megabytes reading takes at most, measured in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return float(pool.apply(_peak, (read, path)))


def _peak(read: Callable[[Path], None], path: Path) -> float:
    # What is imported late is not counted.
    table_to_dataset(read_table(b"u,class\n1.5,a\n2.5,b\n", "first.csv"))
    # From here on: a new process begins with the peak of the one that made it.
    Path("/proc/self/clear_refs").write_text("5")
    before = _highest()
    read(path)
    return _highest() - before


def _highest() -> float:
    """Return the most megabytes that this process has held."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e3


if __name__ == "__main__":
    main()
