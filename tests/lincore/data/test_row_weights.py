"""Weights and frequencies as columns: what is read, what is refused, what stays together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError
from lincore.analysis import Analysis, FileData
from lincore.data import counting, with_row_weights
from lincore.io import TableOptions
from lincore.model_selection import plan_folds

FLOWERS = pd.DataFrame(
    {
        "length": [1.5, 2.5, 2.5, 4.0, 5.0, 6.5],
        "w": [1.0, 2.0, 1.0, 0.0, 2.0, 4.0],
        "n": [1, 2, 3, 1, 0, 2],
        "kind": ["a", "b", "a", "b", "a", "b"],
    }
)


def with_values(**columns):
    return FLOWERS.assign(**columns)


def test_a_weight_is_no_feature_and_has_mean_one():
    data = lincore.load(FLOWERS.drop(columns="n"), target="kind", weights="w")
    assert data.feature_names == ("length",)
    assert_array_equal(data.X.ravel(), [1.5, 2.5, 2.5, 5, 6.5])  # without the row of weight zero
    assert_array_equal(data.weights, [0.5, 1, 0.5, 1, 2])
    assert [n.what for n in data.notices] == ["1 of 6 rows have weight zero and were left out."]
    assert counting(data) == "weighted by 'w', as 3.8 rows of equal weight (Kish)"


def test_a_frequency_repeats_the_rows():
    data = lincore.load(FLOWERS.drop(columns="w"), target="kind", frequencies="n")
    assert_array_equal(data.X.ravel(), [1.5, *[2.5] * 5, 4, 6.5, 6.5])
    assert_array_equal(data.lines, [0, 1, 1, 2, 2, 2, 3, 4, 4])
    repeated = FLOWERS.loc[np.repeat(np.arange(6), FLOWERS["n"]), ["length", "kind"]]
    plain = lincore.load(repeated, target="kind")
    assert data.rare == plain.rare and data.counts.tolist() == plain.counts.tolist()
    assert counting(data) == "5 lines repeated by 'n'"


def test_both_together_are_those_of_arrays():
    table = lincore.load(FLOWERS, target="kind", weights="w", frequencies="n")
    X, y = FLOWERS[["length"]].to_numpy(), FLOWERS["kind"].to_numpy()
    arrays = lincore.load((X, y), weights=FLOWERS["w"], frequencies=FLOWERS["n"])
    assert_array_equal(table.X, arrays.X)
    assert_allclose(table.weights, arrays.weights)
    assert_array_equal(table.lines, arrays.lines)
    assert_allclose(table.take([0, 1, 5]).weights.mean(), 1)


@pytest.mark.parametrize(
    ("columns", "roles", "message"),
    [
        ({"w": [1, 2, -3, 1, 1, 1]}, {"w": "weight"}, "'w', data row 3: The weight -3 is negative"),
        ({"w": [1, None, 3, 1, 1, 1]}, {"w": "weight"}, "data row 2: The weight is missing"),
        ({"w": list("12x456")}, {"w": "weight"}, "data row 3: 'x' is no weight"),
        ({"w": [0.0] * 6}, {"w": "weight"}, "Every weight is zero"),
        ({"w": [1, 2, np.inf, 1, 1, 1]}, {"w": "weight"}, "The weight inf is infinite"),
        ({"n": [1, 2.5, 3, 1, 1, 1]}, {"n": "frequency"}, "frequency 2.5 is no whole number"),
        ({"n": [1, 2, -1, 1, 1, 1]}, {"n": "frequency"}, "The frequency -1 is negative"),
        ({"n": [1, 10**7, 1, 1, 1, 1]}, {"n": "frequency"}, "add up to 10,000,005 rows"),
        ({}, {"w": "weight", "n": "weight"}, "There can be one target, and one column each"),
    ],
)
def test_what_is_no_weight_is_refused_with_its_place(columns, roles, message):
    roles = {"w": "ignore", "n": "ignore"} | roles
    with pytest.raises(DataError, match=message):
        lincore.load(with_values(**columns), target="kind", roles=roles)


def test_arrays_want_one_number_for_each_row():
    data = lincore.sample("iris")
    with pytest.raises(DataError, match="There are 150 rows, and weights has shape"):
        with_row_weights(data, weights=[1, 2])
    with pytest.raises(DataError, match="A table takes the name of its weight column"):
        lincore.load(FLOWERS, target="kind", weights=[1, 2, 3, 4, 5, 6])


def test_a_digest_knows_them():
    data = lincore.sample("iris")
    made = [
        data,
        with_row_weights(data, weights=np.arange(150) + 1.0),
        with_row_weights(data, weights=np.arange(150)[::-1] + 1.0),
        with_row_weights(data, frequencies=np.ones(150)),
    ]
    assert len({one.digest for one in made}) == 4


def test_a_link_and_a_file_of_an_analysis_hold_the_roles():
    table = TableOptions(roles={"w": "weight", "n": "frequency"})
    asked = Analysis(FileData("flowers.csv", target="kind", table=table))
    assert Analysis.from_query(asked.to_query()) == asked
    data = asked.data.load(FLOWERS.to_csv(index=False).encode())
    assert (data.weight_name, data.frequency_name) == ("w", "n")


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=24, max_size=24),
    st.integers(0, 9),
    st.sampled_from(["holdout", "last", "3-fold", "2x4-fold", "leave-one-out"]),
)
def test_copies_of_a_line_are_never_divided(frequencies, seed, scheme):
    rng = np.random.default_rng(seed)
    source = (rng.normal(size=(24, 2)), np.arange(24) % 2)
    data = lincore.load(source, frequencies=frequencies)
    for fold in plan_folds(data, scheme, seed):
        assert not np.isin(data.lines[fold.test], data.lines[fold.train]).any()
    for how in ("stratified", "last"):
        split = lincore.split(data, how, seed=seed)
        assert not np.isin(data.lines[split.test], data.lines[split.train]).any()
