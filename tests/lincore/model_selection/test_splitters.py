"""Plans of experiments: every row where it belongs, the same from the same seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold

import lincore
from lincore.data import Dataset, Split
from lincore.model_selection import plan_folds


def dataset(counts, groups=None, given_test=None):
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    X = np.arange(2.0 * len(codes)).reshape(-1, 2)
    return Dataset(
        "made", X, codes, np.arange(len(counts)), ("a", "b"), groups=groups, given_test=given_test
    )


@settings(max_examples=20)
@given(
    st.lists(st.integers(1, 30), min_size=2, max_size=6),
    st.integers(2, 10),
    st.integers(1, 3),
    st.integers(0, 2**31),
)
def test_every_row_is_tested_once_in_every_repetition_and_classes_are_even(counts, k, times, seed):
    data = dataset([*counts, 12, 12])
    plan = plan_folds(data, f"{times}x{k}-fold", seed)
    assert [(f.repetition, f.fold) for f in plan] == [
        (r, i) for r in range(times) for i in range(k)
    ]
    for repetition in range(times):
        chosen = [fold for fold in plan if fold.repetition == repetition]
        assert_array_equal(
            np.sort(np.concatenate([f.test for f in chosen])), np.arange(data.n_rows)
        )
        by_class = [np.bincount(data.codes[f.test], minlength=data.n_classes) for f in chosen]
        assert np.ptp(by_class, axis=0).max() <= 1
        assert np.ptp([len(f.test) for f in chosen]) <= 1
    for fold in plan:
        together = np.concatenate([fold.train, fold.test])
        assert_array_equal(np.sort(together), np.arange(data.n_rows))


def test_seeds_make_plans_again_and_repetitions_differ():
    data = dataset([30, 20])
    first, again = plan_folds(data, "2x5-fold", 3), plan_folds(data, "2x5-fold", 3)
    assert all((a.test == b.test).all() for a, b in zip(first, again, strict=True))
    assert set(first[0].test) != set(first[5].test)
    assert set(first[0].test) != set(plan_folds(data, "2x5-fold", 4)[0].test)


def test_hold_outs_are_those_of_split():
    data = dataset([30, 20], given_test=np.arange(50) % 5 == 0)
    for word, how in (("holdout", "stratified"), ("last", "last"), ("given", "given")):
        fold = plan_folds(data, word, 7, test_size=0.4)[0]
        expected = lincore.split(data, how, test_size=0.4, seed=7)
        assert_array_equal(fold.test, expected.test)
        assert_array_equal(plan_folds(data, expected)[0].train, expected.train)


def test_leave_one_out():
    plan = plan_folds(dataset([3, 4]), "leave-one-out")
    assert [fold.test.tolist() for fold in plan] == [[i] for i in range(7)]
    assert {len(fold.train) for fold in plan} == {6}


@pytest.mark.parametrize(("scheme", "n"), [("4-fold by group", 4), ("by-group", 5), (3, 3)])
def test_groups_stay_together(scheme, n):
    groups = np.repeat(np.arange(12), 5)
    data = dataset([40, 20], groups=groups)
    plan = plan_folds(data, scheme, 1)
    assert len(plan) == n
    if scheme != 3:
        for fold in plan:
            assert not set(groups[fold.train]) & set(groups[fold.test])
        assert_array_equal(np.sort(np.concatenate([f.test for f in plan])), np.arange(60))


def test_one_split_by_group():
    groups = np.repeat(np.arange(12), 5)
    (fold,) = plan_folds(dataset([40, 20], groups=groups), "holdout by group", test_size=0.25)
    assert not set(groups[fold.train]) & set(groups[fold.test])
    assert 10 <= len(fold.test) <= 20


def test_any_splitter_of_scikit_learn():
    data = dataset([30, 30])
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    plan = plan_folds(data, repeated)
    assert [(f.repetition, f.fold) for f in plan] == [(r, i) for r in range(2) for i in range(3)]
    for fold, (train, test) in zip(plan, repeated.split(data.X, data.codes), strict=True):
        assert_array_equal(fold.train, np.sort(train))
        assert_array_equal(fold.test, np.sort(test))
    for fold in plan_folds(data, ShuffleSplit(5, train_size=0.3, test_size=0.5, random_state=0)):
        assert (len(fold.train), len(fold.test)) == (18, 30)
    pairs = list(StratifiedKFold(2).split(data.X, data.codes))
    assert len(plan_folds(data, pairs)) == 2


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ("tenfold", "There is no validation 'tenfold'"),
        ("1-fold", "not possible"),
        ("51-fold", "Use 2 to 50 folds"),
        ("0x5-fold", "not possible"),
        ("by-group", "no groups"),
        ("given", "no test set"),
        (StratifiedKFold(40), "cannot be used"),
        (Split(np.arange(10), np.arange(5, 20)), "Row 5 is in the training and in the test set"),
        (Split(np.arange(10), np.arange(0)), "at least two classes"),
        (3.5, "cannot be used"),
    ],
)
def test_what_cannot_be_done_is_said(scheme, message):
    with pytest.raises(lincore.DataError, match=message):
        plan_folds(dataset([30, 20]), scheme)


def test_a_training_part_of_one_class_is_refused():
    data = replace(dataset([1, 9]), codes=np.repeat([0, 1], [1, 9]))
    with pytest.raises(lincore.DataError, match="two classes"):
        plan_folds(data, "leave-one-out")


def test_plans_that_would_fill_the_memory_are_refused():
    with pytest.raises(lincore.DataError, match="Use fewer folds"):
        plan_folds(dataset([3000, 3000]), "leave-one-out")


def test_schemes_in_words():
    data = lincore.sample("iris")
    by_splitter = lincore.compare(data, "lda", StratifiedKFold(3)).settings.scheme
    assert by_splitter.startswith("StratifiedKFold(n_splits=3")
    by_rows = lincore.compare(data, "lda", [(np.arange(0, 150, 2), np.arange(1, 150, 2))])
    assert by_rows.settings.scheme == "given rows"
