"""The results of the library are those that were recorded, whatever was moved or renamed since.

Labels, digests and words must be the same. Numbers may differ by 1e-9 of the largest of the list
that they stand in: the floor is needed because most are differences (of losses, of projections)
of numbers of the size of the list, whose rounding they inherit. Processors with other vector units
round otherwise, and covariances with a condition number of 1e5 or an iteration's last step hand
that on. A change that is meant is recorded anew, see `tests.golden.record`.
"""

from __future__ import annotations

import math

import pytest

from tests.data import needs_data
from tests.golden.cases import BUNDLED, REAL, SINGLE
from tests.golden.record import CASES, KINDS, assert_as_recorded, differences, listed, read


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "case", [*BUNDLED, *(pytest.param(case, marks=needs_data) for case in REAL)]
)
def test_results_are_those_recorded(case, kind):
    assert_as_recorded(case, kind)


def test_every_case_is_recorded_and_no_other():
    for kind in KINDS:
        assert list(read(kind)) == list(CASES)


@pytest.mark.parametrize(
    "found",
    [
        [1.0, 0.5, 2e-9, math.nan],
        [1.0, 0.5 + 1e-8, 0.0, math.nan],
        [1.0, 0.5, 0.0, 0.0],
        [1.0, math.nan, 0.0, math.nan],
        [1.0, 0.5, 0.0],
        [1, 0.5, 0.0, math.nan],
        "text",
    ],
)
def test_a_difference_is_found(found):
    recorded = [1.0, 0.5, 0.0, math.nan]
    assert not list(differences(recorded, [1.0, 0.5 + 1e-10, 5e-10, math.nan], ""))
    assert list(differences(recorded, found, ""))


def test_single_precision_has_a_tolerance_of_its_own():
    recorded = {"x": {SINGLE: [1.0, 2.0]}, "y": [1.0, 2.0]}
    assert not list(differences(recorded, {"x": {SINGLE: [1.0, 2.000001]}, "y": [1.0, 2.0]}, ""))
    assert list(differences(recorded, {"x": {SINGLE: [1.0, 2.00001]}, "y": [1.0, 2.0]}, ""))
    assert list(differences(recorded, {"x": {SINGLE: [1.0, 2.0]}, "y": [1.0, 2.000001]}, ""))


def test_names_that_are_gone_new_or_other_names_are_listed_one_by_one():
    recorded = {"ROC": {"x": [0.5]}, "recall": {"x": [1.0]}, "kept": "text"}
    found = {"curve": {"x": [0.5]}, "Recall": {"x": [2.0]}, "kept": "text"}
    assert list(differences(recorded, found, "page")) == [
        "page: 'curve' is what was called 'ROC', and holds the same",
        "page: gone: 'recall'",
        "page: new: 'Recall'",
    ]
    assert [*listed(["same"] * 60)][-2:] == ["same", "and 10 more"]
