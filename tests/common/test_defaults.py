"""Numbers and switches that public functions, estimators and their methods have by default.

A default that changes on purpose is recorded anew; a new display need not be recorded at once:
``python -m tests.common.test_defaults > tests/common/defaults.txt``.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).with_name("defaults.txt")


def public() -> Iterator[tuple[str, Any]]:
    """Yield the functions, classes and methods behind every package's door, each once."""
    seen = set()
    for path in sorted(ROOT.glob("lincore/**/__init__.pyi")):
        package = importlib.import_module(".".join(path.parent.relative_to(ROOT).parts))
        for name in package.__all__:
            one = getattr(package, name)
            if not callable(one) or not getattr(one, "__module__", "").startswith("lincore"):
                continue
            if one not in seen:
                seen.add(one)
                yield f"{package.__name__}.{name}", one
                for method, of in inspect.getmembers(one, inspect.isfunction):
                    if inspect.isclass(one) and not method.startswith("_"):
                        yield f"{package.__name__}.{name}.{method}", of


def defaults() -> list[str]:
    """Return a line for whatever has any."""
    lines = []
    for name, one in public():
        try:
            parameters = inspect.signature(one).parameters
        except (TypeError, ValueError):
            continue
        numbers = {
            k: p.default for k, p in parameters.items() if isinstance(p.default, int | float)
        }
        if numbers:
            lines.append(f"{name}({', '.join(f'{k}={v!r}' for k, v in numbers.items())})")
    return lines


def test_defaults_are_those_that_were_recorded():
    recorded = RECORDED.read_text("utf-8").splitlines()
    new = [line for line in defaults() if line not in recorded]
    assert [line for line in defaults() if line in recorded] == recorded
    assert all(line.startswith("lincore.displays.") for line in new), new


if __name__ == "__main__":
    print("\n".join(defaults()))
