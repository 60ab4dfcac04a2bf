"""Inner modules: what one file alone uses is underscored, and underscored files stay inside."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tests.common.test_layers import ROOT, imports, sources, target

#: What touches private parts of Streamlit, for all that need any.
SHARED = {"pages/ui/server/_compat.py"}


def folder(path: str) -> str:
    return path.rpartition("/")[0]


def is_inner(path: str) -> bool:
    return path.rpartition("/")[2].startswith("_") and not path.endswith("__init__.py")


def importers(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return of every file which others import it."""
    found: dict[str, set[str]] = {path: set() for path in files}
    for path, source in files.items():
        others = {target(one.name, files) for one in imports(path, source)} - {None, path}
        for other in others:
            found[other].add(path)
    return found


def exported(doors: Mapping[str, str]) -> set[str]:
    """Return the files whose names a package exports, read from its `__init__.pyi`."""
    return {
        f"{folder(door)}/{node.module.replace('.', '/')}.py"
        for door, source in doors.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
    }


def plain(files: Mapping[str, str], doors: Mapping[str, str]) -> list[str]:
    """Return the files that one other of their folder alone imports, with plain names."""
    public = exported(doors)
    return [
        path
        for path, users in importers(files).items()
        if [folder(user) for user in users] == [folder(path)]
        and path not in public
        and not is_inner(path)
        and not path.endswith("__init__.py")
    ]


def test_what_one_file_alone_uses_is_underscored():
    doors = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in ROOT.glob("lincore/**/__init__.pyi")
    }
    assert not plain(sources(ROOT), doors)


def test_underscored_files_are_used_in_their_folder_alone():
    found = {
        path: [user for user in users if folder(user) != folder(path)]
        for path, users in importers(sources(ROOT)).items()
        if is_inner(path) and path not in SHARED
    }
    assert {path: users for path, users in found.items() if users} == {}


@pytest.mark.parametrize(
    ("others", "doors", "is_found"),
    [
        ({"a/c.py": "from a import b"}, {}, True),
        ({"a/c.py": "def f():\n    from a.b import g"}, {}, True),
        ({"a/c.py": "from a import b", "a/d.py": "import a.b"}, {}, False),
        ({"a/c.py": "from a import b", "d/e.py": "import a.b"}, {}, False),
        ({"a/c.py": "from a import b"}, {"a/__init__.pyi": "from .b import f as f"}, False),
        ({"d/e.py": "from a import b"}, {}, False),
        ({}, {}, False),
    ],
)
def test_a_planted_module_is_caught(others, doors, is_found):
    files = {"a/__init__.py": "", "a/b.py": "", **others}
    assert plain(files, doors) == (["a/b.py"] if is_found else [])
