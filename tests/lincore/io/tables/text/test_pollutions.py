"""Clean tables with one deviation each: every cell is read as it was, in its column."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest

from lincore.io import ReadOptions, read_table

RNG = np.random.default_rng(3)
N = 45
WORDS = ["red", "blue", "green", "oak", "ash"]
SALES = {
    "DATE": [f"{RNG.integers(1, 29):02d}/{RNG.integers(1, 13):02d}/2019" for _ in range(N)],
    "TIME": [f"{RNG.integers(8, 20):02d}:{RNG.integers(0, 60):02d}:11" for _ in range(N)],
    "Price": [f"${RNG.integers(1, 999)}.{RNG.integers(0, 99):02d}" for _ in range(N)],
    "Text": [(f"{i} oak, {i}", f'{i}" ash', f"oak {i}", "two\nlines")[i % 4] for i in range(N)],
    "URL": [f"https://shop.example/{WORDS[i % 5]}/{i}?a=1" for i in range(N)],
    "Comment": [("", "fragile", "call, then ring")[i % 3] for i in range(N)],
}
LEVELS = {
    "colour": [WORDS[i] for i in RNG.integers(0, 3, N)],
    "size": [("large", "small")[i] for i in RNG.integers(0, 2, N)],
    "flag": [("yes", "no")[i] for i in RNG.integers(0, 2, N)],
    "kind": [("up", "down")[i] for i in RNG.integers(0, 2, N)],
}
FLOWERS = {
    "length": [f"{x:.1f}" for x in RNG.normal(5, 1, N)],
    "width": [f"{x:.2f}" for x in RNG.normal(3, 1, N)],
    "count": [str(x) for x in RNG.integers(0, 300, N)],
    "species": [("setosa", "virginica")[i] for i in RNG.integers(0, 2, N)],
}
TABLES = {"sales": SALES, "levels": LEVELS, "flowers": FLOWERS}


def written(columns, header=True, **how) -> str:
    """Return a table as text."""
    frame = pd.DataFrame(columns)
    how = {"doublequote": "escapechar" not in how, **how}
    return frame.to_csv(index=False, header=header, lineterminator="\n", **how)


def padded(columns, text: str) -> str:
    return text + "," * (len(columns) - 1) + "\n"


POLLUTIONS = {
    "semicolons": lambda c: written(c, sep=";"),
    "tabs": lambda c: written(c, sep="\t"),
    "bars": lambda c: written(c, sep="|"),
    "colons": lambda c: written(c, sep=":"),
    "single blanks": lambda c: written(c, sep=" ", quoting=csv.QUOTE_ALL),
    "apostrophes": lambda c: written(c, quotechar="'"),
    "all quoted": lambda c: written(c, quoting=csv.QUOTE_ALL),
    "backslashes": lambda c: written(c, escapechar="\\"),
    "no final newline": lambda c: written(c).rstrip("\n"),
    "titles": lambda c: "Exported from system 1\nby nobody\n" + written(c),
    "padded titles": lambda c: padded(c, "Report") * 2 + written(c),
    "pairs above": lambda c: "Station,Berlin\n" + written(c),
    "comments": lambda c: "# made, by\n# nobody\n" + written(c),
    "a note": lambda c: written(c) + "Source: office\n",
    "a note with commas": lambda c: written(c) + "Source: office, 1 and others\n",
    "padded notes": lambda c: written(c) + padded(c, "Source: office") * 2,
    "a second table": lambda c: written(c) + "\n" + written({n: range(9) for n in "vwxyz"}),
    "NUL bytes": lambda c: written(c).replace(",", ",\0", 9),
    "blanks around": lambda c: written(c).replace("\n", " \n"),
    "one more comma": lambda c: written(c) + ",".join(["1"] * (len(c) + 4)) + "\n",
}


@pytest.mark.parametrize("pollution", POLLUTIONS)
@pytest.mark.parametrize("name", TABLES)
def test_one_deviation_costs_no_cell(name, pollution):
    columns = TABLES[name]
    raw = POLLUTIONS[pollution](columns).encode()
    frame = read_table(raw, "made.csv", ReadOptions(as_text=True)).frame
    expected = pd.DataFrame(columns)
    assert list(frame) == list(expected)
    texts = frame.fillna("").map(lambda cell: " ".join(cell.split()))
    pd.testing.assert_frame_equal(
        texts.astype(object), expected.map(lambda cell: " ".join(cell.split())).astype(object)
    )


@pytest.mark.parametrize("name", TABLES)
def test_a_header_one_name_short_or_long_moves_nothing(name):
    columns = TABLES[name]
    rows = written(columns, header=False)
    names = list(columns)
    short = read_table(f"{','.join(names[:-1])}\n{rows}".encode(), "made.csv").frame
    assert list(short) == [*names[:-1], f"column {len(names)}"]
    long = read_table(
        f"{','.join([*names, 'more'])}\n{rows}".encode(), "made.csv", ReadOptions(as_text=True)
    ).frame
    assert list(long) == [*names, "more"] and len(long) == N
    assert long[names[0]].tolist() == columns[names[0]]


def test_rows_without_a_header_are_numbered():
    raw = written(SALES, header=False).encode()
    assert list(read_table(raw, "made.csv").frame) == [f"column {i}" for i in range(1, 7)]
    assert csv.reader(io.StringIO(raw.decode())).__next__()[0] == SALES["DATE"][0]
