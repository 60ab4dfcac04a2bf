"""Delimited text: encoding, separator, header and values, told from the bytes alone."""

from __future__ import annotations

import csv
import gzip
import io
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore import DataError
from lincore.io import ReadOptions, read_table
from lincore.limits import LIMITS

ROWS = "1.5,4,a\n2.5,3,b\n3.5,9,a\n4.5,7,b\n"


def read(text):
    return read_table(text if isinstance(text, bytes) else text.encode(), "made.csv")


def refused(text):
    with pytest.raises(DataError) as caught:
        read(text)
    assert caught.value.notice.remedy
    assert caught.value.notice.where
    return str(caught.value)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(separator, line_end):
    text = ("u,v,class\n" + ROWS).replace(",", separator).replace("\n", line_end)
    table = read(text)
    expected = {"u": [1.5, 2.5, 3.5, 4.5], "v": [4, 3, 9, 7], "class": ["a", "b", "a", "b"]}
    assert table.frame.to_dict("list") == expected
    assert table.notices == ()
    assert table.first_line == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding):
    text = "Größe,Straße,class\n" + "1.5,Köln,süß\n2.5,Zürich,öde\n" * 20
    table = read(text.encode(encoding))
    assert table.frame.columns.tolist() == ["Größe", "Straße", "class"]
    assert set(table.frame["class"]) == {"süß", "öde"}
    said = any("not UTF-8" in str(notice) for notice in table.notices)
    assert said == (encoding == "cp1252")


def test_gzip_is_told_by_its_content():
    assert len(read(gzip.compress(("u,v,class\n" + ROWS).encode(), mtime=0)).frame) == 4


class Evil:
    """Would create a file if it were ever loaded."""

    def __reduce__(self):
        """Tell pickle to call open()."""
        return open, ("evil-was-loaded", "w")


