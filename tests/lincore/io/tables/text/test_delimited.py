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
from lincore.io import ReadOptions
from lincore.io.tables.read import read_delimited
from lincore.io.tables.text import rows as row_parsing
from lincore.limits import LIMITS

ROWS = "1.5,4,a\n2.5,3,b\n3.5,9,a\n4.5,7,b\n"


def read(text):
    return read_delimited(text if isinstance(text, bytes) else text.encode(), "made.csv")


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
    frame, notices, first_line, *_ = read(text)
    expected = {"u": [1.5, 2.5, 3.5, 4.5], "v": [4, 3, 9, 7], "class": ["a", "b", "a", "b"]}
    assert frame.to_dict("list") == expected
    assert notices == ()
    assert first_line == 2


def test_quoted_separators_and_line_breaks():
    frame, _, first_line, *_ = read('"u,v","say ""class""",class\n1.5,"x,y\nz",a\n2.5,";;;;",b\n')
    assert frame.columns.tolist() == ["u,v", 'say "class"', "class"]
    assert frame['say "class"'].tolist() == ["x,y\nz", ";;;;"]
    assert first_line is None


def test_a_decimal_comma_is_read_where_the_separator_is_a_semicolon():
    frame = read("u;v;code;class\n" + "1,5;-0,25;1,2,3;a\n2;1e3;4,5,6;b\n" * 2).frame
    assert frame["u"].tolist() == [1.5, 2.0] * 2
    assert frame["v"].tolist() == [-0.25, 1000.0] * 2
    assert frame["code"].tolist() == ["1,2,3", "4,5,6"] * 2


def test_decimal_commas_without_a_header():
    frame = read("1,5;2,5;a\n3,5;4,5;b\n" * 2).frame
    assert frame.iloc[:, :2].to_numpy().tolist() == [[1.5, 2.5], [3.5, 4.5]] * 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding):
    text = "Größe,Straße,class\n" + "1.5,Köln,süß\n2.5,Zürich,öde\n" * 20
    frame, notices, *_ = read(text.encode(encoding))
    assert frame.columns.tolist() == ["Größe", "Straße", "class"]
    assert set(frame["class"]) == {"süß", "öde"}
    assert any("not UTF-8" in str(notice) for notice in notices) == (encoding == "cp1252")


def test_gzip_is_told_by_its_content():
    assert len(read(gzip.compress(("u,v,class\n" + ROWS).encode(), mtime=0)).frame) == 4


def test_missing_marks_become_nan():
    frame = read("u,v,class\n1.5,?,a\n-, ?,b\nNA,2.5,a\n ,3.5,b\n4.5,5.5,a\n").frame
    np.testing.assert_array_equal(
        frame[["u", "v"]],
        [[1.5, np.nan], [np.nan] * 2, [np.nan, 2.5], [np.nan, 3.5], [4.5, 5.5]],
    )


def test_columns_of_a_file_without_a_header_are_numbered():
    frame, (notice,), first_line, *_ = read(
        "6,148,33.6,1\n1,85,26.6,0\n8,183,23.3,1\n1,89,28.1,0\n"
    )
    assert frame.columns.tolist() == ["column 1", "column 2", "column 3", "column 4"]
    assert len(frame) == 4
    assert "no header line" in notice.what
    assert first_line == 1


def test_years_are_names_where_another_name_stands_beside():
    assert read("1950,1960,class\n" + ROWS).frame.columns.tolist() == ["1950", "1960", "class"]


def test_repeated_and_empty_names_are_made_unique():
    frame, (notice,), *_ = read("u,u,,u (2),class\n" + "1.5,2.5,3.5,4.5,a\n" * 2)
    assert frame.columns.tolist() == ["u", "u (2)", "column 3", "u (2) (2)", "class"]
    assert "The name of another column" in notice.what


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        ("u,class\n", "no rows"),
        ("just text\nno columns\n", "only one column"),
        ("u,class\n1.5,a,7\n2.5,b\n", "line 2: The line has 3 fields"),
        ("u,class\n1.5,a\n2.5,b,7\n", "line 3: The line has 3 fields"),
        ('u,class\n1.5,a\n2.5,"b,c\n', "quotation marks"),
    ],
)
def test_what_is_wrong_is_said_with_place_and_remedy(text, message):
    assert message in refused(text)


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
    for limits, message in [
        (replace(LIMITS, max_file_bytes=len(raw) - 1), "larger than"),
        (replace(LIMITS, max_columns=2), "more than 2 columns"),
        (replace(LIMITS, max_cells=11), "cells are allowed"),
    ]:
        with pytest.raises(DataError, match=message):
            read_delimited(raw, "made.csv", limits=limits)
    bomb = gzip.compress(bytes(10_000), mtime=0)
    with pytest.raises(DataError, match="larger than"):
        read_delimited(bomb, "made.csv.gz", limits=replace(LIMITS, max_file_bytes=5_000))


