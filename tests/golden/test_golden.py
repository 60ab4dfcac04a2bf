"""The results of the library are those that were recorded, whatever was moved or renamed since.

Labels, digests and words must be the same. Numbers may differ by 1e-9 of the largest of the list
that they stand in: the floor is needed because most are differences (of losses, of projections)
of numbers of the size of the list, whose rounding they inherit. Processors with other vector units
round otherwise, and covariances with a condition number of 1e5 or an iteration's last step hand
that on. A change that is meant is recorded anew, see `tests.golden.record`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from tests.data import needs_data
from tests.golden.cases import BUNDLED, CASES, REAL, run
from tests.golden.record import KINDS, read

TOLERANCE = 1e-9


def differences(recorded: Any, found: Any, place: str, floor: float = 0.0) -> Iterator[str]:
    """Yield where something differs from what was recorded, and by how much."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        if list(recorded) != list(found):
            yield f"{place}: {list(found)} instead of {list(recorded)}"
            return
        for name, value in recorded.items():
            yield from differences(value, found[name], f"{place}/{name}")
    elif isinstance(recorded, list) and isinstance(found, list):
        if len(recorded) != len(found):
            yield f"{place}: {len(found)} instead of {len(recorded)}"
            return
        floor = floor or max(map(abs, _finite(recorded)), default=0.0)
        for i, (one, other) in enumerate(zip(recorded, found, strict=True)):
            yield from differences(one, other, f"{place}[{i}]", floor)
    elif isinstance(recorded, float) and isinstance(found, float):
        same = recorded == found or (math.isnan(recorded) and math.isnan(found))
        allowed = TOLERANCE * max(abs(recorded), floor)
        if not same and not abs(recorded - found) <= allowed:
            yield f"{place}: {found!r} instead of {recorded!r}"
    elif type(recorded) is not type(found) or recorded != found:
        yield f"{place}: {found!r} instead of {recorded!r}"


def _finite(value: Any) -> Iterator[float]:
    """Yield the finite numbers of a nested list."""
    if isinstance(value, list):
        for item in value:
            yield from _finite(item)
    elif isinstance(value, float) and math.isfinite(value):
        yield value


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "case", [*BUNDLED, *(pytest.param(case, marks=needs_data) for case in REAL)]
)
def test_results_are_those_recorded(case, kind):
    found = list(differences(read(kind)[case], run(case)[kind], case))
    assert not found, "\n".join(found[:20])


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
