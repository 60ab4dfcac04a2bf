"""Large files that mean harm or are broken: each is refused in little memory."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from lincore import DataError
from lincore.io import load
from tests.lincore.io.test_hostile_tables import parquet, zipped

pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="memory is read from /proc"
)
MEGABYTES = 200.0


def many_rows() -> bytes:
    column = pa.array(np.zeros(30_000_000, dtype=np.int8))
    return parquet(pa.table({"u": column, "class": column}))


def long_text_often() -> bytes:
    codes = pa.array(np.zeros(100_000, dtype=np.int32))
    text = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 1_000_000]))
    return parquet(pa.table({"u": text, "class": text}))


def equal_rows(n_rows: int) -> bytes:
    return parquet(pa.table({"u": np.zeros(n_rows), "class": np.zeros(n_rows, dtype=np.int8)}))


def columns(n: int) -> bytes:
    line = ",".join(f"c{i}" for i in range(n)).encode()
    return line + b"\n" + line + b"\n"


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "blank": (lambda: b" \n" * 1_000_000, "empty|only one column"),
    "100,000 columns": (lambda: columns(100_000), "more than 5,000 columns"),
    "a million columns": (lambda: columns(1_000_000), "longer than"),
    "a line of 100 MB": (lambda: b"u,class\n" + b"1," * 50_000_000, "line 2: The line is longer"),
    "a UTF-16 line of 50 MB": (lambda: ("u,v" * 8_000_000).encode("utf-16"), "line is longer"),
    "larger than the limit": (lambda: b"1,a\n" * 31_000_000, "larger than"),
    "NUL bytes": (lambda: b"u,class\n1,a\n" + bytes(50_000_000), "NUL bytes|longer than"),
    "random bytes": (lambda: os.urandom(5_000_000), "made"),
    "a gzip bomb": (lambda: gzip.compress(bytes(150_000_000)), "larger than"),
    "a gzip bomb of rows": (lambda: gzip.compress(b"1,a\n" * 40_000_000), "larger than"),
    "Parquet with 30 million rows": (many_rows, "cells are allowed"),
    "Parquet of a long text, often": (long_text_often, "unpacks to more"),
    "nothing but commas": (lambda: (b"," * 999_000 + b"\n") * 20, "more than 5,000 columns"),
    "quotation marks": (lambda: b'u,class\n"' + b'"' * 900_000 + b"\n", "made"),
    "blanks in a value": (lambda: b"u,class\n" + (b"1" + b" " * 400_000 + b"%x,a\n") * 3, "made"),
    "blank lines": (lambda: b"u,class\n" + b"\n" * 5_000_000, "no rows"),
    "comments": (lambda: b"#\n" * 2_000_000 + b"1,a\n", "made"),
    "JSON that is deep": (lambda: b'[{"u": ' + b"[" * 500_000, "a JSON file|made"),
    "blank lines before ARFF": (lambda: b" \n%\n" * 400_000 + b"u@relation x", "made"),
    "Parquet with 20 million equal rows": (lambda: equal_rows(20_000_000), "No column looks like"),
    "12 million quotation marks": (lambda: b"u,class\n" + b'"\n' * 24_000_000, "made"),
    "65,535 empty tables": (lambda: zipped({f"e{i}.csv": b"" for i in range(65_535)}), "empty"),
    "a gzip of many members": (lambda: gzip.compress(b"1,2,a\n" * 100_000) * 400, "200 times"),
    "a header of a million columns": (
        lambda: ",".join(f"c{i}" for i in range(130_000)).encode() + b"\n1,2\n",
        "more than 5,000 columns",
    ),
    "rows that grow": (lambda: b"\n".join(b"1,2" * i for i in range(1, 3_000)), "fields"),
    "a workbook that is a bomb": (
        lambda: zipped({"xl/workbook.xml": b"<x/>", "xl/worksheets/a.xml": bytes(40_000_000)}),
        "workbook cannot be opened.*200 times",
    ),
    "a bomb in a zip": (lambda: zipped({"a.csv": b"1,a\n" * 10_000_000}), "200 times its size"),
}


def peak_memory(run: Callable[[], None]) -> float:
    """Return how many megabytes more the process held at most while something ran."""
    page = os.sysconf("SC_PAGE_SIZE") / 1e6

    def resident() -> float:
        with open("/proc/self/statm") as stream:
            return int(stream.read().split()[1]) * page

    before, peak, done = resident(), [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            peak[0] = max(peak[0], resident() - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        run()
    finally:
        done.set()
        watcher.join()
    return peak[0]


@pytest.mark.parametrize("kind", HOSTILE)
def test_each_is_refused_in_little_memory(kind):
    make, message = HOSTILE[kind]
    raw = make()
    load(b"u,class\n1.5,a\n2.5,b\n", name="first.csv")  # what is imported late is not counted

    def refuse() -> None:
        with pytest.raises(DataError, match=rf"(?s){message}") as caught:
            load(raw, name="made")
        assert caught.value.notice.remedy
        assert len(str(caught.value)) < 1_000

    assert peak_memory(refuse) < MEGABYTES


def test_a_file_of_a_gigabyte_is_not_read(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as stream:
        stream.truncate(1_000_000_000)

    def refuse() -> None:
        with pytest.raises(DataError, match="larger than"):
            load(path)

    assert peak_memory(refuse) < MEGABYTES / 10