MESSY = {
    "spaces": ("5.1 3.5  a\n4.9 3.0  a\n6.2  2.9 b\n5.7 2.8 b\n", "spaces, no header", 3),
    "decimal commas between spaces": (
        "u v class\n5,1 3,5 a\n4,9 3,0 a\n6,2 2,9 b\n",
        "spaces, decimal comma, header in line 1",
        3,
    ),
    "a title, a blank line and units": (
        "Measured in 2021\n\nu,v,class\ncm,mm,\n1.5,2,a\n2.5,3,b\n2.5,4,a\n",
        "comma, header in line 3",
        3,
    ),
    "a title in the first of three cells": (
        "Measured;;\nu;v;class\n1,5;2;a\n2,5;3;b\n",
        "semicolon, decimal comma, header in line 2",
        3,
    ),
    "the header in a comment": (
        "# made by me\n# u v class\n1.5 2 a\n2.5 3 b\n2.5 4 a\n",
        "spaces, comments after #, header in line 2",
        3,
    ),
    "a comment in the middle": (
        "u,v,class\n1,2,a\n# skip, this\n2,3,b\n3,4,a\n",
        "comma, comments after #, header in line 1",
        3,
    ),
    "what Excel asks for": (
        "sep=;\nu;v;class\n1,5;2;a\n2,5;3;b\n",
        "semicolon, decimal comma, header in line 2",
        3,
    ),
    "row names as R writes them": (
        '"u" "v" "class"\n"1" 1.5 2.5 "a"\n"2" 2.5 2.6 "b"\n"3" 1.5 2.4 "a"\n',
        "spaces, header in line 1",
        4,
    ),
    "apostrophes as quotes": (
        "'A11',6,'x, y',1\n'A12',48,'x, z',2\n'A11',12,'x, y',1\n",
        "comma, single quotes, no header",
        4,
    ),
    "an unpaired quotation mark": (
        'ham\tGo, "now\nspam\t"Free entry\nham\tOk lar, joking\nspam\tU won\n',
        "tab, no header",
        2,
    ),
    "points between thousands": (
        "u;v;class\n1.234,5;1.000;a\n12.234,5;2.000;b\n234,5;3.500;a\n",
        "semicolon, decimal comma, thousands point, header in line 1",
        3,
    ),
    "trailing separators": ("u,v,class,,\n1.5,2,a,,\n2.5,3,b,,\n", "comma, header in line 1", 3),
    "words alone, no header": ("p,x,s\ne,x,y\ne,b,s\np,x,y\n", "comma, no header", 3),
    "texts and zeros, no header": (
        "Loved this place.\t1\nNot tasty, at all\t0\nStopped by late\t1\nNever again\t0\n",
        "tab, no header",
        2,
    ),
    "columns without names, counted": (
        "0,1,2,3\n0,1,2,a\n1,0,0,b\n0,1,2,a\n",
        "comma, header in line 1",
        4,
    ),
    "columns without names, counted, and a class": (
        "0,1,2,class\n0,1,2,a\n1,0,0,b\n0,1,2,a\n",
        "comma, header in line 1",
        4,
    ),
    "colons": ("1.5:2:a\n2.5:3:b\n3.5:1:a\n", "colon, no header", 3),
    "a footer": ("u,v,class\n1.5,2,a\n2.5,3,b\nSource: me\n", "comma, header in line 1", 3),
}


