"""A data set's counts and digest; loading from any source; the laws of a split."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import lincore
from lincore import DataError
from lincore.data import Dataset, split
from lincore.io import ReadOptions, load

TEXT = b"length,width,kind\n5.5,3.5,b\n6.5,2.5,a\n4.5,3.0,b\n5.0,3.1,b\n"


def dataset(codes, **extra):
    codes = np.asarray(codes, dtype=np.intp)
    X = np.arange(2.0 * len(codes)).reshape(-1, 2)
    return Dataset("made", X, codes, np.arange(codes.max() + 1), ("u", "v"), **extra)


def test_counts_and_labels_follow_the_classes():
    data = load(TEXT, name="kinds.csv")
    assert (data.n_rows, data.n_features, data.n_classes) == (4, 2, 2)
    assert data.y.tolist() == ["b", "a", "b", "b"]
    assert data.counts.tolist() == [1, 3]
    assert not data.has_missing


def test_every_source_gives_the_same_data(tmp_path):
    path = tmp_path / "kinds.csv"
    path.write_bytes(TEXT)
    frame = pd.read_csv(path)
    with path.open("rb") as stream:
        opened = load(stream)
    expected = load(TEXT, name="kinds.csv").digest
    assert opened.digest == expected
    assert load(path).digest == load(str(path)).digest == expected
    assert load(io.BytesIO(TEXT), name="kinds.csv").digest == expected
    assert load(frame, name="kinds").digest == expected
    columns = (frame[["length", "width"]].to_numpy(), frame["kind"])
    assert load(columns, name="kinds").digest != expected  # its columns have no names
    np.testing.assert_array_equal(load(columns).X, opened.X)


def test_the_front_door_leads_here():
    assert lincore.load is load
    assert lincore.split is split
    assert lincore.Dataset is Dataset


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"X": np.nextafter(dataset([0, 1, 1]).X, np.inf)},
        {"codes": np.array([0, 1, 0])},
        {"classes": np.array([0, 2])},
        {"feature_names": ("u", "w")},
        {"row_names": ("1", "2", "3")},
        {"given_test": np.array([False, True, False])},
        {"levels": (("a", "b", "c", "d", "e"), None)},
        {"groups": np.array([0, 0, 1])},
        {"group_names": ("g", "h")},
        {"imputation": "indicator"},
        {"rare": 5},
    ],
)
def test_the_digest_sees_every_change(change):
    data = dataset([0, 1, 1])
    assert data.digest == dataset([0, 1, 1]).digest
    assert replace(data, **change).digest != data.digest


def test_the_digest_sees_one_value_among_millions():
    X = np.zeros((1000, 1000))
    data = Dataset("big", X, np.zeros(1000, np.intp), np.array([0, 1]), ("x",) * 1000)
    changed = X.copy()
    changed[517, 333] = 1e-300
    assert replace(data, X=changed).digest != data.digest


def test_images_as_arrays_stay_uint8():
    images = np.arange(24, dtype=np.uint8).reshape(4, 2, 3)
    data = load((images, [3, 1, 3, 1]))
    assert data.X.dtype == np.uint8
    assert data.image_shape == (2, 3)
    assert data.feature_names[-1] == "pixel 2,3"


def test_a_data_set_is_a_table_texts_or_images():
    table = load(([[1.0], [2.0]], ["a", "b"]))
    images = replace(table, image_shape=(1, 1))
    texts = replace(table, X=sp.csr_array(table.X), n_words=1)
    assert [data.kind.rows for data in (table, texts, images)] == ["rows", "texts", "images"]
    assert [data.kind.is_sparse for data in (table, texts, images)] == [False, True, False]
    assert (table.n_table_columns, texts.n_table_columns) == (1, 0)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([1.0, 2.0], [0, 1]),
        ([[1.0], [2.0]], [0, 1, 1]),
        ([[1.0], [2.0]], [0, 0]),
        ([[1.0], [2.0]], [0, None]),
        ([[1.0], [np.inf]], [0, 1]),
        ([["one"], ["two"]], [0, 1]),
        (np.zeros((0, 2)), []),
    ],
)
def test_arrays_that_do_not_fit_are_refused(X, y):
    with pytest.raises(DataError) as caught:
        load((X, y))
    assert caught.value.notice.remedy


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv.*cannot be opened"):
        load(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="too long"):
        lincore.load("x" * 300)
    with pytest.raises(DataError, match=r"content of a table.*lincore\.load\(text\.encode"):
        lincore.load("x,y\n1,a\n2,b")


def test_a_file_opened_as_text_is_told(tmp_path):
    with pytest.raises(DataError, match="opened as text"):
        load(io.StringIO("a,b\n1,2\n"))


def test_the_digest_sees_a_word():
    X = sp.csr_array(np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]]))
    data = replace(dataset([0, 1, 1]), X=X, n_words=2)
    changed = X.copy()
    changed.data[0] = 3.0
    assert replace(data, X=changed).digest != data.digest
    assert replace(data, X=X.copy()).digest == data.digest
    assert (data.n_rows, data.n_features, data.has_missing) == (3, 2, False)
    assert data.needs_preparation


def test_options_and_choices_reach_the_table():
    raw = b"u;v;class\n1,5;x;a\n2,5;y;b\n3,5;x;a\n"
    data = load(raw, name="m.csv", options=ReadOptions(decimal=","), roles={"v": "ignore"})
    assert data.feature_names == ("u",)
    with pytest.raises(DataError, match="3 distinct|No column looks"):
        load(raw, name="m.csv", options=ReadOptions(missing_codes=("a", "b")))
    assert load(raw, name="m.csv", target="u", bins=2).classes.tolist() == [
        "below 2",
        "2 and above",
    ]


def test_a_zip_of_one_table_is_that_table():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("archive/readme.txt", "see kinds.csv")
        archive.writestr("archive/kinds.csv", TEXT)
    assert load(stream.getvalue(), name="archive.zip").digest == load(TEXT, name="kinds.csv").digest


def test_a_parquet_file_gives_what_the_text_gives():
    frame = pd.read_csv(io.BytesIO(TEXT))
    stream = io.BytesIO()
    frame.to_parquet(stream)
    data = load(stream.getvalue(), name="kinds.parquet")
    assert data.digest == load(TEXT, name="kinds.csv").digest


@pytest.mark.parametrize("option", [{"size": (8, 8)}, {"colour": True}, {"fit": "crop"}])
def test_options_of_images_are_refused_for_tables_and_arrays(option):
    arrays = io.BytesIO()
    np.savez(arrays, X=np.eye(4), y=np.array([0, 1, 0, 1]))
    for source in (TEXT, arrays.getvalue(), (np.eye(4), [0, 1, 0, 1])):
        with pytest.raises(DataError, match=f"has no option '{next(iter(option))}'"):
            load(source, **option)


@pytest.mark.parametrize("option", [{"target": "kind"}, {"weights": "w"}, {"missing": "drop"}])
def test_options_of_tables_are_refused_for_images(option):
    with pytest.raises(DataError, match=f"A zip of images has no option '{next(iter(option))}'"):
        load(b"PK\x05\x06" + bytes(18), **option)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=60),
    st.sampled_from(["stratified", "last"]),
    st.floats(0.01, 0.99),
    st.integers(0, 100),
)
def test_a_split_covers_all_rows_once_and_every_class(codes, how, test_size, seed):
    # Only classes that have rows: a data set holds no others.
    codes = np.unique(codes, return_inverse=True)[1]
    data = dataset(codes)
    assume(data.counts.max() >= 2)
    train, test = split(data, how, test_size=test_size, seed=seed)
    assert sorted([*train, *test]) == list(range(len(codes)))
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    tested = np.bincount(codes[test], minlength=data.n_classes)
    assert (tested < data.counts).all()
    assert (tested[data.counts >= 2] >= 1).all()
    wanted = np.clip(test_size * data.counts, 1, data.counts - 1)
    assert (np.abs(tested - wanted) <= 0.5 + 1e-9).all()


def test_a_seed_decides_a_stratified_split():
    data = dataset([0] * 20 + [1] * 20)
    same = [split(data, seed=1).test.tolist() for _ in range(2)]
    assert same[0] == same[1] != split(data, seed=2).test.tolist()


def test_the_last_of_each_class_in_file_order():
    data = dataset([0, 1, 0, 1, 0, 1, 1, 1])
    assert split(data, "last", test_size=0.4).test.tolist() == [4, 6, 7]


def test_the_given_split_is_kept():
    given_test = np.array([False, True, False, True])
    train, test = split(dataset([0, 0, 1, 1], given_test=given_test), "given")
    assert train.tolist() == [0, 2]
    assert test.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("extra", "arguments", "message"),
    [
        ({}, {"how": "given"}, "no test set"),
        ({"given_test": np.zeros(3, bool)}, {"how": "given"}, "no test set"),
        ({"given_test": np.array([False, True, True])}, {"how": "given"}, "class '1'"),
        ({}, {"how": "first"}, "first"),
        ({}, {"test_size": 1.0}, "between 0 and 1"),
        ({}, {"test_size": float("nan")}, "between 0 and 1"),
    ],
)
def test_a_split_that_cannot_be_is_refused(extra, arguments, message):
    with pytest.raises(DataError, match=message) as caught:
        split(dataset([0, 1, 1], **extra), **arguments)
    assert caught.value.notice.remedy


def test_some_of_the_rows_are_a_data_set():
    words = sp.csr_array(np.arange(12.0).reshape(6, 2))
    whole = replace(
        dataset([0, 1, 1, 2, 2, 2]),
        X=words,
        feature_names=("u", "v"),
        n_words=2,
        row_names=tuple("abcdef"),
        given_test=np.array([0, 1, 0, 1, 0, 1], dtype=bool),
        groups=np.array([5, 4, 3, 2, 1, 0]),
        group_names=tuple("pqrstu"),
    )
    for rows in ([5, 1, 2], np.array([5, 1, 2])):
        few = whole.take(rows)
        assert_array_equal(few.X.toarray(), words.toarray()[[5, 1, 2]])
        assert few.y.tolist() == whole.y[[5, 1, 2]].tolist() and few.n_classes == 2
        assert few.row_names == ("f", "b", "c") and few.groups.tolist() == [0, 4, 3]
        assert few.given_test.tolist() == [True, True, False]
    assert whole.take(whole.given_test).row_names == whole.take(slice(1, None, 2)).row_names
    assert whole.take(slice(None)).digest == whole.digest != few.digest
    with pytest.raises(DataError, match="No row is left"):
        whole.take([])
    with pytest.raises(IndexError):
        whole.take([6])


def test_the_truth_stays_as_long_as_every_class_does():
    data = lincore.sample("gaussian")
    assert data.take(slice(None, None, 3)).truth is data.truth
    assert data.take(data.codes > 0).truth is None


def test_a_split_of_classes_of_one_row_says_why_nothing_can_be_tested():
    with pytest.raises(DataError, match="No class has a second row"):
        split(dataset([0, 1, 2]))


def test_the_columns_of_a_frame_in_a_pair_keep_their_names():
    frame = pd.DataFrame({"length": [1.0, 2.0, 3.0], "width": [3.0, 1.0, 2.0]})
    assert load((frame, ["a", "b", "a"])).feature_names == ("length", "width")
    twice = frame.set_axis(["length", "length"], axis=1)
    assert load((twice, ["a", "b", "a"])).feature_names == ("feature 1", "feature 2")
