"""Pages of the reference, one for each package, from the names that it exports."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def packages() -> list[str]:
    """Return the packages that export names, lincore itself first."""
    found = [path.parent for path in (ROOT / "lincore").rglob("__init__.pyi")]
    names = (".".join(folder.relative_to(ROOT).parts) for folder in found)
    return sorted(names, key=lambda name: (name != "lincore", name))


def write_api_pages(folder: Path) -> None:
    """Write a page for each package, and the page that lists them; files that are as before stay.

    Parameters
    ----------
    folder : Path
    """
    folder.mkdir(exist_ok=True)
    pages, homes = {}, {}
    for package in packages():
        pages[package] = _page(package, homes)
    lines = ["# Reference", "", "Every public name, by the package that exports it.", ""]
    lines += ["```{toctree}", ":maxdepth: 1", "", *pages, "```", ""]
    for name, text in {**pages, "index": "\n".join(lines)}.items():
        path = folder / f"{name}.{'md' if name == 'index' else 'rst'}"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    for path in folder.iterdir():
        if path.stem not in {*pages, "index"}:
            path.unlink()


def _page(package: str, homes: dict[int, str]) -> str:
    """Return the page of a package; names that another page has are links to it."""
    module = importlib.import_module(package)
    lines = [package, "=" * len(package), "", *inspect.getdoc(module).splitlines()[:1], ""]
    lines += [f".. py:module:: {package}", ""]
    for name in sorted(module.__all__, key=str.lower):
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            continue
        if id(thing) in homes and callable(thing):
            lines += [f"* `{name}`: :py:obj:`{homes[id(thing)]}`", ""]
            continue
        homes[id(thing)] = f"{package}.{name}"
        if inspect.isclass(thing):
            lines += [f".. autoclass:: {package}.{name}", "   :members:", ""]
        elif inspect.isroutine(thing):
            lines += [f".. autofunction:: {package}.{name}", ""]
        else:
            words = comment_of(package, name)
            lines += [f".. py:data:: {package}.{name}", "", *(f"   {line}" for line in words), ""]
    return "\n".join(lines)


def comment_of(package: str, name: str) -> list[str]:
    """Return the lines of the comment with a colon above a constant."""
    stub = ast.parse((ROOT / package.replace(".", "/") / "__init__.pyi").read_text("utf-8"))
    (module,) = (
        f"{package}.{node.module}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}
    )
    # Sphinx's ModuleAnalyzer cannot parse every annotation.
    source = Path(importlib.import_module(module).__file__).read_text("utf-8")
    comment = re.search(rf"^((?:#:.*\n)*){name} *[:=]", source, re.MULTILINE)
    lines = comment[1].splitlines() if comment else []
    return [line.removeprefix("#:").strip() for line in lines]
