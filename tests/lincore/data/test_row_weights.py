"""Weights as a column: what is read and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError
from lincore.analysis import Analysis, FileData
from lincore.data import counting, with_row_weights
from lincore.io import TableOptions

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
    assert [n.what for n in data.notices] == ["1 of 6 rows has weight zero and was left out."]
    assert counting(data) == "weighted by 'w', as 3.8 rows of equal weight (Kish)"


def test_a_column_weighs_as_an_array_does():
    flowers = FLOWERS.drop(columns="n")
    table = lincore.load(flowers, target="kind", weights="w")
    X, y = flowers[["length"]].to_numpy(), flowers["kind"].to_numpy()
    arrays = lincore.load((X, y), weights=flowers["w"])
    assert_array_equal(table.X, arrays.X)
    assert_allclose(table.weights, arrays.weights)
    assert_allclose(table.take([0, 1, 4]).weights, np.array([1, 2, 4]) * 3 / 7)


@pytest.mark.parametrize(
    ("columns", "roles", "message"),
    [
        ({"w": [1, 2, -3, 1, 1, 1]}, {"w": "weight"}, "'w', data row 3: The weight -3 is negative"),
        ({"w": [1, None, 3, 1, 1, 1]}, {"w": "weight"}, "data row 2: The weight is missing"),
        ({"w": list("12x456")}, {"w": "weight"}, "data row 3: 'x' is not a weight"),
        ({"w": [0.0] * 6}, {"w": "weight"}, "Every weight is zero"),
        ({"w": [1, 2, np.inf, 1, 1, 1]}, {"w": "weight"}, "The weight inf is infinite"),
        ({}, {"w": "weight", "n": "weight"}, "There can be only one target, and one column each"),
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
    ]
    assert len({one.digest for one in made}) == 3


def test_a_link_and_a_file_of_an_analysis_hold_the_roles():
    table = TableOptions(roles={"w": "weight", "n": "ignore"})
    asked = Analysis(FileData("flowers.csv", target="kind", table=table))
    assert Analysis.from_query(asked.to_query()) == asked
    data = asked.data.load(FLOWERS.to_csv(index=False).encode())
    assert data.weight_name == "w" and data.feature_names == ("length",)
