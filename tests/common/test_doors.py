"""Packages are entered by their doors: what is outside the library uses public names alone."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Files beside the packages, which are doors themselves.
OWN = {"lincore.errors", "lincore.fields", "lincore.limits", "lincore.onnx"}
PACKAGES = sorted(
    ".".join(path.parent.relative_to(ROOT).parts)
    for path in ROOT.glob("lincore/*/**/__init__.py")
    if path.with_suffix(".pyi").exists()
)
OUTSIDE = [
    ROOT / "app.py",
    *(path for folder in ("pages", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")),
]
IMPORT = re.compile(r"^(?:>>> )? *(from lincore[\w.]* import .+|import lincore.*)$", re.MULTILINE)


def by_the_back(code: str) -> list[str]:
    """Return what a script imports from lincore other than public names of its packages."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            modules = [(name.name, "") for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules = [(node.module or "", name.name) for name in node.names]
        else:
            continue
        for module, name in modules:
            if module.partition(".")[0] != "lincore" or module in OWN:
                continue
            is_door = module in ("lincore", *PACKAGES)
            if not is_door or (name and not is_public(module, name)):
                found.append(f"{module} {name}".strip())
    return found


def is_public(module: str, name: str) -> bool:
    public = importlib.import_module(module).__all__
    return name in public or (module == "lincore" and f"lincore.{name}" in {*PACKAGES, *OWN})


def test_packages_are_entered_by_their_doors_outside_the_library():
    texts = {path: path.read_text("utf-8") for path in OUTSIDE}
    for path in (ROOT / "README.md", *ROOT.glob("docs/*.md")):
        texts[path] = "\n".join(IMPORT.findall(path.read_text("utf-8")))
    found = {str(path.relative_to(ROOT)): by_the_back(text) for path, text in texts.items()}
    assert {path: imports for path, imports in found.items() if imports} == {}


def test_every_public_name_exists():
    for module in ("lincore", *PACKAGES):
        package = importlib.import_module(module)
        assert all(hasattr(package, name) for name in package.__all__), module


def test_the_back_door_is_seen():
    for code in (
        "from lincore.metrics.scores import SCORES",
        "from lincore.metrics import scores",
        "import lincore.metrics.scores",
        "def f():\n    from lincore.plots.base import style",
        "from lincore import nothing_of_this_name",
    ):
        assert by_the_back(code)
    assert not by_the_back("import lincore\nfrom lincore import metrics\nimport numpy")


def test_every_exported_function_and_class_has_a_docstring():
    # numpydoc's format is checked by ruff (D); a docstring is required only here.
    missing = [
        f"{module}.{name}"
        for module in ("lincore", *PACKAGES)
        for name in importlib.import_module(module).__all__
        if lacks_docstring(getattr(importlib.import_module(module), name))
    ]
    assert missing == []


def lacks_docstring(exported: object) -> bool:
    # `__doc__` and not inspect.getdoc, which also finds docstrings of base classes.
    described = inspect.isfunction(exported) or inspect.isclass(exported)
    return described and not exported.__doc__


def test_a_missing_docstring_is_found():
    def bare() -> None:
        pass

    class Derived(Path):
        pass

    assert lacks_docstring(bare) and lacks_docstring(Derived)
    assert not lacks_docstring(Path) and not lacks_docstring(3)
