"""Tables: what is detected, what is left out, and that no file raises anything but DataError."""

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

from lincore.datasets import load
from lincore.errors import DataError
from lincore.limits import LIMITS
from lincore.tables import frame_to_table, propose_target, read_table, table_to_dataset
from tests.data import DATA, needs_data

ROWS = "1.5,4,a\n2.5,3,b\n3.5,9,a\n4.5,7,b\n"


def read(text, target=None, name="made.csv"):
    raw = text if isinstance(text, bytes) else text.encode()
    return table_to_dataset(read_table(raw, name), target)


def refused(text, target=None):
    with pytest.raises(DataError) as caught:
        read(text, target)
    assert caught.value.notice.remedy
    assert caught.value.notice.where
    return str(caught.value)


def said(data):
    return [str(notice) for notice in data.notices]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(separator, line_end):
    data = read(("u,v,class\n" + ROWS).replace(",", separator).replace("\n", line_end))
    np.testing.assert_array_equal(data.X, [[1.5, 4], [2.5, 3], [3.5, 9], [4.5, 7]])
    assert data.y.tolist() == ["a", "b", "a", "b"]
    assert data.feature_names == ("u", "v")
    assert data.notices == ()


def test_quoted_separators_and_line_breaks():
    data = read('"u,v","say ""class""",class\n1.5,"x,y\nz",a\n2.5,";;;;",b\n')
    assert data.feature_names == ("u,v",)
    assert data.X.tolist() == [[1.5], [2.5]]


def test_a_decimal_comma_is_read_where_the_separator_is_a_semicolon():
    text = "u;v;code;class\n" + "1,5;-0,25;1,2,3;a\n2;1e3;4,5,6;b\n" * 2
    data = read(text)
    assert data.X.tolist() == [[1.5, -0.25], [2.0, 1000.0]] * 2
    assert "'code': Left out, not numeric." in said(data)[0]


def test_decimal_commas_without_a_header():
    data = read("1,5;2,5;a\n3,5;4,5;b\n" * 2)
    assert data.X.tolist() == [[1.5, 2.5], [3.5, 4.5]] * 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding):
    text = "Größe,Straße,class\n" + "1.5,Köln,süß\n2.5,Zürich,öde\n" * 20
    data = read(text.encode(encoding))
    assert data.feature_names == ("Größe",)
    assert set(data.classes) == {"süß", "öde"}
    assert any("not UTF-8" in notice for notice in said(data)) == (encoding == "cp1252")


def test_gzip_is_told_by_its_content():
    assert read(gzip.compress(("u,v,class\n" + ROWS).encode())).n_rows == 4


def test_missing_marks_become_nan():
    data = read("u,v,class\n1.5,?,a\n-, ?,b\nNA,2.5,a\n ,3.5,b\n4.5,5.5,a\n")
    np.testing.assert_array_equal(
        data.X, [[1.5, np.nan], [np.nan] * 2, [np.nan, 2.5], [np.nan, 3.5], [4.5, 5.5]]
    )
    assert data.has_missing


def test_columns_of_a_file_without_a_header_are_numbered():
    data = read("6,148,33.6,1\n1,85,26.6,0\n8,183,23.3,1\n1,89,28.1,0\n")
    assert data.feature_names == ("column 1", "column 2", "column 3")
    assert data.n_rows == 4
    assert "no header line" in said(data)[0]


def test_years_are_names_where_another_name_stands_beside():
    data = read("1950,1960,class\n" + ROWS)
    assert data.feature_names == ("1950", "1960")


def test_every_column_left_out_is_named_with_the_reason():
    text = "id,u,const,gone,word,class\n" + "".join(
        f"{i},{i * i},7,,w{i},{'ab'[i % 2]}\n" for i in (5, 4, 3, 2)
    )
    data = read(text)
    assert data.feature_names == ("u",)
    assert said(data) == [
        "column 'gone': Left out, no value at all. Fill the column in, or delete it.",
        "column 'word': Left out, not numeric. Encode it as numbers to use it as a feature.",
        "column 'const': Left out, the same value in every row. "
        "Nothing needs to be done: it cannot tell classes apart.",
        "column 'id': Left out, consecutive whole numbers that merely count the rows. "
        "If it measures something, change its unit so that it does not run 1, 2, 3.",
    ]


