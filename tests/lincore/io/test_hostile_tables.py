"""Files that mean harm or are broken: each is refused with a remedy. Large ones: `tests/long`."""

from __future__ import annotations

import decimal
import gzip
import io
import json
import os
import pickle
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lincore import DataError
from lincore.io import ReadOptions, TableOptions, load, read_table, table_to_dataset
from lincore.limits import LIMITS
from lincore.utils import spreadsheet_safe


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


def small_parquet() -> bytes:
    return parquet(pa.table({"u": list(range(1000)), "class": ["a", "b"] * 500}))


def tarred(content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        entry = tarfile.TarInfo("made.csv")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def far_cell() -> bytes:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "u", 1
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "empty"),
    "a pickle": (lambda: pickle.dumps({"u": list(range(100_000))}), "Python pickle"),
    "a pickle of protocol 0": (lambda: pickle.dumps(["u", "v"] * 9, 0), "made"),
    "an executable": (lambda: Path(sys.executable).read_bytes(), "a program"),
    "control characters": (lambda: bytes(range(1, 32)) * 10_000, "control characters"),
    "a gzip in a gzip": (lambda: gzip.compress(gzip.compress(b"u,v\n1,2\n")), "gzip"),
    "a broken gzip": (lambda: gzip.compress(b"u,v\n1,2\n" * 99)[:-12], "gzip file is damaged"),
    "Parquet cut off": (lambda: small_parquet()[:-20], "damaged"),
    "Parquet of noise": (lambda: b"PAR1" + os.urandom(100_000) + b"PAR1", "damaged"),
    "JSON of no records": (lambda: json.dumps({"u": 1, "class": "a"}).encode(), "a JSON file"),
    "JSON of many columns": (
        lambda: json.dumps([{f"c{i}": 1 for i in range(9_000)}]).encode(),
        "more than 5,000 columns",
    ),
    "a program's first bytes": (lambda: b"\x7fELF\x02\x01\x01", "a program"),
    "a single image": (lambda: b"\x89PNG\r\n\x1a\n", "a single image"),
    "a gzip of a PDF": (lambda: gzip.compress(b"%PDF-1.7\n"), "a PDF document"),
    "NUL bytes in a row": (lambda: b"u,class\n1," + bytes(8) + b"a\n2,b\n", "NUL bytes"),
    "NUL bytes after a letter": (lambda: b"u,class\n1,\xff" + bytes(9) + b"a\n2,b\n", "NUL bytes"),
    "a web page": (lambda: b"\n <!DOCTYPE HTML>\n<html><body>u,v</body></html>", "a web page"),
    "XML": (lambda: b"<?xml version='1.0'?>\n<a>\n</a>\n", "XML"),
    "an ARFF file cut off": (lambda: b"% made\n\n@relation iris\n@attribute u numeric\n", "ARFF"),
    "a Git LFS pointer": (lambda: b"version https://git-lfs.github.com/spec/v1\nsize 1\n", "LFS"),
    "a LIBSVM file": (lambda: b"+1 1:0.5 2:1.5\n-1 1:0.25 2:3\n" * 9, "LIBSVM"),
    "JSON lines cut off": (lambda: b'{"u": 1, "class": "a"}\n' * 99 + b'{"u', "a JSON file"),
    "JSON lines of lists": (lambda: b'[1.5, 2, "a"]\n[2.5, 3, "b"]\n' * 99, "a JSON file"),
    "a part of a web page": (lambda: b"<div>\n<p>a,b</p>\n<p>c,d</p>\n</div>\n" * 9, "a web page"),
    "a web page for a spreadsheet": (lambda: b"<style>a{b:c}</style><table></table>\n", "a web"),
    "a PDF behind a byte order mark": (lambda: b"\xef\xbb\xbf%PDF-1.4\n1 0 obj\n", "a PDF"),
    "an Arrow file": (lambda: b"ARROW1\0\0" + bytes(99), "an Arrow file"),
    "an Avro file": (lambda: b"Obj\x01" + bytes(99), "an Avro file"),
    "an R file": (lambda: gzip.compress(b"RDX3\nX\n\0\0\0\x03" + bytes(99)), "an R file"),
    "a packed tar": (lambda: gzip.compress(tarred(b"u,v\n1,2\n")), "a tar archive.*Unpack it"),
    "Parquet encrypted": (lambda: b"PARE" + os.urandom(500) + b"PARE", "an encrypted Parquet"),
    "Parquet of text that is none": (
        lambda: small_parquet().replace(b"\x01\0\0\0a\x01\0\0\0b", b"\x01\0\0\0a\x01\0\0\0\x80"),
        "Invalid UTF8",
    ),
    "Parquet whose end lies": (lambda: b"PAR1" + b"x" * 50 + b"\xff\xff\xff\x7fPAR1", "damaged"),
    "a workbook": (
        lambda: zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}),
        "workbook cannot be read.*save the table as CSV",
    ),
    "a workbook of one far cell": (far_cell, "workbook is too large"),
    "an old workbook of noise": (
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + os.urandom(200_000),
        "workbook cannot be read",
    ),
    "a Word document": (lambda: zipped({"word/document.xml": b"<x/>"}), "a Word document"),
    "two empty tables in a zip": (
        lambda: zipped({"a.csv": b"u,v\n", "b.csv": b"u,v\n"}),
        "no rows",
    ),
    "a workbook that is a bomb": (
        lambda: zipped({"xl/workbook.xml": b"<x/>", "xl/worksheets/a.xml": bytes(4_000_000)}),
        "workbook cannot be opened.*200 times",
    ),
    "a bomb in a zip": (lambda: zipped({"a.csv": b"1,a\n" * 1_000_000}), "200 times its size"),
    "blank": (lambda: b" \n" * 1_000, "empty|only one column"),
    "blank lines": (lambda: b"u,class\n" + b"\n" * 5_000, "no rows"),
    "comments": (lambda: b"#\n" * 2_000 + b"1,a\n", "made"),
    "quotation marks": (lambda: b'u,class\n"' + b'"' * 9_000 + b"\n", "made"),
    "a long line": (lambda: b"u,class\n" + b"1," * 600_000, "line 2: The line is longer"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_table_is_refused_with_its_name_and_a_remedy(kind):
    make, message = REFUSED[kind]
    with pytest.raises(DataError, match=rf"(?s){message}") as caught:
        load(make(), name="made")
    assert caught.value.notice.remedy
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("raw", "package"),
    [
        (b"$FL2@(#) SPSS DATA FILE" + bytes(99), "SPSS"),
        (b"<stata_dta><header>" + bytes(99), "Stata"),
        (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08" + bytes(99), "SAS"),
    ],
)
def test_files_of_statistics_need_a_package(raw, package, monkeypatch, tmp_path):
    process = tmp_path / "process.py"
    process.write_text("raise SystemExit('pyreadstat is not installed')")
    monkeypatch.setattr("lincore.io.tables.formats.in_subprocess._STATFILE_PROCESS", process)
    with pytest.raises(DataError, match=rf"(?s){package} file.*pip install lincore\[statfiles\]"):
        load(raw, name="made")


@pytest.mark.parametrize(
    ("limits", "message"),
    [({"max_cells": 1_999}, "cells are allowed"), ({"max_table_bytes": 999}, "unpacks to more")],
)
def test_limits_of_parquet_hold(limits, message):
    whole = replace(LIMITS, max_streamed_bytes=999, max_streamed_cells=999, **limits)
    with pytest.raises(DataError, match=message):
        read_table(small_parquet(), "made.parquet", limits=whole)
    assert len(read_table(small_parquet(), "made", limits=replace(LIMITS, max_cells=2_000)).frame)


WORDS = {
    "infinite": lambda i: "1e400" if i % 3 else "-1e400",
    "1e308": lambda i: "1e308" if i % 3 else "-1e308",
    "beyond 64 bits": lambda i: str((2**64 + i) * (-1) ** i),
    "dates of zeros": lambda i: "0000-00-00" if i % 5 else f"2020-01-{i % 28 + 1:02d}",
    "a far year": lambda i: f"99999-01-{i % 28 + 1:02d}",
    "hexadecimal": lambda i: (i * 1.37).hex(),
    "complex": lambda i: f"{i}+2j",
    "either decimal mark": lambda i: f'"{i},5"' if i % 2 else f"{i}.5",
    "several currencies": lambda i: ("$", "€", "£")[i % 3] + f"{i}.50",
    "percent": lambda i: f"{i * 1.3:.1f}%",
    "brackets": lambda i: "(" * 5_000 + "1",
    "blanks between digits": lambda i: "'" + "1 " * 2_000 + "x",
}


@pytest.mark.parametrize("kind", WORDS)
def test_odd_numbers_are_read_or_refused_with_a_remedy(kind):
    lines = [f"{WORDS[kind](i)},{i * i % 7}.5,{'ab'[i % 2]}" for i in range(60)]
    raw = "\n".join(["u,v,class", *lines]).encode()
    try:
        data = load(raw, name="made.csv")
    except DataError as error:
        assert error.notice.remedy
        assert "made.csv" in str(error)
    else:
        assert np.isfinite(data.X[~np.isnan(data.X)]).all()
        assert data.n_rows == 60


ODD_COLUMNS = {
    "records": pa.array([{"b": 1, "c": {"d": 2}}] * 60),
    "lists": pa.array([[1, 2]] * 60),
    "maps": pa.array([[("k", 1)]] * 60, pa.map_(pa.string(), pa.int64())),
    "decimals": pa.array([decimal.Decimal("1.25") * i for i in range(60)], pa.decimal128(38, 2)),
    "levels of numbers": pa.array([1, 2, 3] * 20).dictionary_encode(),
    "times of a zone": pa.array(range(60), pa.timestamp("us", tz="Europe/Berlin")),
    "times of no zone": pa.array(range(60), pa.timestamp("us", tz="Mars/Olympus")),
    "times far away": pa.array(range(2**62, 2**62 + 60)).cast(pa.timestamp("us")),
    "durations": pa.array(range(60), pa.duration("us")),
    "nothing": pa.nulls(60),
    "half floats": pa.array(np.arange(60).astype(np.float16)),
    "large numbers": pa.array(np.arange(60).astype(np.uint64) + 2**63),
    "gaps in flags": pa.array([True, None, False] * 20),
    "bytes": pa.array([b"\xff\xfe"] * 60),
    "text views": pa.array(["x", "y"] * 30, pa.string_view()),
}


@pytest.mark.parametrize("kind", ODD_COLUMNS)
@pytest.mark.parametrize("in_blocks", [False, True])
def test_odd_columns_of_parquet_are_read_or_left_out(kind, in_blocks):
    names = ["a", "a.b", "v", "class"]
    numbers = pa.array(np.arange(60) * 1.37), pa.array(np.arange(60) % 7 + 0.5)
    table = pa.Table.from_arrays([ODD_COLUMNS[kind], *numbers, pa.array(["x", "y"] * 30)], names)
    limits = replace(LIMITS, max_rows=20) if in_blocks else LIMITS
    found = read_table(parquet(table), "made.parquet", limits=limits)
    assert (found.source is not None) == in_blocks
    np.testing.assert_allclose(found.frame["a.b"], np.arange(60) * 1.37)
    data = table_to_dataset(
        found, "class", TableOptions(roles={"a": "ignore"} if "a" in found.frame else {})
    )
    assert {"a.b", "v"} <= set(data.feature_names)
    assert data.n_rows + data.n_streamed == 60


def test_a_file_of_more_rows_than_are_held_is_read_in_blocks():
    raw = b"u,class\n" + b"1.5,a\n2.5,b\n" * 50
    limits = replace(LIMITS, max_rows=99)
    assert read_table(raw, "made.csv", limits=limits).source is not None
    assert read_table(raw, "made.csv", limits=replace(LIMITS, max_rows=100)).source is None
    frame = pd.read_csv(io.BytesIO(raw))
    assert load(frame, name="made").n_rows == 100


def test_blank_lines_below_a_table_are_not_rows():
    limits = replace(LIMITS, max_rows=99)
    table = read_table(b"a,b\n1,2\n" + 200 * b"\n", "made.csv", limits=limits)
    assert table.source is None and len(table.frame) == 1
    with pytest.raises(DataError, match=r"^made.csv: There are no rows\."):
        read_table(b"a,b\n" + 200 * b"\n", "made.csv", limits=limits)


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


@pytest.mark.long
@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_any_bytes_behind_a_magic_are_refused_or_loaded(raw):
    for magic in (b"", b"PAR1", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xff\xfe", b"u,class\n"):
        try:
            load(magic + raw, name="any")
        except DataError as error:
            assert error.notice.remedy


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.parametrize("n_digits", [25, 61, 5_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_numbers_of_any_length_are_read_or_left_as_text(n_digits):
    long = b"9" * n_digits
    rows = b"u,v,class\n" + (long + b",1.5,a\n2,2.5,b\n") * 30
    data = load(rows, name="made.csv")
    assert data.n_rows == 60
    assert data.X.dtype == np.float64
