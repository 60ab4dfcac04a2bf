"""Packages are entered by their doors: what is outside the library uses public names alone.

A door of the library is a package with an `__init__.pyi`, or one of the modules in `OWN`; public is
what it exports. The dashboard is no library: there a module of `pages/ui` is a door if the script
of a page or another folder imports it, and public is what has no underscore.

Tests enter by the same doors. By its dotted name, as `monkeypatch.setattr` takes it, a test may
reach further for two things: a value, such as a limit that small data would never meet, and what a
module takes from another package, whose absence or answer it stands for.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Files beside the packages, which are doors themselves.
OWN = {"lincore.errors", "lincore.limits", "lincore.onnx"}
PACKAGES = sorted(
    ".".join(path.parent.relative_to(ROOT).parts)
    for path in ROOT.glob("lincore/*/**/__init__.py")
    if path.with_suffix(".pyi").exists()
)
#: What no test can send as a browser does: the answer of a component of our own.
KEPT = {
    "tests/app/geometry/test_geometry_page.py": [
        "pages.ui.geometry._board",
        *["pages.ui.geometry._board _points"] * 4,
    ]
}
TESTS = sorted((ROOT / "tests").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
OUTSIDE = [*PAGES, *TESTS]
OUTSIDE += [path for folder in ("benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")]
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in PAGES}
IMPORT = re.compile(r"^(?:>>> )? *(from lincore[\w.]* import .+|import lincore.*)$", re.MULTILINE)
DOTTED = re.compile(r"(?:lincore|pages\.ui)(?:\.\w+)+")


def imported(code: str) -> Iterator[tuple[str, str]]:
    """Yield each module that a script imports, with the name that it takes from there."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((node.module or "", name.name) for name in node.names)


def by_the_back(code: str) -> list[str]:
    """Return what a script imports from lincore other than public names of its packages."""
    found = []
    for module, name in imported(code):
        if module.partition(".")[0] != "lincore" or module in OWN:
            continue
        is_door = module in ("lincore", *PACKAGES)
        if not is_door or (name and not is_public(module, name)):
            found.append(f"{module} {name}".strip())
    return found


def is_public(module: str, name: str) -> bool:
    public = importlib.import_module(module).__all__
    return name in public or (module == "lincore" and f"lincore.{name}" in {*PACKAGES, *OWN})


def of_pages(code: str) -> Iterator[tuple[str, str]]:
    """Yield each module of the dashboard that a script imports, and the name from within it."""
    for module, name in imported(code):
        if module.startswith("pages"):
            whole = f"{module}.{name}"
            yield (whole, "") if whole in MODULES else (module, name)


def doors_of_pages() -> set[str]:
    """Return the modules of the dashboard that are imported from outside of their folders."""
    found = set()
    for path in PAGES:
        folder = ".".join(path.relative_to(ROOT).parent.parts)
        found |= {module for module, _ in of_pages(path.read_text("utf-8"))
                  if module.rpartition(".")[0] != folder}  # fmt: skip
    return found


def private_of_pages(code: str, doors: set[str]) -> list[str]:
    """Return what a script takes from the dashboard other than public names of its doors."""
    taken = list(of_pages(code))
    found = [f"{m} {name}".strip() for m, name in taken if m not in doors or name.startswith("_")]
    names = {module.rpartition(".")[2]: module for module, name in taken if not name}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner, name = node.value.id, node.attr
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", "") == "setattr"
            and isinstance(node.args[0], ast.Name)
            and isinstance(node.args[1], ast.Constant)
        ):
            owner, name = node.args[0].id, str(node.args[1].value)
        else:
            continue
        if owner in names and re.match("_[a-z]", name):
            found.append(f"{names[owner]} {name}")
    return found


def reached_by_name(code: str) -> Iterator[str]:
    """Yield the dotted names at which a script sets an attribute of a module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "setattr":
            first = node.args[0]
            if isinstance(first, ast.Constant) and DOTTED.fullmatch(str(first.value)):
                yield str(first.value)


def may_be_set(dotted: str) -> bool:
    """Tell whether a dotted name is of a door, of a constant, or of another package."""
    module, _, name = dotted.rpartition(".")
    if module in ("lincore", *PACKAGES):
        return is_public(module, name)
    found = getattr(importlib.import_module(module), name)
    home = getattr(found, "__module__", None) or getattr(found, "__name__", "")
    return re.fullmatch("[A-Z_]+", name) is not None or not home.startswith(("lincore", "pages"))


def test_packages_are_entered_by_their_doors_outside_the_library():
    texts = {path: path.read_text("utf-8") for path in OUTSIDE}
    for path in (ROOT / "README.md", *ROOT.glob("docs/*.md")):
        texts[path] = "\n".join(IMPORT.findall(path.read_text("utf-8")))
    found = {str(path.relative_to(ROOT)): by_the_back(text) for path, text in texts.items()}
    assert {path: imports for path, imports in found.items() if imports} == {}


def test_tests_enter_the_dashboard_by_its_doors():
    doors = doors_of_pages()
    found = {
        path.relative_to(ROOT).as_posix(): private_of_pages(path.read_text("utf-8"), doors)
        for path in TESTS
    }
    assert {path: names for path, names in found.items() if names} == KEPT


def test_by_its_name_only_values_and_other_packages_are_replaced():
    names = {name for path in TESTS for name in reached_by_name(path.read_text("utf-8"))}
    assert len(names) > 20
    assert [name for name in sorted(names) if not may_be_set(name)] == []


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


def test_the_back_door_of_the_dashboard_is_seen():
    for code in (
        "from pages.ui.data import _filters",
        "from pages.ui.balance.computation import SMALL",
        "from pages.ui.session import state\nstate._kept",
        "from pages.ui.session import state\npatch.setattr(state, '_kept', 1)",
        "from pages.ui.session.state import _kept",
    ):
        assert private_of_pages(code, {"pages.ui.session.state"})
    assert not private_of_pages("from pages.ui.session import state", {"pages.ui.session.state"})


def test_what_is_replaced_by_its_name_is_seen():
    (name,) = reached_by_name('patch.setattr("lincore.metrics.scores.few_rows", None)')
    assert not may_be_set(name)
    assert may_be_set("lincore.metrics.intervals.FEWEST_ROWS")
    assert may_be_set("lincore.estimators.logistic.separation.linprog")
    assert may_be_set("lincore.io.read_table")


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