@pytest.mark.parametrize("kind", MESSY)
def test_messy_files(kind):
    text, said, n_columns = MESSY[kind]
    found = read(text)
    assert said in str(found.reading)
    assert found.frame.shape[1] == n_columns
    # The class comes last, and holds nothing but its labels.
    assert set(found.frame.iloc[:, -1]) <= {"a", "b", "s", "y", 1, 2} or n_columns == 2


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('u,class\n"1,234",a\n"12,234",b\n', [1234, 12234]),
        ('u,class\n"1,5",a\n"12,25",b\n', [1.5, 12.25]),
        ('u,class\n"$1,234.50",a\n$5,b\n', [1234.5, 5]),
        ("u;class\n1.234,5;a\n34,5;b\n", [1234.5, 34.5]),
        ("u;class\n1 234,5;a\n34,5;b\n", [1234.5, 34.5]),
        ("u;v;class\n1.234;1,5;a\n2.000;2,5;b\n", [1234, 2000]),
        ("u,class\n12 %,a\n14.5%,b\n", [12, 14.5]),
        ("u,class\n−1.5,a\n2.5,b\n", [-1.5, 2.5]),
        ("u,class\n٣.٥,a\n२,b\n", [3.5, 2]),
        ("u,class\n" + "9" * 40 + "%,a\n1%,b\n", [1e40, 1]),
        ("u,class\n 1.5 ,a\n1e-3,b\n", [1.5, 0.001]),
        ("u,class\n1.5,a\nn.d.,b\n", [1.5, np.nan]),
        ("u;class\n1,5;a\nk.A.;b\n", [1.5, np.nan]),
    ],
)
def test_numbers_hidden_in_text(text, values):
    np.testing.assert_array_equal(read(text).frame["u"].to_numpy(dtype=float), values)


@pytest.mark.parametrize("text", ["u,class\n1-2,a\n3-4,b\n", "u,class\n1.2.3,a\n1.2.4,b\n"])
def test_what_is_no_number_stays_text(text):
    assert isinstance(read(text).frame["u"].dtype, pd.StringDtype)


def test_a_quotation_mark_without_a_partner_in_the_header_joins_no_lines():
    header = 'u,"v,w,class'
    frame = read(header + "\n" + "1,2,3,a\n2,3,4,b\n" * 9).frame
    assert frame.shape == (18, 4)
    assert frame.columns.tolist() == ["u", '"v', "w", "class"]


def test_rows_with_fewer_fields_are_told_with_their_lines():
    _, (notice,), *_ = read("u,v,class\n1,2,a\n2,3\n3,4,b\n4\n5,6,a\n")
    assert notice.where == "made.csv, lines 3, 5"
    assert "Fewer fields" in notice.what


def test_each_part_of_the_reading_is_overruled():
    text = "a;b,c\n1,5;x\n2,5;y\n"
    options = ReadOptions(separator=",", header=False, decimal=".", comment="", quote="")
    frame = read_delimited(text.encode(), "made.csv", options).frame
    assert frame.to_numpy().tolist() == [["a;b", "c"], ["1", "5;x"], ["2", "5;y"]]
    marked = ReadOptions(missing_codes=("x",))
    assert read_delimited(text.encode(), "made.csv", marked).frame.iloc[:, 1].isna().sum() == 1
    german = ReadOptions(decimal=",", thousands=".")
    text = "u;class\n1.500;a\n2.500;b\n"
    assert read_delimited(text.encode(), "m", german).frame["u"].tolist() == [1500, 2500]
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
        read_delimited("u,class\n1.5,Kö\n".encode(), "made.csv", ReadOptions(**options))
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
    frame = read_delimited(buffer.getvalue().encode(encoding), "made.csv").frame
    expected = np.array([[np.nan if value is None else value for value in row] for row in rows])
    np.testing.assert_allclose(frame.iloc[:, :2].to_numpy(dtype=float), expected, rtol=1e-15)
    assert frame["class"].tolist() == [f"c{i % 2}, {separator}." for i in range(len(rows))]


def test_a_first_row_of_negative_numbers_is_no_row_of_units():
    frame = read("u,v,class\n-1.5,-0.5,-1\n2.5,1.5,1\n3.5,2.5,1\n-1.1,-2.5,-1\n").frame
    assert list(frame) == ["u", "v", "class"]
    assert frame["class"].tolist() == [-1, 1, 1, -1]


PARTED = [("Ann B", "New York", f"{i}.5", "ab"[i % 2]) for i in range(20)]
NAMED = ("name", "place", "size", "class")


@pytest.mark.parametrize("mark", ["~", "^", "   ", "  \t "])
def test_rare_separators_are_found_where_each_line_has_as_many(mark):
    rows = [mark.join(row) for row in (NAMED, *PARTED)]
    frame = read_delimited("\n".join(rows).encode(), "made.txt").frame
    assert tuple(frame) == NAMED
    assert frame["place"].unique().tolist() == ["New York"]
    assert frame["size"].tolist() == [i + 0.5 for i in range(20)]