def test_whole_numbers_that_run_on_are_kept_as_the_only_feature():
    assert read("x,class\n1,a\n2,a\n3,b\n4,b\n").feature_names == ("x",)


def test_repeated_and_empty_names_are_made_unique():
    data = read("u,u,,u (2),class\n" + "1.5,2.5,3.5,4.5,a\n5.5,6.5,7.5,8.5,b\n" * 2)
    assert data.feature_names == ("u", "u (2)", "column 3", "u (2) (2)")
    assert "stands twice" in said(data)[0]


@given(st.lists(st.sampled_from(["a", "a (2)", "a (2) (2)", "b", ""]), min_size=2, max_size=9))
def test_names_are_unique_whatever_they_are(names):
    table = frame_to_table(pd.DataFrame([range(len(names))], columns=names), "made")
    assert table.frame.columns.is_unique
    assert len(table.frame.columns) == len(names)


@pytest.mark.parametrize(
    ("header", "proposed"),
    [
        ("u,Class,w", "Class"),
        ("type,u,LABEL", "LABEL"),
        ("subclass,u,w", "w"),
        ("y,u,w", "y"),
    ],
)
def test_a_target_is_proposed_by_name_before_place(header, proposed):
    raw = (header + "\n" + "1,2,1\n2,1,1\n1,1,2\n2,2,2\n").encode()
    assert propose_target(read_table(raw, "made.csv")) == proposed


@pytest.mark.parametrize(
    ("last", "proposed"),
    [("1.5 2.5 1.5 2.5", "u"), ("a b c d", "u"), ("a a a a", "u"), ("a b a b", "last")],
)
def test_a_target_has_few_values_that_repeat_and_no_fraction(last, proposed):
    frame = pd.DataFrame({"u": [1, 1, 2, 2], "v": [1, 2, 3, 4], "last": last.split()})
    raw = frame.to_csv(index=False).encode()
    assert propose_target(read_table(raw, "made.csv")) == proposed


def test_no_target_is_proposed_where_nothing_repeats():
    table = read_table(b"u,v\n1.5,a\n2.5,b\n", "made.csv")
    assert propose_target(table) is None
    assert "No column looks like classes" in refused(b"u,v\n1.5,a\n2.5,b\n")


@pytest.mark.parametrize(("target", "features"), [("v", 1), (1, 1), (-2, 1), (0, 1), (-1, 2)])
def test_a_target_by_name_or_position(target, features):
    assert read("u,v,class\n" + ROWS, target).n_features == features


def test_rows_without_a_label_are_left_out():
    data = read("u,class\n1.5,a\n2.5,\n3.5,b\n4.5,?\n5.5,a\n6.5,b\n")
    assert data.X.ravel().tolist() == [1.5, 3.5, 5.5, 6.5]
    assert said(data)[0].startswith("column 'class': 2 of 6 rows have no value in the target")


def test_whole_labels_are_numbers_also_where_some_are_missing():
    data = read("u,class\n1.5,10\n2.5,\n3.5,2\n4.5,10\n5.5,2\n")
    assert data.classes.tolist() == [2, 10]
    assert data.classes.dtype == np.int64


def test_a_class_of_one_row_is_told():
    data = read("u,class\n1.5,a\n2.5,b\n3.5,a\n4.5,a\n")
    assert "class b: A single row" in said(data)[-1]