@pytest.mark.parametrize("protocol", [2, 5])
def test_a_pickle_is_refused_and_not_loaded(protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "Python pickle" in refused(pickle.dumps(Evil(), protocol))
    assert list(tmp_path.iterdir()) == []


def test_a_hundred_thousand_columns_are_refused_before_pandas(monkeypatch):
    def never(*args, **kwargs):
        raise AssertionError("pandas was asked")

    monkeypatch.setattr(pd, "read_csv", never)
    header = ",".join(f"c{i}" for i in range(100_000))
    assert "more than 5,000 columns" in refused(f"{header}\n{header}\n")
    assert "more than 5,000 columns" in refused("u,class\n" + "1," * 99_999 + "1\n")


def test_a_wide_line_further_down_is_left_out_and_told_with_its_number():
    found = read("u,class\n1.5,a\n2.5,b\n" + "1," * 99_999 + "1\n")
    assert len(found.frame) == 2
    assert found.notices[0].where == "made.csv, line 4"
    assert len(found.notices[0].what) < 300


def test_limits_hold():
    raw = ("u,v,class\n" + ROWS).encode()
    with pytest.raises(DataError, match="more than 2 columns"):
        read_table(raw, "made.csv", limits=replace(LIMITS, max_columns=2))
    # What is too large is read in blocks.
    for limit in ({"max_file_bytes": len(raw) - 1}, {"max_cells": 11}):
        table = read_table(raw, "made.csv", limits=replace(LIMITS, **limit))
        assert table.source is not None and table.frame.shape == (4, 3)
    assert read_table(raw, "made.csv").source is None
    bomb = gzip.compress(bytes(10_000), mtime=0)
    with pytest.raises(DataError, match="larger than"):
        read_table(bomb, "made.csv.gz", limits=replace(LIMITS, max_file_bytes=5_000))


def test_each_part_of_the_reading_is_overruled():
    text = "a;b,c\n1,5;x\n2,5;y\n"
    options = ReadOptions(separator=",", header=False, decimal=".", comment="", quote="")
    frame = read_table(text.encode(), "made.csv", options).frame
    assert frame.to_numpy().tolist() == [["a;b", "c"], ["1", "5;x"], ["2", "5;y"]]
    marked = ReadOptions(missing_codes=("x",))
    assert read_table(text.encode(), "made.csv", marked).frame.iloc[:, 1].isna().sum() == 1
    german = ReadOptions(decimal=",", thousands=".")
    text = "u;class\n1.500;a\n2.500;b\n"
    assert read_table(text.encode(), "m", german).frame["u"].tolist() == [1500, 2500]
    assert read(text).frame["u"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": "ab"}, "option separator"),
        ({"separator": ""}, "option separator"),
        ({"separator": "'", "quote": "'"}, "option quote"),
        ({"decimal": ",", "thousands": ","}, "option thousands"),
        ({"header": 0}, "option header"),
        ({"header": "line 2"}, "option header"),
        ({"header": 99}, "Line 99"),
        ({"encoding": "klingon"}, "no such encoding"),
        ({"encoding": "ascii"}, "does not fit byte 14"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    with pytest.raises(DataError, match=message) as caught:
        read_table("u,class\n1.5,Kö\n".encode(), "made.csv", ReadOptions(**options))
    assert caught.value.notice.remedy


@settings(max_examples=25)
@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=3, max_size=20),
    st.sampled_from([(",", "."), (".", ","), (".", ""), (",", "")]),
)
def test_numbers_are_read_as_they_were_written_in_any_country(numbers, marks):
    decimal, thousands = marks
    swap = {",": thousands, ".": decimal}
    written = [
        "".join(swap.get(sign, sign) for sign in f"{number / 100:,.2f}") for number in numbers
    ]
    text = "u;class\n" + "".join(f"{value};{'ab'[i % 2]}\n" for i, value in enumerate(written))
    np.testing.assert_allclose(read(text).frame["u"], np.array(numbers) / 100)


finite = st.floats(-1e9, 1e9).map(lambda value: value + 0.0)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(finite, st.one_of(st.none(), finite)), min_size=4, max_size=12),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_is_written_is_read(rows, separator, encoding):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator)
    writer.writerow(["u", "v, ;w", "class"])
    writer.writerows((u, v, f"c{i % 2}, {separator}.") for i, (u, v) in enumerate(rows))
    frame = read_table(buffer.getvalue().encode(encoding), "made.csv").frame
    expected = np.array([[np.nan if value is None else value for value in row] for row in rows])
    np.testing.assert_allclose(frame.iloc[:, :2].to_numpy(dtype=float), expected, rtol=1e-15)
    assert frame["class"].tolist() == [f"c{i % 2}, {separator}." for i in range(len(rows))]


# pandas takes 131,072 rows of seven columns at a time.
@pytest.mark.parametrize("n", [5_000, pytest.param(140_000, marks=pytest.mark.long)])
def test_a_long_file_parsed_in_parts_is_what_it_is_as_a_whole(n, monkeypatch):
    monkeypatch.setattr("lincore.io.tables.text.rows._IN_PARTS", 100_000)
    later = np.arange(n) > n - 50
    columns = {
        "count": np.arange(n),
        "late fraction": np.where(later, "0.5", "7"),
        "late word": np.where(later, "n. d. yet", "12"),
        "late flag": np.where(later, "", "True"),
        "late zero": np.where(later, "0123", "4567"),
        "large": np.where(later, "18446744073709551617", "3"),
        "class": np.where(np.arange(n) % 2, "a", "b"),
    }
    raw = pd.DataFrame(columns).to_csv(index=False).encode()
    found = read_table(raw, "made.csv")
    monkeypatch.setattr("lincore.io.tables.text.rows._IN_PARTS", len(raw) + 1)
    whole = read_table(raw, "made.csv")
    pd.testing.assert_frame_equal(found.frame, whole.frame)
    assert found.notices == whole.notices
    assert found.frame["late word"].dtype != object
    assert set(found.frame["late zero"]) == {"0123", "4567"}
