"""The map in CONTRIBUTING.md: the tree of folders, as they lie on the disk."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MAP = re.search(r"## Where things are\n.*?```\n(.*?)```", TEXT, flags=re.DOTALL)[1]


def entries() -> set[str]:
    """Return the folders of the map."""
    found, above = set(), []
    for line in MAP.splitlines():
        indent, name = re.match(r"( *)(\S+)/ ", line).groups()
        above = [*above[: len(indent) // 2], name]
        found.add("/".join(above))
    return found


def test_the_map_names_the_folders_that_there_are():
    # The folders below tests/lincore and tests/app are those of what is tested: test_layers.py.
    drawn = {
        path.parent
        for top in ("lincore", "pages", "benchmarks", "docs")
        for path in (ROOT / top).rglob("*.py")
    } | {path.parent for path in (ROOT / "tests").glob("*/*.py")}
    parents = {above for folder in drawn for above in (folder, *folder.parents)}
    there = {folder.relative_to(ROOT).as_posix() for folder in parents if ROOT in folder.parents}
    assert entries() == there
