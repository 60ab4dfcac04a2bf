"""Tables: target, features, what is left out, and that no file raises but DataError."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore import DataError
from lincore.io import frame_to_table, load, read_table, table_to_dataset

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


def test_every_column_left_out_is_named_with_the_reason():
    text = "id,u,const,gone,word,class\n" + "".join(
        f"{i},{i * i},7,,w{i},{'ab'[i % 2]}\n" for i in (5, 4, 3, 2)
    )
    data = read(text, "class")
    assert data.feature_names == ("u",)
    assert said(data) == [
        "column 'gone': Left out: no values. Fill in the column, or delete it.",
        "column 'const': Left out: the same value in every row. "
        "No action is needed: it cannot separate the classes.",
        "columns 'id', 'word': Left out: too many distinct values for categories, or row numbers "
        "(identifier). If it is a measurement, make it a feature.",
    ]


def test_whole_numbers_that_run_on_are_kept_as_the_only_feature():
    assert read("x,class\n1,a\n2,a\n3,b\n4,b\n").feature_names == ("x",)


def test_the_columns_of_a_frame_get_unique_names_in_text():
    table = frame_to_table(pd.DataFrame([[1, 2, 3]], index=[9], columns=[7, "7", "u"]), "made")
    assert table.frame.columns.tolist() == ["7", "7 (2)", "u"]
    assert table.frame.index.tolist() == [0]
    assert "The name of another column" in table.notices[0].what


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
    assert read_table(raw, "made.csv").proposed == proposed


@pytest.mark.parametrize(
    ("last", "proposed"),
    [("1.5 2.5 1.5 2.5", "u"), ("a b c d", "u"), ("a a a a", "u"), ("a b a b", "last")],
)
def test_a_target_has_few_values_that_repeat_and_no_fraction(last, proposed):
    frame = pd.DataFrame({"u": [1, 1, 2, 2], "v": [1, 2, 3, 4], "last": last.split()})
    raw = frame.to_csv(index=False).encode()
    assert read_table(raw, "made.csv").proposed == proposed


def test_no_target_is_proposed_where_nothing_repeats():
    table = read_table(b"u,v\n1.5,a\n2.5,b\n", "made.csv")
    assert table.guess is None
    assert "No column looks like classes" in refused(b"u,v\n1.5,a\n2.5,b\n")


@pytest.mark.parametrize(
    ("target", "features"),
    [("v", "u class"), (1, "u class"), (-2, "u class"), (0, "v class"), (-1, "u v")],
)
def test_a_target_by_name_or_position(target, features):
    assert read("u,v,class\n" + ROWS, target).feature_names == tuple(features.split())


def test_rows_without_a_label_are_left_out():
    data = read("u,class\n1.5,a\n2.5,\n3.5,b\n4.5,?\n5.5,a\n6.5,b\n")
    assert data.X.ravel().tolist() == [1.5, 3.5, 5.5, 6.5]
    assert said(data)[0].startswith("column 'class': 2 of 6 rows have no value in the target")


def test_whole_labels_are_numbers_also_where_some_are_missing():
    data = read("u,class\n1.5,10\n2.5,\n3.5,2\n4.5,10\n5.5,2\n")
    assert data.classes.tolist() == [2, 10]
    assert data.classes.dtype == np.int64


def test_a_class_of_one_row_is_told():
    data = read("u,class\n1.5,a\n2.5,b\n3.5,a\n4.5,a\n", "class")
    assert "class 'b': A single row" in said(data)[-1]


def test_labels_and_names_are_kept_as_text_whatever_they_hold():
    evil = "<img src=x onerror=alert(1)>"
    data = read(f"{evil},class\n1.5,=cmd()\n2.5,{evil}\n" + f"3.5,=cmd()\n4.5,{evil}\n")
    assert data.feature_names == (evil,)
    assert data.classes.tolist() == [evil, "=cmd()"]


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("u,class\n" + "1.5,a\n" * 3, "class", "only one class, a"),
        ("u,class\n1.5,\n2.5,\n", "class", "no class"),
        ("u,Species\n" + "1.5,a\n2.5,b\n" * 3, "Speces", "Choose one of: Species"),
        ("u,class\n" + "1.5,a\n2.5,b\n" * 3, 2, "There are 2 columns"),
        ("u,class\n" + "1.5,a\n2.5,b\n" * 3, -3, "There are 2 columns"),
        ("word,class\n" + "w,a\nw,b\n" * 3, None, "No feature is left"),
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
    assert "bin it" in refused(raw, "w")
    assert "names or free text" in refused(raw, "name")
    assert read(raw, "u").n_classes == 7


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


@pytest.mark.long
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


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_load_or_are_refused_with_a_remedy(raw):
    try:
        load(raw, name="any")
    except DataError as error:
        assert error.notice.what
        assert error.notice.remedy


BINOMIAL = [
    ("dose;successes;trials", "{d};{s};{n}"),
    ("dose,treatment,numdead,total", "{d},{t},{s},{n}"),
    ("Dosis;Erfolge;Anzahl", "{d},5;{s};{n}"),
    ("dose\tsuccess\tfailure", "{d}\t{s}\t{f}"),
    ("dose,n,events", "{d},{n},{s}"),
    ("age,cases,controls", "{d},{s},{f}"),
    ("dose,killed,exposed", "{d},{s},{n}"),
]


@pytest.mark.parametrize(("head", "row"), BINOMIAL)
def test_a_table_of_successes_and_totals_is_refused_as_such(head, row):
    rows = [
        row.format(d=i % 5, t="ab"[i % 2], s=i * 7 % 5, n=5 + i % 3, f=5 + i % 3 - i * 7 % 5)
        for i in range(12)
    ]
    text = "\n".join([head, *rows]) + "\n"
    names = re.split(r"[;,\t]", head)
    assert "each row has counts" in refused(text)
    for name in names[-2:]:
        assert "each row has counts" in refused(text, name)
    assert "one row per case" in refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "temp,damage,trials\n" + "".join(f"{50 + i},{i * 7 % 6},6\n" for i in range(24)),
        "Age,Total,Menarche\n" + "".join(f"{9 + i / 3},{90 + i},{i * i}\n" for i in range(10)),
        "logdose;r;n\n" + "".join(f"{i / 3};{3 * i};{30 + i % 4}\n" for i in range(9)),
    ],
)
def test_counts_within_a_column_of_totals_are_refused_under_any_name(text):
    assert "binomial counts" in refused(text)


def test_a_grade_beside_a_sum_is_a_class():
    rows = "".join(f"{40 + i},{i * 7 % 5}.5,{i % 4}\n" for i in range(40))
    assert read(f"total,level,grade\n{rows}").n_classes == 4


def test_counts_beside_a_class_of_each_row_are_features():
    rows = "".join(f"{i % 5},{5 + i % 3},{'ab'[i % 2]}\n" for i in range(20))
    assert read(f"events,total,class\n{rows}").classes.tolist() == ["a", "b"]
    assert read(f"cases,total,kind\n{rows}", "kind").n_classes == 2


@pytest.mark.parametrize("last", ["sex", "group", "batch"])
def test_a_binomial_table_is_refused_whatever_stands_last(last):
    rows = "".join(f"{i * 7 % 5},{5 + i % 3},{i // 2},{'mf'[i % 2]}\n" for i in range(12))
    assert "each row has counts" in refused(f"dead,total,dose,{last}\n{rows}")
    assert read(f"dead,total,dose,{last}\n{rows}", last).n_classes == 2


def test_a_cross_or_nothing_is_a_feature_on_demand_and_one_row_is_called_one():
    lines = [f"{i},{'x' if i % 3 else ''},{'ab'[i % 2]}" for i in range(40)]
    raw = "\n".join(["u,checked,class", *lines, "40,x,"]).encode()
    data = load(raw, name="made.csv")
    left_out = next(one for one in data.notices if one.code == "LIN050")
    assert "checked" in left_out.where and "blank means no" in left_out.remedy
    assert "1 of 41 rows has no value in the target and was left out." in str(data.notices)
    used = load(raw, name="made.csv", roles={"checked": "feature"})
    codes = np.array([i % 3 > 0 for i in range(40)])
    assert list(used.feature_names) == ["u", "checked"]
    assert (np.isnan(np.asarray(used.X[:, 1], dtype=float)) == ~codes).all()
