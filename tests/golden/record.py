"""The recorded values and words: how results differ from them, and how they are recorded anew.

``python -m tests.golden.record [values|words] [case ...]`` (`make golden`) computes the cases, all
of them by default, writes what they give, and prints how that differs from what was recorded.
Needs the folder of real data.
"""

from __future__ import annotations

import json
import logging
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.cases import BUNDLED, REAL, SINGLE, Found
from tests.golden.pages import PAGES

HERE = Path(__file__).parent
KINDS = ("values", "words")
CASES: dict[str, Callable[[], Found]] = BUNDLED | REAL | PAGES
#: Relative to the largest of a list; in single precision a number may round to its neighbour.
TOLERANCE, TOLERANCE_OF_SINGLE = 1e-9, 1e-6
#: Differences that are printed, and the characters of each.
MOST, WIDEST = 50, 200

Recorded = dict[str, dict[str, Any]]


@cache
def run(case: str) -> dict[str, dict[str, Any]]:
    """Return the values and the words of a case as JSON holds them; warnings are words too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values, words = CASES[case]()
    words["warnings"] = sorted({str(warning.message) for warning in caught})
    return {"values": _plain(values), "words": _plain(words)}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, str | bool | int | float | None):
        return value
    return [_plain(item) for item in value]


def differences(
    recorded: Any, found: Any, place: str, floor: float = 0.0, tolerance: float = TOLERANCE
) -> Iterator[str]:
    """Yield where something differs from what was recorded, and by how much."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        yield from _names(recorded, found, place)
        for name in (name for name in recorded if name in found):
            allowed = TOLERANCE_OF_SINGLE if name == SINGLE else tolerance
            yield from differences(
                recorded[name], found[name], f"{place}/{name}", tolerance=allowed
            )
    elif isinstance(recorded, list) and isinstance(found, list):
        if len(recorded) != len(found):
            yield f"{place}: {len(found)} instead of {len(recorded)}"
            return
        floor = floor or max(map(abs, _finite(recorded)), default=0.0)
        for i, (one, other) in enumerate(zip(recorded, found, strict=True)):
            yield from differences(one, other, f"{place}[{i}]", floor, tolerance)
    elif isinstance(recorded, float) and isinstance(found, float):
        same = recorded == found or (math.isnan(recorded) and math.isnan(found))
        if not same and not abs(recorded - found) <= tolerance * max(abs(recorded), floor):
            yield f"{place}: {found!r} instead of {recorded!r}"
    elif type(recorded) is not type(found) or recorded != found:
        yield f"{place}: {found!r} instead of {recorded!r}"


def _names(recorded: dict[str, Any], found: dict[str, Any], place: str) -> Iterator[str]:
    """Yield the names that are gone or new; a table or figure that only has another name is one."""
    new = [name for name in found if name not in recorded]
    for name in (name for name in recorded if name not in found):
        alike = (
            other
            for other in new
            if isinstance(recorded[name], dict)
            and not any(differences(recorded[name], found[other], ""))
        )
        other = next(alike, None)
        if other is None:
            yield f"{place}: gone: {name!r}"
        else:
            new.remove(other)
            yield f"{place}: {other!r} is what was called {name!r}, and holds the same"
    yield from (f"{place}: new: {name!r}" for name in new)


def _finite(value: Any) -> Iterator[float]:
    """Yield the finite numbers of a nested list."""
    if isinstance(value, list):
        for item in value:
            yield from _finite(item)
    elif isinstance(value, float) and math.isfinite(value):
        yield value


def assert_as_recorded(case: str, kind: str) -> None:
    """Fail with the differences of a case from what was recorded."""
    found = list(differences(read(kind)[case], run(case)[kind], case))
    assert not found, "\n".join(["", *listed(found)])


def listed(found: list[str]) -> Iterator[str]:
    """Yield the first differences, a line each, and how many there are more."""
    yield from (line if len(line) <= WIDEST else f"{line[:WIDEST]} …" for line in found[:MOST])
    if len(found) > MOST:
        yield f"and {len(found) - MOST:,} more"


@cache
def read(kind: str) -> Recorded:
    """Return what is recorded of one kind, by case."""
    path = HERE / f"{kind}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def write(kind: str, cases: Recorded) -> None:
    """Write one quantity a line, so that a change can be read as a difference of lines.

    Numbers are written as `repr` does, so that they are read again exactly.
    """
    blocks = {
        case: _braced({name: _json(value) for name, value in found.items()}, "  ")
        for case, found in cases.items()
    }
    (HERE / f"{kind}.json").write_text(_braced(blocks) + "\n", "utf-8")


def _braced(lines: dict[str, str], indent: str = "") -> str:
    inner = ",\n".join(f"{indent}{_json(name)}: {line}" for name, line in lines.items())
    return f"{{\n{inner}\n}}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def record(kinds: list[str], cases: list[str]) -> None:
    """Compute cases, write what they give, all others as they are, and print the differences."""
    found = {case: run(case) for case in cases}
    for kind in kinds:
        merged = read(kind) | {case: parts[kind] for case, parts in found.items()}
        kept = {case: merged[case] for case in CASES if case in merged}
        changed = list(differences(read(kind), kept, kind))
        print(f"{len(changed):,} differences of {kind}", *listed(changed), sep="\n")
        write(kind, kept)


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # Streamlit's, of pages without a browser
    asked = sys.argv[1:]
    record(
        [k for k in asked if k in KINDS] or [*KINDS], [c for c in asked if c in CASES] or [*CASES]
    )