def test_labels_and_names_are_kept_as_text_whatever_they_hold():
    evil = "<img src=x onerror=alert(1)>"
    data = read(f"{evil},class\n1.5,=cmd()\n2.5,{evil}\n" + f"3.5,=cmd()\n4.5,{evil}\n")
    assert data.feature_names == (evil,)
    assert data.classes.tolist() == [evil, "=cmd()"]


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        (b"", None, "empty"),
        (b" \n\n", None, "empty"),
        (b"\xef\xbb\xbf", None, "empty"),
        ("u,class\n", None, "no rows"),
        ("just text\nno columns\n", None, "only one column"),
        ("u,class\n" + "1.5,a\n" * 3, "class", "only one class, a"),
        ("u,class\n1.5,\n2.5,\n", "class", "no class"),
        ("u,Species\n" + "1.5,a\n2.5,b\n" * 3, "Speces", "Choose one of: Species"),
        ("u,class\n" + "1.5,a\n2.5,b\n" * 3, 2, "There are 2 columns"),
        ("u,class\n" + "1.5,a\n2.5,b\n" * 3, -3, "There are 2 columns"),
        ("word,class\n" + "w,a\nv,b\n" * 3, None, "No numeric feature"),
        ("u,class\n1.5,a,7\n2.5,b\n", None, "The first row has 3 fields"),
        ("u,class\n1.5,a\n2.5,b,7\n", None, "line 3: The line has 3 fields"),
        ('u,class\n1.5,a\n2.5,"b\n', None, "quotation marks"),
        ("u,class\n1.5,a\ninf,b\n3.5,a\n4.5,b\n", None, "line 3, column 'u': The value inf"),
        ("u,class\n1.5,a\n-1e999,b\n3.5,a\n4.5,b\n", None, "The value -inf"),
        ("u,class\n1.5,\n\n-inf,b\n3.5,a\n4.5,b\n2,a\n", None, "data row 2, column 'u'"),
    ],
)
def test_what_is_wrong_is_said_with_place_and_remedy(text, target, message):
    assert message in refused(text, target)


def test_a_quantity_is_no_target():
    frame = pd.DataFrame({"u": np.arange(200) % 7, "v": np.arange(200) * 1.5, "w": range(200)})
    frame["name"] = [f"name {i}" for i in range(200)]
    raw = frame.to_csv(index=False)
    assert "looks like a quantity" in refused(raw, "v")
    assert "cut it into ranges" in refused(raw, "w")
    assert "names or free text" in refused(raw, "name")
    assert read(raw, "u").n_classes == 7


class Evil:
    """Would create a file if it were ever loaded."""

    def __reduce__(self):
        """Tell pickle to call open()."""
        return open, ("evil-was-loaded", "w")


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_is_refused_and_not_loaded(protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "Python pickle" in refused(pickle.dumps(Evil(), protocol))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\x7fELF\x02\x01\x01", "a program"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"PK\x03\x04rest", "Excel workbook"),
        (b"PAR1\x15\x04", "a Parquet file"),
        (b"\x89PNG\r\n\x1a\n", "a single image"),
        (b"\x1f\x8b\x08\x00damaged", "gzip"),
        (gzip.compress(gzip.compress(b"u,v\n1,2\n")), "gzip"),
        (gzip.compress(b"%PDF-1.7\n"), "a PDF document"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"u,class\n1,\x00a\n2,b\n", "NUL bytes"),
        (b"u,class\n1,\xff\x00a\n2,b\n", "NUL bytes"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(raw, message):
    assert message in refused(raw)


def test_a_hundred_thousand_columns_are_refused_before_pandas(monkeypatch):
    def never(*args, **kwargs):
        raise AssertionError("pandas was asked")

    monkeypatch.setattr(pd, "read_csv", never)
    header = ",".join(f"c{i}" for i in range(100_000))
    assert "more than 5,000 columns" in refused(f"{header}\n{header}\n")
    assert "The first row has 100000 fields" in refused("u,class\n" + "1," * 99_999 + "1\n")


def test_a_wide_line_further_down_is_an_error_with_its_number():
    text = "u,class\n1.5,a\n2.5,b\n" + "1," * 99_999 + "1\n"
    assert "line 4: The line has 100000 fields" in refused(text)


def test_limits_hold():
    raw = ("u,v,class\n" + ROWS).encode()
    for limits, message in [
        (replace(LIMITS, max_file_bytes=len(raw) - 1), "larger than"),
        (replace(LIMITS, max_columns=2), "more than 2 columns"),
        (replace(LIMITS, max_cells=11), "cells are allowed"),
    ]:
        with pytest.raises(DataError, match=message):
            read_table(raw, "made.csv", limits=limits)
    bomb = gzip.compress(bytes(10_000))
    with pytest.raises(DataError, match="larger than"):
        read_table(bomb, "made.csv.gz", limits=replace(LIMITS, max_file_bytes=5_000))


finite = st.floats(-1e9, 1e9).map(lambda value: value + 0.0)


@settings(deadline=None)
@given(
    st.lists(st.tuples(finite, st.one_of(st.none(), finite)), min_size=4, max_size=12),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_is_written_is_read(rows, separator, encoding):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator)
    writer.writerow(["u", "v, ;w", "class"])
    writer.writerows((u, v, f"c{i % 2}, {separator}") for i, (u, v) in enumerate(rows))
    frame = read_table(buffer.getvalue().encode(encoding), "made.csv").frame
    expected = np.array([[np.nan if value is None else value for value in row] for row in rows])
    np.testing.assert_allclose(frame.iloc[:, :2].to_numpy(dtype=float), expected, rtol=1e-15)
    assert frame["class"].tolist() == [f"c{i % 2}, {separator}" for i in range(len(rows))]


PIECES = [
    "u",
    "class",
    ",",
    ";",
    "\n",
    "\r",
    '"',
    "\t",
    "|",
    "1",
    "2.5",
    "1,5",
    "inf",
    "-",
    "?",
    "",
]
PIECES += ["NA", "True", " ", "\0", "\ufeff", "é", "\u2028", "9" * 30, "0x1", "1e400", "a", "b"]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["utf-8", "utf-16", "cp1252"])
)
def test_any_text_loads_or_is_refused_with_a_remedy(pieces, encoding):
    raw = "".join(pieces).encode(encoding, errors="replace")
    try:
        data = load(raw, name="any.csv")
    except DataError as error:
        assert error.notice.what
        assert error.notice.remedy
    else:
        assert data.X.shape == (data.n_rows, data.n_features)
        assert data.counts.min() >= 1
        assert not np.isinf(data.X).any()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_load_or_are_refused_with_a_remedy(raw):
    try:
        load(raw, name="any")
    except DataError as error:
        assert error.notice.what
        assert error.notice.remedy