@pytest.mark.parametrize("mark", ["~", "^"])
def test_a_rare_separator_goes_with_decimal_commas(mark):
    raw = f"u{mark}v{mark}class\n" + "".join(f"{i},5{mark}2,25{mark}a b\n" for i in range(20))
    frame = read_delimited(raw.encode(), "made.txt").frame
    assert frame["u"].tolist() == [i + 0.5 for i in range(20)]
    assert list(frame) == ["u", "v", "class"]


@pytest.mark.parametrize("mark", ["~", "^"])
def test_a_rare_separator_parts_two_columns_below_their_names(mark):
    raw = f"size{mark}class\n" + "".join(f"{i}.5{mark}{'ab'[i % 2]}\n" for i in range(20))
    frame = read_delimited(raw.encode(), "made.csv").frame
    assert frame["size"].tolist() == [i + 0.5 for i in range(20)]
    assert list(frame) == ["size", "class"]
    with pytest.raises(DataError, match="only one column"):
        read_delimited(f"power\n{raw}".encode(), "made.csv")


@pytest.mark.parametrize("mark", ["~", "^"])
def test_rare_marks_within_values_part_nothing(mark):
    lines = [f"{mark}{i}.5,x{mark}{i},{'ab'[i % 2]}" for i in range(20)]
    frame = read_delimited("\n".join(["u,v,class", *lines]).encode(), "made.csv").frame
    assert frame.shape == (20, 3)
    with pytest.raises(DataError, match="only one column"):
        read_delimited("\n".join(f"10{mark}{i}" for i in range(20)).encode(), "made.csv")


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16-le", "utf-16-be"])
def test_wide_letters_are_read_and_damage_is_told(encoding):
    raw = "".join(f"{i}.5,{'ab'[i % 2]}\n" for i in range(40))
    raw = f"größe,class\n{raw}".encode(encoding)
    assert read_delimited(raw, "made.csv").frame.shape == (40, 2)
    if encoding != "utf-32":
        cut = read_delimited(raw[:-1], "made.csv")
        assert "damaged" in cut.notices[0].what
        assert len(cut.frame) == 40


# pandas takes 131,072 rows of seven columns at a time.
@pytest.mark.parametrize("n", [5_000, pytest.param(140_000, marks=pytest.mark.long)])
def test_a_long_file_parsed_in_parts_is_what_it_is_as_a_whole(n, monkeypatch):
    monkeypatch.setattr(row_parsing, "_IN_PARTS", 100_000)
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
    found = read_delimited(raw, "made.csv")
    monkeypatch.setattr(row_parsing, "_IN_PARTS", len(raw) + 1)
    whole = read_delimited(raw, "made.csv")
    pd.testing.assert_frame_equal(found.frame, whole.frame)
    assert found.notices == whole.notices
    assert found.frame["late word"].dtype != object
    assert set(found.frame["late zero"]) == {"0123", "4567"}


def test_text_that_no_bytes_stand_for_is_parsed():
    raw = ("u,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20))).encode("utf-16")
    raw = raw.replace("a".encode("utf-16-le"), b"\x00\xd8")
    frame = read_delimited(raw, "made.csv").frame
    assert frame.shape == (20, 2)
    assert frame.iloc[:, 1].nunique() == 2


def test_one_mark_without_a_partner_does_not_take_the_quotes_of_all_lines():
    lines = ["day,what,note"] + [f'{i},"tea, {i} cups","so ""fine"" {i}"' for i in range(40)]
    lines[20] = lines[20][:-1]
    frame = read_delimited("\n".join(lines).encode(), "tea.csv", ReadOptions()).frame
    assert frame.shape == (40, 3) and list(frame.columns) == ["day", "what", "note"]
    assert frame["what"].iloc[[0, 19, 39]].tolist() == [
        "tea, 0 cups",
        "tea, 19 cups",
        "tea, 39 cups",
    ]


def test_words_between_spaces_are_a_table_where_all_lines_have_as_many():
    lines = ["day what note"] + [f'd{i} "green tea" fine' for i in range(40)]
    frame = read_delimited("\n".join(lines).encode(), "tea.txt", ReadOptions()).frame
    assert frame.shape == (40, 3) and set(frame["what"]) == {"green tea"}
