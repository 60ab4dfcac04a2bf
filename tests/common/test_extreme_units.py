"""Offsets and scales at every extreme: a right answer or a clear error."""

from __future__ import annotations

import numpy as np
import pytest

from tests.common.extremes import (
    answer,
    assert_clear,
    assert_same,
    clouds,
    every,
    every_but_logistic,
    every_but_unpenalised,
    fit,
    refusal,
)


@pytest.mark.parametrize("offset", [1e6, -1e6])
@every
def test_offsets(case, offset):
    X, y = clouds()
    if case.offsets:
        assert_same(case, X, X + offset, y)
    elif offset > 0:
        answer(fit(case.model, X + offset, y), X + offset)


# Powers of two cost no digits: 1e-8, 1e8, 1e-4, 1e4 nearly.
SCALES = 2.0 ** np.array([-27, 27, 0, -13, 13])


@every
def test_scales_from_1e_minus_8_to_1e8_in_one_table(case):
    X, y = clouds()
    if case.units == "each":
        assert_same(case, X, X * SCALES, y)
    else:
        # What a shrunken or penalised model makes of features that differ so is its definition.
        answer(fit(case.model, X * SCALES, y), X * SCALES)


@pytest.mark.parametrize("exponent", [498, 330, -330])
@every
def test_huge_and_small_values(case, exponent):
    assert_same_in_units(case, exponent)


@every_but_unpenalised
def test_tiny_values(case):
    assert_same_in_units(case, -498)


def assert_same_in_units(case, exponent):
    X, y = clouds()
    Z = X / 16 * 2.0**exponent  # 498 is about 1e150, 330 about 1e100
    words = refusal(case.model, Z, y)
    if words is not None:
        assert "overflow" in words
    elif case.units == "none":
        answer(fit(case.model, Z, y), Z)
    else:
        assert_same(case, X, Z, y)


@every_but_unpenalised
def test_huge_and_tiny_columns_in_one_table(case):
    X, y = clouds()
    Z = X / 16 * 2.0 ** np.array([498, 0, 0, 0, -498])
    words = refusal(case.model, Z, y)
    if words is not None:
        assert "overflow" in words
    elif case.units == "each":
        assert_same(case, X, Z, y)
    else:
        answer(fit(case.model, Z, y), Z)


@pytest.mark.parametrize("value", [1e160, 1e300])
@every_but_logistic
def test_values_whose_squares_overflow_are_refused(case, value):
    X, y = clouds()
    words = refusal(case.model, X * value / 256, y)
    # Counts are not squared.
    assert words is None or "overflow" in words
    if words is None:
        answer(fit(case.model, X * value / 256, y), X * value / 256)


@every
def test_rows_as_large_as_numbers_get_are_told_apart_or_refused(case):
    X, y = clouds()
    model = fit(case.model, X, y)
    for largest in (np.full(X.shape[1], np.finfo(float).max), X[0] * 1e300, X[0] * 1e150):
        try:
            answer(model, largest[None])
        except ValueError as error:
            assert_clear(error)
            assert "overflow" in str(error)


@every
def test_dates_are_no_numbers(case):
    X, y = clouds()
    said = refusal(case.model, X.astype("datetime64[D]"), y)
    assert "datetime64[D], which is no number" in said
