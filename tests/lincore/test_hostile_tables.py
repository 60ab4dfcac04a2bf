"""Files that mean harm or are broken: each is refused quickly, in little memory, with a remedy."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lincore.datasets import load
from lincore.errors import DataError
from lincore.files.reading import ReadOptions
from lincore.files.spreadsheet import spreadsheet_safe
from lincore.tables import read_table

SECONDS = 2.0
MEGABYTES = 200.0


def parquet(table: pa.Table, **options) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, **options)
    return stream.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def many_rows() -> bytes:
    column = pa.array(np.zeros(30_000_000, dtype=np.int8))
    return parquet(pa.table({"u": column, "class": column}))


def long_text_often() -> bytes:
    codes = pa.array(np.zeros(100_000, dtype=np.int32))
    text = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 1_000_000]))
    return parquet(pa.table({"u": text, "class": text}))


def small_parquet() -> bytes:
    return parquet(pa.table({"u": list(range(1000)), "class": ["a", "b"] * 500}))


def columns(n: int) -> bytes:
    line = ",".join(f"c{i}" for i in range(n)).encode()
    return line + b"\n" + line + b"\n"


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "empty"),
    "blank": (lambda: b" \n" * 1_000_000, "empty|only one column"),
    "100,000 columns": (lambda: columns(100_000), "more than 5,000 columns"),
    "a million columns": (lambda: columns(1_000_000), "longer than"),
    "a line of 100 MB": (lambda: b"u,class\n" + b"1," * 50_000_000, "line 2: The line is longer"),
    "a UTF-16 line of 50 MB": (lambda: ("u,v" * 8_000_000).encode("utf-16"), "line is longer"),
    "larger than the limit": (lambda: b"1,a\n" * 31_000_000, "larger than"),
    "NUL bytes": (lambda: b"u,class\n1,a\n" + bytes(50_000_000), "NUL bytes|longer than"),
    "a pickle": (lambda: pickle.dumps({"u": list(range(100_000))}), "Python pickle"),
    "a pickle of protocol 0": (lambda: pickle.dumps(["u", "v"] * 9, 0), "made"),
    "an executable": (lambda: Path(sys.executable).read_bytes(), "a program"),
    "random bytes": (lambda: os.urandom(5_000_000), "made"),
    "control characters": (lambda: bytes(range(1, 32)) * 10_000, "control characters"),
    "a gzip bomb": (lambda: gzip.compress(bytes(150_000_000)), "larger than"),
    "a gzip bomb of rows": (lambda: gzip.compress(b"1,a\n" * 40_000_000), "larger than"),
    "a gzip in a gzip": (lambda: gzip.compress(gzip.compress(b"u,v\n1,2\n")), "gzip"),
    "a broken gzip": (lambda: gzip.compress(b"u,v\n1,2\n" * 99)[:-12], "gzip file is damaged"),
    "Parquet cut off": (lambda: small_parquet()[:-20], "damaged"),
    "Parquet of noise": (lambda: b"PAR1" + os.urandom(100_000) + b"PAR1", "damaged"),
    "Parquet with 30 million rows": (many_rows, "cells are allowed"),
    "Parquet of a long text, often": (long_text_often, "unpacks to more"),
    "nothing but commas": (lambda: (b"," * 999_000 + b"\n") * 20, "more than 5,000 columns"),
    "quotation marks": (lambda: b'u,class\n"' + b'"' * 900_000 + b"\n", "made"),
    "blanks in a value": (lambda: b"u,class\n" + (b"1" + b" " * 400_000 + b"%x,a\n") * 3, "made"),
    "blank lines": (lambda: b"u,class\n" + b"\n" * 5_000_000, "no rows"),
    "comments": (lambda: b"#\n" * 2_000_000 + b"1,a\n", "made"),
    "JSON": (lambda: json.dumps([{"u": 1, "class": "a"}] * 99).encode(), "a JSON file"),
    "a web page": (lambda: b"\n <!DOCTYPE HTML>\n<html><body>u,v</body></html>", "a web page"),
    "XML": (lambda: b"<?xml version='1.0'?>\n<a>\n</a>\n", "XML"),
    "an ARFF file": (lambda: b"% made\n\n@relation iris\n@attribute u numeric\n", "ARFF"),
    "a Git LFS pointer": (lambda: b"version https://git-lfs.github.com/spec/v1\nsize 1\n", "LFS"),
    "a LIBSVM file": (lambda: b"+1 1:0.5 2:1.5\n-1 1:0.25 2:3\n" * 9, "LIBSVM"),
    "a workbook": (
        lambda: zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}),
        "Excel workbook.*Save the sheet as CSV",
    ),
    "two tables in a zip": (lambda: zipped({"a.csv": b"u,v\n", "b.csv": b"u,v\n"}), "2 tables"),
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


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
@pytest.mark.parametrize("kind", HOSTILE)
def test_each_is_refused_at_once_in_little_memory(kind):
    make, message = HOSTILE[kind]
    raw = make()
    load(b"u,class\n1.5,a\n2.5,b\n", name="first.csv")  # what is imported late is not counted
    seconds = 0.0

    def refuse() -> None:
        nonlocal seconds
        start = time.process_time()  # of the machine's own load it says nothing
        with pytest.raises(DataError, match=rf"(?s){message}") as caught:
            load(raw, name="made")
        seconds = time.process_time() - start
        assert caught.value.notice.remedy
        assert len(str(caught.value)) < 1_000

    megabytes = peak_memory(refuse)
    assert seconds < SECONDS
    assert megabytes < MEGABYTES


def test_a_file_of_a_gigabyte_is_not_read(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as stream:
        stream.truncate(1_000_000_000)

    def refuse() -> None:
        with pytest.raises(DataError, match="larger than"):
            load(path)

    assert peak_memory(refuse) < MEGABYTES / 10


def test_columns_of_lists_in_parquet_are_left_out():
    table = pa.table({"u": [1.5, 2.5], "list": [[1], [2, 3]], "class": ["a", "b"]})
    data = load(parquet(table), name="made.parquet")
    assert data.feature_names == ("u",)
    assert "lists or records" in data.notices[0].what


def test_formulas_and_markup_stay_text_and_leave_as_text():
    raw = b"=1+1,<b>u</b>,class\n1.5,3.5,=cmd|'/c calc'!A0\n2.5,4.5,@SUM(1)\n" * 1
    data = load(raw + b"1.5,3.5,@SUM(1)\n2.5,3.5,=cmd|'/c calc'!A0\n", name="made.csv")
    assert data.feature_names == ("=1+1", "<b>u</b>")
    assert all(spreadsheet_safe(label).startswith("'") for label in data.classes)


@given(st.text())
@example("\x0c=")
def test_no_exported_text_begins_a_formula(text):
    safe = spreadsheet_safe(text)
    assert safe.endswith(text)
    if safe.lstrip()[:1] in ("=", "+", "@", "-"):
        assert float(safe) <= 0


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_any_bytes_behind_a_magic_are_refused_or_loaded(raw):
    for magic in (b"", b"PAR1", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xff\xfe", b"u,class\n"):
        try:
            load(magic + raw, name="any")
        except DataError as error:
            assert error.notice.remedy


@given(
    st.binary(max_size=200),
    st.sampled_from([None, "utf-8", "utf-16", "latin-1", "ascii", "nonsense", "rot13", "hex"]),
    st.sampled_from([None, ",", " ", "x", "^"]),
    st.sampled_from([None, True, False, 1, 3, 99]),
    st.sampled_from([None, "", "'"]),
)
def test_any_bytes_under_any_options_are_refused_or_read(raw, encoding, separator, header, quote):
    options = ReadOptions(encoding, separator, header=header, quote=quote)
    try:
        read_table(b"u,class\n1,a\n" + raw, "any", options)
    except DataError as error:
        assert error.notice.remedy


@given(st.lists(st.integers(0, 20_000), max_size=5), st.integers(0, 255))
def test_a_parquet_file_with_wrong_bytes_is_refused_or_loaded(places, byte):
    raw = bytearray(SMALL)
    for place in places:
        raw[place % len(raw)] = byte
    try:
        load(bytes(raw), name="any.parquet")
    except DataError as error:
        assert error.notice.remedy


SMALL = small_parquet()


def test_a_frame_of_anything_is_loaded_or_refused():
    frame = pd.DataFrame(
        {"list": [[1], [2]], "set": [{1}, None], "c": [1j, 2j], "class": ["a", "b"]}
    )
    with pytest.raises(DataError) as caught:
        load(frame)
    assert caught.value.notice.remedy


@pytest.mark.parametrize("n_digits", [25, 61, 5_000, 100_000])
def test_numbers_of_any_length_are_read_or_left_as_text(n_digits):
    long = b"9" * n_digits
    rows = b"u,v,class\n" + (long + b",1.5,a\n2,2.5,b\n") * 30
    data = load(rows, name="made.csv")
    assert data.n_rows == 60
    assert data.X.dtype == np.float64
