"""Tables beyond the memory budget, read in blocks: time against plain pandas, and memory.

Run ``python benchmarks/blocks.py``. A CSV of 380 MB and a Parquet file of as many rows are written
to a temporary folder. Memory is what a process of its own held at most beyond what it held before,
as Linux tells it.

``--gigabytes 5`` makes a CSV of that size with 50 features instead, and loads it and compares LDA,
QDA and logistic regression by ten folds, against DuckDB that reads the same file and adds up every
column. Memory is then all that the process held at most, in turns of a new process each.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from common import Ratio, finish, ratio, require

import lincore
from lincore.io import open_table, read_table, table_to_dataset

N_ROWS, COPIES = 100_000, 24
LARGE_ROWS, N_FEATURES = 200_000, 50
METHODS = ["lda", "qda", "logistic"]
#: The step that reads the file once, and how long it may take.
BOUNDED = "moments of all rows"
AT_MOST_DUCKDB, AT_MOST_MEGABYTES = 2.0, 600


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, help="compare methods on a CSV of this size")
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.gigabytes:
            against_duckdb(Path(folder) / "large.csv", asked.gigabytes * 1e9, asked.turns)
            finish()
            return
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
    write_copies(frame, csv, COPIES)
    pd.concat([frame] * COPIES).to_parquet(parquet)


def write_copies(frame: pd.DataFrame, csv: Path, copies: int) -> None:
    """Write the rows of a frame so many times."""
    header, rows = frame.to_csv(index=False).encode().split(b"\n", 1)
    with csv.open("wb") as stream:
        stream.write(header + b"\n")
        for _ in range(copies):
            stream.write(rows)


def in_blocks(path: Path) -> None:
    """Read a file as if it were too large to be held."""
    data = table_to_dataset(read_table(path, path.name))
    assert data.n_rows + data.n_streamed == N_ROWS * COPIES


def plain(path: Path) -> None:
    """Read a file as a whole."""
    pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)


def against_duckdb(path: Path, n_bytes: float, turns: int) -> None:
    """Sum and compare all rows, in turns with DuckDB that sums the columns."""
    rng = np.random.default_rng(0)
    codes = rng.choice(4, LARGE_ROWS, p=[0.55, 0.3, 0.1, 0.05])
    X = rng.normal(size=(LARGE_ROWS, N_FEATURES)) + codes[:, None] * np.linspace(0, 0.3, N_FEATURES)
    frame = pd.DataFrame(X.round(5)).add_prefix("x")
    frame["class"] = np.array(["red", "green", "blue", "rare"])[codes]
    write_copies(frame, path, round(n_bytes / len(frame.to_csv(index=False))))
    print(f"{path.stat().st_size / 1e9:.2f} GB, {N_FEATURES} features")
    found = [
        {
            what: value
            for work in (sum_by_duckdb, load_and_compare)
            for what, value in _run(work, path)
        }
        for _ in range(turns)
    ]
    for what in found[0]:
        values = np.array([one[what] for one in found])
        if what.endswith("MB"):
            require(what, values.max(), at_most=AT_MOST_MEGABYTES)
            continue
        print(
            f"       {what}: {np.median(values):.1f} s ({values.min():.1f} to {values.max():.1f})"
        )
        ratios = values / [one["DuckDB"] for one in found]
        if what == BOUNDED:
            value = Ratio(float(np.median(ratios)), ratios.min(), ratios.max())
            require(f"{what} / DuckDB", value, at_most=AT_MOST_DUCKDB)


def sum_by_duckdb(path: Path) -> Iterator[str]:
    """DuckDB reads all columns and adds them up."""
    sums = ", ".join(f"sum(x{j})" for j in range(N_FEATURES))
    duckdb.sql("SET enable_progress_bar = false")
    duckdb.sql(f"SELECT {sums}, count(class) FROM read_csv('{path}')").fetchall()
    yield "DuckDB"


def load_and_compare(path: Path) -> Iterator[str]:
    """Sum all rows and compare methods that learn from all of them."""
    table = open_table(path)
    assert table is not None
    yield "first look at the lines"
    data = table_to_dataset(table, "class")
    yield BOUNDED
    lincore.compare(data, METHODS[:-1], "10-fold")
    yield "comparison of methods that are fitted from moments"
    lincore.compare(data, METHODS, "10-fold")
    yield "comparison with logistic regression, in passes"


def _run(work: Callable[[Path], Iterator[str]], path: Path) -> list[tuple[str, float]]:
    """Return the seconds of each step in a new process, and the most megabytes it holds."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found: list[tuple[str, float]] = pool.apply(_timed, (work, path))
    return found


def _timed(work: Callable[[Path], Iterator[str]], path: Path) -> list[tuple[str, float]]:
    # What is imported late is not timed.
    table_to_dataset(read_table(b"u,class\n1.5,a\n2.5,b\n", "first.csv"))
    found, start = [], time.perf_counter()
    for what in work(path):
        found.append((what, time.perf_counter() - start))
        start = time.perf_counter()
    return [*found, (f"{work.__name__}: MB", _highest())]


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