@needs_data
def test_titanic():
    data = load(DATA / "csv" / "titanic.csv", target="Survived")
    assert data.feature_names == ("Pclass", "Age", "SibSp", "Parch", "Fare")
    assert data.n_rows == 891
    assert np.isnan(data.X).sum(axis=0).tolist() == [0, 177, 0, 0, 0]
    assert dict(zip(data.classes.tolist(), data.counts.tolist(), strict=True)) == {0: 549, 1: 342}
    assert any("'PassengerId'" in notice and "count the rows" in notice for notice in said(data))


TABLES = {
    "ecoli_noheader.csv": ("column 8", 336, 7, 8),
    "gapminder_semicolon_decimalcomma.txt": ("continent", 1704, 3, 5),
    "german_credit.csv": ("default", 1000, 7, 2),
    "mushrooms.csv": ("type", None, None, None),
    "oil_spill_noheader.csv": ("column 50", 937, 48, 2),
    "penguins_raw.csv": ("Species", 344, 7, 3),
    "pima_noheader.csv": ("column 9", 768, 8, 2),
    "sms_spam_latin1.csv": ("v1", None, None, None),
    "telco_churn.csv": ("Churn", 7043, 4, 2),
    "titanic.csv": ("Survived", 891, 5, 2),
    "winequality_red_semicolon.csv": ("quality", 1599, 11, 6),
}


@needs_data
@pytest.mark.parametrize("name", TABLES)
def test_real_tables(name):
    target, *shape = TABLES[name]
    table = read_table((DATA / "csv" / name).read_bytes(), name)
    assert propose_target(table) == target
    if shape == [None] * 3:
        with pytest.raises(DataError, match="No numeric feature") as caught:
            table_to_dataset(table)
        assert caught.value.notice.remedy
    else:
        data = table_to_dataset(table)
        assert [data.n_rows, data.n_features, data.n_classes] == shape


@needs_data
def test_every_real_table_loads_or_is_refused_with_a_remedy():
    for path in sorted((DATA / "csv").iterdir()):
        try:
            data = load(path)
        except DataError as error:
            assert error.notice.what
            assert error.notice.remedy
        else:
            assert data.n_classes >= 2


@needs_data
def test_decimal_commas_of_gapminder():
    data = load(DATA / "csv" / "gapminder_semicolon_decimalcomma.txt")
    assert data.X[0].tolist() == [1952.0, 28.801, 8425333.0]


@needs_data
def test_pound_signs_of_the_text_messages():
    raw = (DATA / "csv" / "sms_spam_latin1.csv").read_bytes()
    table = read_table(raw, "sms_spam_latin1.csv")
    assert "cp1252" in table.notices[0].what
    assert table.frame["v2"].str.contains("£").sum() > 200
