"""Pages arrange what displays say: they make no table, no figure, no number and no headline."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in [ROOT / "app.py", *sorted(ROOT.glob("pages/**/*.py"))]
}
#: Makes the texts of any table harmless, and tables editable.
TABLES = "pages/ui/widgets/tables.py"
#: Converts numbers into the unit in which they are typed.
UNITS = "pages/ui/widgets/displays.py"
#: Ask for a file by its name.
REQUESTS = {"pages/ui/frame/uploads.py", "pages/ui/predict/saved_model.py"}
#: Names the data.
NAMES = "pages/data.py"
#: Draws the figures of an example that is stored, before anything that computes is imported.
STORED = "pages/ui/start/finished_example.py"
#: Functions that write a share or another number.
FORMATS = {"round", "format", "percent", "percent_of", "points", "decimals", "number", "interval"}


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Yield every call on the pages, with its file and the name of what is called."""
    for path, tree in PAGES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield path, getattr(node.func, "attr", getattr(node.func, "id", "")), node


def test_tables_are_made_in_one_place():
    made = {path for path, name, _ in calls() if name in ("DataFrame", "pivot", "groupby")}
    assert made == {TABLES}


def test_no_page_writes_a_number():
    written = {
        (path, node.lineno)
        for path, tree in PAGES.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.FormattedValue) and node.format_spec is not None)
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and is_text(node.left))
    }
    assert not written
    formatted = {
        path
        for path, name, node in calls()
        if name in FORMATS and not isinstance(node.func, ast.Attribute)
    }
    assert formatted == {UNITS}


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_headlines_are_those_of_displays():
    written = {
        path
        for path, name, node in calls()
        if name in ("header", "subheader", "title")
        and any(
            isinstance(part, ast.JoinedStr)
            for argument in node.args[:1]
            for part in ast.walk(argument)
        )
    }
    assert written == REQUESTS | {NAMES}


def test_pages_import_nothing_that_computes():
    computing = ("lincore.plots", "lincore.metrics", "plotly", "numpy", "scipy", "sklearn")
    imported = {
        (path, f"{getattr(node, 'module', '')}.{alias.name}".removeprefix("."))
        for path, tree in PAGES.items()
        for node in tree.body  # not those for typing
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    found = {(path, name) for path, name in imported if name.startswith(computing)}
    assert {name for path, name in found if path != STORED} == {"lincore.plots.base.shorten_all"}
