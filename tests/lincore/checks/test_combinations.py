"""Combinations of features that are constant within every class."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import checks
from lincore.data import Split

RNG = np.random.default_rng(0)
CODES = np.arange(90) % 3
NOISE = RNG.normal(size=(90, 4))
ALL = Split(np.arange(90), np.arange(0))


def found(X, labels):
    data = lincore.load((X, labels))
    return checks.constant_within_classes(data, ALL)


def test_the_other_columns_of_a_one_hot_encoded_target_are_found():
    others = np.eye(3)[CODES][:, :2]
    finding = found(np.hstack([NOISE, others]), (CODES == 2).astype(int))
    assert finding.code == "constant"
    assert "'feature 5' and 'feature 6'" in finding.sentence and "ridge" in finding.sentence
    # A scale and an offset change nothing.
    scaled = found(np.hstack([NOISE, others * [1e-3, 1e4] + [7, -5]]), (CODES == 2).astype(int))
    assert scaled.sentence == finding.sentence


@pytest.mark.parametrize(
    "X",
    [
        NOISE,
        np.hstack([NOISE, NOISE[:, :2].sum(axis=1, keepdims=True)]),  # redundant everywhere
        np.hstack([NOISE, NOISE[:, :1] + 1e-3 * CODES[:, None] + 1e-3 * NOISE[:, 1:2] ** 2]),
        RNG.normal(size=(90, 200)),  # too few rows
        np.where(NOISE > 2, np.nan, NOISE),
    ],
)
def test_other_data_have_none(X):
    assert found(X, CODES) is None
