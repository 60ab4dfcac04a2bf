"""Record the golden values anew: ``python -m tests.golden.record [values|words] [case ...]``.

Without an argument everything is recorded; "words" leaves the values as they are, "values" the
words; names of cases leave all other cases as they are. Needs the folder of real data.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.golden.cases import CASES, run

HERE = Path(__file__).parent
KINDS = ("values", "words")

Recorded = dict[str, dict[str, Any]]


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
    """Compute cases and write what they give, all other cases as they are."""
    found = {case: run(case) for case in cases}
    for kind in kinds:
        merged = read(kind) | {case: parts[kind] for case, parts in found.items()}
        write(kind, {case: merged[case] for case in CASES if case in merged})


if __name__ == "__main__":
    asked = sys.argv[1:]
    record(
        [k for k in asked if k in KINDS] or [*KINDS], [c for c in asked if c in CASES] or [*CASES]
    )
