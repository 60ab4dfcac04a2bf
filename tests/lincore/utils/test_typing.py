"""Types that signatures share have one name and one definition."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[3]


def aliases(path: Path) -> list[str]:
    """Return the names that a module gives to types of arrays and of functions."""
    found = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Subscript):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if ast.unparse(node.value.value) in ("NDArray", "Callable"):
                found.append(ast.unparse(target))
    return found


def test_no_two_modules_define_the_same_type():
    files = [path for folder in ("lincore", "pages") for path in (ROOT / folder).rglob("*.py")]
    times = Counter(name for path in files for name in aliases(path))
    assert {"Array", "Codes", "Progress"} <= set(times)
    assert not [name for name, n in times.items() if n > 1]
