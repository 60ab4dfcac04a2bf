"""Labels in their order, encoded; names that are unique."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lincore
from lincore import DataError
from lincore.data import natural_key
from lincore.io import frame_to_table


@given(st.lists(st.text(max_size=6)))
def test_the_natural_order_is_total_for_any_text(texts):
    backwards = texts[::-1]
    assert sorted(texts, key=natural_key) == sorted(backwards, key=natural_key)


def test_numbers_in_names_count_as_numbers():
    long = ["9" * 5000, "1" + "0" * 5000]
    assert sorted(["s10", "S2", "s02b", "s", *long], key=natural_key) == [
        *long,
        "s",
        "S2",
        "s02b",
        "s10",
    ]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (np.array([10.0, 2.0]), [2, 10]),
        (np.array([-1, 1], dtype=np.int8), [-1, 1]),
        (np.array([1.5, 0.5, 10.0]), ["0.5", "1.5", "10.0"]),
        (np.array([np.inf, 1e300]), ["1e+300", "inf"]),
        (np.array([True, False]), ["False", "True"]),
        (np.array(["Class10", "Class2"]), ["Class2", "Class10"]),
        (np.array([1, "1", "b"], dtype=object), ["1", "b"]),
        (np.array(["<b>x</b>", "](javascript:)"]), ["<b>x</b>", "](javascript:)"]),
    ],
)
def test_labels_of_any_type_are_ordered(labels, classes):
    data = lincore.load((np.zeros((len(labels), 1)), labels))
    assert data.classes.tolist() == classes
    assert [str(data.classes[code]).removesuffix(".0") for code in data.codes] == [
        str(label).removesuffix(".0") for label in labels
    ]


def test_a_label_too_long_is_refused():
    with pytest.raises(DataError, match="longer than 200"):
        lincore.load((np.zeros((2, 1)), np.array(["a", "b" * 201], dtype=object)))


def test_a_repeated_name_is_numbered_and_told():
    table = frame_to_table(pd.DataFrame([range(4)], columns=["u", "u", "u (2)", "v"]), "made")
    (notice,) = table.notices
    assert [*table.frame] == ["u", "u (2)", "u (2) (2)", "v"]
    assert notice.where == "columns 'u (2)', 'u (2) (2)'"


@given(st.lists(st.sampled_from(["a", "a (2)", "a (2) (2)", "b"]), min_size=2, max_size=9))
def test_names_are_unique_whatever_they_are(names):
    table = frame_to_table(pd.DataFrame([range(len(names))], columns=names), "made")
    unique = [*table.frame]
    assert len(set(unique)) == len(unique) == len(names)
    assert (unique == names) == (table.notices == ())
