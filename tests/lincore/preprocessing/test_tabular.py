"""Preparation: what is filled in, coded and kept comes from the training rows alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from lincore.data import Dataset
from lincore.io import load
from lincore.preprocessing import Preparer, build_preparer, prepared_names

NAN = np.nan


def dataset(X, **extra):
    codes = np.arange(X.shape[0], dtype=np.intp) % 2
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    return Dataset("made", X, codes, np.array(["a", "b"]), names, **extra)


def test_numbers_without_gaps_need_nothing():
    data = load(([[1.0], [2.0], [3.0]], ["a", "b", "a"]))
    assert build_preparer(data) is None
    assert prepared_names(None, data) == data.feature_names


@pytest.mark.parametrize("imputation", ["median", "most_frequent"])
def test_numbers_are_filled_in_as_scikit_learn_does(imputation):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((60, 4)) < 0.3, NAN, rng.integers(-5, 5, (60, 4)))
    data = dataset(X, imputation=imputation)
    preparer = build_preparer(data).fit(X[:40])
    expected = SimpleImputer(strategy=imputation).fit(X[:40]).transform(X[40:])
    np.testing.assert_array_equal(preparer.transform(X[40:]), expected)


def test_a_column_without_any_training_value_is_constant():
    preparer = Preparer().fit([[NAN, 1.0], [NAN, 2.0]])
    assert preparer.transform([[5.0, NAN], [NAN, 3.0]]).tolist() == [[5.0, 1.5], [0.0, 3.0]]


def test_an_indicator_says_what_was_missing():
    data = dataset(np.array([[1.0, 0], [NAN, NAN], [3.0, 1], [5.0, 0]]), imputation="indicator")
    data = replace(data, levels=(None, ("u", "v")))
    preparer = build_preparer(data).fit(data.X)
    assert prepared_names(preparer, data) == (
        "x0",
        "x0 missing",
        "x1 = u",
        "x1 = v",
        "x1 = (missing)",
    )
    assert preparer.transform(data.X)[1].tolist() == [3.0, 1.0, 0.0, 0.0, 1.0]


@given(st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_categories_are_coded_as_scikit_learn_does(n_levels, seed):
    codes = np.random.default_rng(seed).integers(n_levels, size=(30, 1)).astype(float)
    train = np.vstack([codes[:20], np.arange(3.0)[:, None]])
    ours = Preparer((n_levels,)).fit(train)
    theirs = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(train)
    np.testing.assert_array_equal(ours.transform(codes), theirs.transform(codes))


def test_two_levels_take_one_column():
    data = dataset(np.array([[0.0], [1.0], [1.0]]), levels=(("no", "yes"),))
    preparer = build_preparer(data).fit(data.X)
    assert prepared_names(preparer, data) == ("x0 = yes",)
    assert preparer.transform(data.X).ravel().tolist() == [0.0, 1.0, 1.0]


def test_a_level_not_seen_in_training_is_zero_everywhere():
    preparer = Preparer((5,)).fit([[0.0], [1.0], [2.0]])
    assert preparer.transform([[3.0], [7.0], [1.0]]).tolist() == [[0, 0, 0], [0, 0, 0], [0, 1, 0]]


def test_rare_levels_share_a_column_with_those_never_seen():
    X = np.array([0.0] * 5 + [1.0] * 4 + [2.0, 3.0, 3.0])[:, None]
    data = dataset(X, levels=(tuple("abcde"),), rare=3)
    preparer = build_preparer(data).fit(X)
    assert prepared_names(preparer, data) == ("x0 = a", "x0 = b", "x0 = (rare)")
    assert preparer.transform([[2.0], [3.0], [4.0]]).tolist() == [[0, 0, 1]] * 3


def test_a_single_rare_level_keeps_its_name():
    X = np.array([0.0] * 5 + [1.0] * 4 + [2.0])[:, None]
    data = dataset(X, levels=(tuple("abc"),), rare=3)
    assert prepared_names(build_preparer(data).fit(X), data)[-1] == "x0 = c"


def test_a_missing_level_becomes_the_most_frequent_one():
    preparer = Preparer((3,)).fit([[1.0], [1.0], [0.0], [2.0], [NAN]])
    assert preparer.transform([[NAN]]).tolist() == [[0, 1, 0]]


DOCUMENTS = ["to be or not to be", "that is the question", "to be question", "or not"]


def test_words_are_those_of_a_vectorizer_fitted_on_the_training_rows():
    whole = CountVectorizer().fit(DOCUMENTS)
    X = sp.csr_array(whole.transform(DOCUMENTS), dtype=float)
    data = replace(
        dataset(X, n_words=X.shape[1]), feature_names=tuple(whole.get_feature_names_out())
    )
    preparer = build_preparer(data).fit(data.X[[0, 2]])
    expected = CountVectorizer().fit([DOCUMENTS[0], DOCUMENTS[2]])
    assert prepared_names(preparer, data) == tuple(expected.get_feature_names_out())
    found = preparer.transform(data.X[[1, 3]])
    assert found.format == "csr"
    np.testing.assert_array_equal(
        found.toarray(), expected.transform([DOCUMENTS[1], DOCUMENTS[3]]).toarray()
    )


def test_numbers_stand_before_words():
    X = sp.csr_array(np.array([[1.5, 1, 2, 0], [NAN, 0, 1, 0], [2.5, 1, 0, 3]]))
    data = dataset(X, levels=(None, ("u", "v"), None, None), n_words=2)
    preparer = build_preparer(data).fit(X[:2])
    assert prepared_names(preparer, data) == ("x0", "x1 = v", "x2")
    assert preparer.transform(X).toarray().tolist() == [[1.5, 1, 2], [1.5, 0, 1], [2.5, 1, 0]]


def test_names_without_a_data_set_are_numbers():
    preparer = clone(Preparer((None, 3))).fit([[1.0, 0], [2.0, 1], [3.0, 2]])
    assert preparer.get_feature_names_out().tolist() == ["x0", "x1 = 0", "x1 = 1", "x1 = 2"]


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match="2 columns; 1 were expected"):
        Preparer().fit([[1.0], [2.0]]).transform([[1.0, 2.0]])
