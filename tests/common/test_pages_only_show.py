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
#: Draws the figures of an example that is stored, before anything that computes is imported.
STORED = "pages/ui/start/finished_example.py"
#: Writes a figure as a dictionary once, and not in every run.
SENT = "pages/ui/widgets/controls.py"
#: Say what a visitor can do here, or what became of a file or of work: no result.
INSTRUCTIONS = {
    "pages/ui/widgets/cost_table.py",
    "pages/ui/classify/geometry.py",
    "pages/ui/data/_bulk_edits.py",
    "pages/ui/data/findings.py",
    "pages/ui/explore/columns.py",
    "pages/ui/frame/share.py",
    "pages/ui/frame/sidebar.py",
    "pages/ui/frame/uploads.py",
    "pages/ui/jobs/page_jobs.py",
    "pages/ui/predict/new_rows.py",
}
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
    assert not {
        (path, node.lineno)
        for path, name, node in calls()
        if name in ("header", "subheader", "title") and list(texts_of_values(node))
    }


def test_sentences_with_values_are_those_of_displays():
    written = {
        path
        for path, name, node in calls()
        if name in ("markdown", "caption", "write", "info", "success", "warning", "error", "toast")
        and any(is_sentence(found) for found in texts_of_values(node))
    }
    assert written == INSTRUCTIONS


def texts_of_values(node: ast.Call) -> Iterator[ast.JoinedStr]:
    """Yield the texts with values that a call is given."""
    for argument in node.args:
        yield from (part for part in ast.walk(argument) if isinstance(part, ast.JoinedStr))


def is_sentence(node: ast.JoinedStr) -> bool:
    """Return whether a text has a word and a full stop beside its values."""
    written = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    return "." in written and any(map(str.isalpha, written))


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
    shown = {name for path, name in found if path not in (STORED, SENT)}
    assert shown == {"lincore.plots.base.shorten_all"}
