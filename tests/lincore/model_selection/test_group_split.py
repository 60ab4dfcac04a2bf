"""Groups: kept together by default everywhere, with class shares as even as they allow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lincore
from lincore import DataError
from lincore.data import Dataset


def grouped(groups, codes, seed=0):
    codes, groups = np.asarray(codes, dtype=np.intp), np.asarray(groups, dtype=np.intp)
    X = np.random.default_rng(seed).standard_normal((len(codes), 2)) + codes[:, None]
    classes = np.array(list("abcdef"))[: codes.max() + 1]
    names = tuple(map(str, range(groups.max() + 1)))
    return Dataset("made", X, codes, classes, ("u", "v"), groups=groups, group_names=names)


def made(n_groups=40, n_each=5, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), n_each)
    return grouped(groups, rng.integers(0, 2, len(groups)))


def divided(data, split):
    return set(data.groups[split.train]) & set(data.groups[split.test])


@settings(max_examples=25)
@given(
    sizes=st.lists(st.integers(1, 12), min_size=8, max_size=60),
    test_size=st.floats(0.1, 0.5),
    seed=st.integers(0, 1000),
)
def test_no_group_is_divided_and_the_shares_are_as_wanted(sizes, test_size, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    data = grouped(groups, np.arange(len(groups)) % 2)
    split = lincore.split(data, test_size=test_size, seed=seed)
    assert not divided(data, split)
    assert np.array_equal(np.sort(np.concatenate(split)), np.arange(len(groups)))
    assert abs(len(split.test) - test_size * len(groups)) <= 2 * max(sizes)
    assert len(np.unique(data.codes[split.train])) == 2


def test_classes_of_whole_groups_keep_their_shares():
    groups = np.repeat(np.arange(60), 4)
    data = grouped(groups, groups % 3 == 0)
    for seed in range(5):
        split = lincore.split(data, seed=seed)
        assert np.bincount(data.codes[split.test]).tolist() == [48, 24]


def test_each_seed_draws_another_split():
    data = grouped(np.repeat(np.arange(30), np.arange(1, 31)), np.arange(465) % 2)
    assert len({lincore.split(data, seed=seed).test.tobytes() for seed in range(5)}) == 5


def test_the_only_group_of_a_class_is_trained_on():
    data = grouped(np.repeat(np.arange(10), 4), np.repeat([0, 0, 0, 1, 1, 1, 1, 1, 1, 2], 4))
    for seed in range(5):
        assert 9 not in data.groups[lincore.split(data, seed=seed).test]


def test_two_such_groups_are_trained_on_and_the_shares_are_kept():
    labels = [0] * 6 + [1] * 6 + [2, 3]
    data = grouped(np.repeat(np.arange(14), 4), np.repeat(labels, 4))
    for seed in range(5):
        tested = data.groups[lincore.split(data, test_size=0.33, seed=seed).test]
        assert not {12, 13} & {*tested}
        assert (tested < 6).sum() == (tested >= 6).sum() == 8


def test_where_whole_groups_allow_no_test_it_is_said():
    data = grouped(np.repeat([0, 1], 10), np.repeat([0, 1], 10))
    with pytest.raises(DataError, match="Whole groups leave no test rows"):
        lincore.split(data)
    with pytest.raises(DataError, match="no groups of rows"):
        lincore.split(replace(data, groups=None), "group")


def test_every_experiment_keeps_groups_together_unless_asked_otherwise():
    data = made()
    assert not divided(data, lincore.split(data))
    assert divided(data, lincore.split(data, "stratified"))
    results = lincore.compare(data, "lda")
    assert results.settings.scheme == "holdout by group"
    assert results.pairwise().scope().endswith("Rows of one group are kept together.")
    other = lincore.compare(data, "lda", "5-fold")
    assert "in both training and test sets" in other.pairwise().scope()
    by_row = lincore.compare(replace(data, groups=None), "lda")
    assert "group" not in by_row.pairwise().scope()
    study = lincore.balance(data, {"a": 20}, "lda", repeats=2)
    assert study.settings.scheme == "holdout by group"
    by_row = lincore.balance(data, {"a": 20}, "lda", split="stratified", repeats=1)
    assert by_row.settings.scheme == "stratified"
    curve = lincore.sweep(data, ["a"], [20, 40], "lda", repeats=2)
    assert curve.settings.scheme == "holdout by group"
