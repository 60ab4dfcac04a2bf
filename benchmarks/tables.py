"""Reading of tables against pandas and, where it is installed, DuckDB: time and memory.

Run ``python benchmarks/tables.py``; ``--large`` adds a generated file of 120 MB, which is read in
blocks. Times are compared in turns in this run. pandas is given what our reader detects by itself:
separator, decimal mark, encoding and header.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import DATA, finish, ratio, require

from lincore.data import Dataset
from lincore.io import DetectedOptions, Table, read_table, table_to_dataset

# Of small tables most of the time is looking, and nobody waits for it: they have no bound.
AT_MOST, AT_MOST_LARGE = 10.0, 6.0
AT_MOST_SECONDS, AT_MOST_MEGABYTES = 2.0, 200


def as_pandas(path: Path, found: DetectedOptions) -> Callable[[], Any]:
    """Return pandas' reading of a file that is known already."""
    separator = r"\s+" if found.separator == " " else found.separator
    return lambda: pd.read_csv(
        path,
        sep=separator,
        decimal=found.decimal,
        encoding=found.encoding,
        header=0 if found.header_line else None,
        skiprows=(found.header_line or 1) - 1,
        low_memory=False,
    )


def as_duckdb(path: Path, found: DetectedOptions) -> Callable[[], Any] | None:
    """Return DuckDB's reading, which it finds out by itself; None where it is not installed."""
    if importlib.util.find_spec("duckdb") is None or found.encoding not in ("utf-8", "ascii"):
        return None
    import duckdb

    return lambda: duckdb.read_csv(str(path)).df()


def resident() -> float:
    """Return the bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return what a call returns, its seconds, and the megabytes that it needed at most."""
    over = threading.Event()
    before = most = resident()

    def watch() -> None:
        nonlocal most
        while not over.wait(0.01):
            most = max(most, resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    result = work()
    taken = time.perf_counter() - start
    over.set()
    watcher.join()
    return result, taken, (most - before) / 1e6


def measure(path: Path, at_most: float = np.inf, turns: int = 5) -> None:
    """Compare the readers of one file."""

    def ours() -> Table:
        return read_table(path.read_bytes(), path.name)

    table, taken, megabytes = peak(ours)
    assert table.reading is not None
    print(f"{path.name}: {taken:.3f} s, {megabytes:.0f} MB; {table.reading}")
    value = ratio(ours, as_pandas(path, table.reading), turns)
    require(f"{path.name}: ours / pandas", value, at_most=at_most)
    rival = as_duckdb(path, table.reading)
    if rival is not None:
        try:
            rival()
        except Exception as error:  # noqa: BLE001
            print(f"       {path.name}: DuckDB refuses: {str(error).splitlines()[0][:80]}")
        else:
            require(f"{path.name}: ours / DuckDB", ratio(ours, rival, turns), at_most=np.inf)


def numbers(path: Path, n_rows: int, n_columns: int) -> Path:
    """Write a table of numbers and a class."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, n_columns)).round(4))
    frame.columns = [f"x{i}" for i in range(n_columns)]
    frame["kind"] = rng.choice(["a", "b", "c"], n_rows)
    frame.to_csv(path, index=False)
    return path


def wide(path: Path, n_rows: int, n_columns: int, *, of_amounts: bool) -> None:
    """Read a table of words or amounts: what a hostile file may take of processor and memory."""
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(n_columns)]
    values = rng.choice(["red", "blue", "green", "dark grey"], (n_rows, n_columns))
    if of_amounts:
        amounts = rng.integers(100_000, 999_999, (n_rows, n_columns)) / 100
        values = np.array([[f"${amount:,.2f}" for amount in row] for row in amounts])
    frame = pd.DataFrame(values, columns=names)
    frame["kind"] = rng.choice(["a", "b"], n_rows)
    frame.to_csv(path, index=False)

    def load() -> Dataset:
        return table_to_dataset(read_table(path.read_bytes(), path.name))

    megabytes = peak(load)[2]
    start = time.process_time()
    load()
    require(f"{path.name}: seconds", time.process_time() - start, at_most=AT_MOST_SECONDS)
    require(f"{path.name}: MB", megabytes, at_most=AT_MOST_MEGABYTES)


def large(path: Path) -> None:
    """Read a file of 120 MB in blocks, as it is and with one line that does not fit."""
    numbers(path, 850_000, 20)
    print(f"{path.name}: {path.stat().st_size / 1e6:.0f} MB")
    # pandas refuses the damaged line: its time is that of the whole file.
    plain = peak(lambda: sum(len(part) for part in pd.read_csv(path, chunksize=50_000)))[1]
    for kind in ("as it is", "with a damaged line"):
        data, taken, megabytes = peak(
            lambda: table_to_dataset(read_table(path, path.name), target="kind")
        )
        print(f"       {kind}: {taken:.1f} s, {megabytes:.0f} MB, {data.n_rows:,} rows in memory")
        require(f"{path.name}, {kind}: ours / pandas", taken / plain, at_most=AT_MOST_LARGE)
        require(f"{path.name}, {kind}: MB", megabytes, at_most=1_500)
        with path.open("a") as stream:
            stream.write(",".join("1" * 23) + "\n")


def main() -> None:
    """Print the ratios; end with an error if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also a file of 120 MB")
    for path in sorted(DATA.glob("csv/*")):
        measure(path)
    with tempfile.TemporaryDirectory() as folder:
        measure(numbers(Path(folder) / "5,000 columns.csv", 200, 4_999), AT_MOST)
        measure(numbers(Path(folder) / "100,000 rows.csv", 100_000, 10), AT_MOST)
        wide(Path(folder) / "4,000 columns of text.csv", 20, 4_000, of_amounts=False)
        wide(Path(folder) / "4,000 columns of amounts.csv", 20, 4_000, of_amounts=True)
        if parser.parse_args().large:
            large(Path(folder) / "large.csv")
    finish()


if __name__ == "__main__":
    main()
