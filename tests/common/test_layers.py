"""The order of the folders: imports read from the source and enforced."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).parents[2]

#: A line may import the lines above it. Imports for typing and in functions count like all others.
LAYERS = [
    "lincore/errors.py",
    "lincore/limits.py",
    "lincore/utils",
    "lincore/fields",
    "lincore/moments",
    "lincore/linalg",
    "lincore/data",
    "lincore/preprocessing",
    "lincore/estimators/base",
    "lincore/estimators/logistic",
    "lincore/estimators",
    "lincore/io/files",
    "lincore/io/images",
    "lincore/io/tables/text",
    "lincore/io/tables/formats",
    "lincore/io/tables",
    "lincore/io/tables/streamed",
    "lincore/io",
    "lincore/metrics",
    "lincore/metrics/chance",
    "lincore/metrics/curves",
    "lincore/model_selection",
    "lincore/inspection",
    "lincore/geometry",
    "lincore/checks",
    "lincore/imbalance",
    "lincore/imbalance/cost",
    "lincore/plots/base",
    "lincore/plots/plane",
    "lincore/plots/data",
    "lincore/plots/scores",
    "lincore/plots/model",
    "lincore/plots/geometry",
    "lincore/plots",
    "lincore/report",
    "lincore/laboratory",
    "lincore/prediction",
    "lincore/export/models",
    "lincore/displays/base.py",
    "lincore/displays/comparison",
    "lincore/displays/data",
    "lincore/displays/model",
    "lincore/displays/imbalance",
    "lincore/displays",
    "lincore/analysis",
    "lincore/export/documents",
    "lincore/export/scripts",
    "lincore/export",
    "lincore",
    "lincore/cli",
    "lincore/__main__.py",
    "pages/ui",
    "pages/ui/server",
    "pages/ui/widgets",
    "pages/ui/jobs",
    "pages/ui/session",
    "pages/ui/frame",
    "pages/ui/start",
    "pages/ui/data",
    "pages/ui/explore",
    "pages/ui/geometry",
    "pages/ui/classify",
    "pages/ui/compare",
    "pages/ui/balance",
    "pages/ui/predict",
    "pages",
    "app.py",
]

#: Folders of one page each: none imports another one.
PAGES = set(LAYERS[LAYERS.index("pages/ui/frame") + 1 : LAYERS.index("pages")])

#: Packages of others, and the only places that may import them.
ONLY_IN = {
    "streamlit": ("pages", "app.py"),
    "skl2onnx": ("lincore/onnx.py",),
    "plotly": (
        "lincore/plots",
        "lincore/report",
        "lincore/laboratory",
        "lincore/displays",
        "lincore/export/documents",
        "pages",
    ),
    "importlib": (
        "lincore/__init__.py",
        "pages/ui/server",
    ),  # a computed name hides from these tests
}

#: Whose imports inside functions spare every page 0.4 s of pandas or 0.7 s of skops, or are of an
#: extra.
LATE = {
    "app.py",  # the heading is drawn before the heavy imports
    "lincore/data/executors.py",  # Dask is an extra
    "lincore/estimators/linear_discriminant.py",  # robust covariances, and all that they import
    "lincore/export/models/model_file.py",  # skops imports all of scikit-learn
    "lincore/io/tables/streamed/dask_rows.py",
    "lincore/model_selection/methods.py",  # ensembles of trees, only fitted as yardsticks
    "lincore/utils/workers.py",  # scikit-learn
    "pages/start.py",  # its headline is drawn before the heavy imports
    "pages/ui/data/connections.py",  # SQLAlchemy is an extra
}

MOST_FILES = 20


class Import(NamedTuple):
    """One import: the file it stands in, its line, and the dotted name."""

    path: str
    line: int
    name: str


def sources(root: Path) -> dict[str, str]:
    """Return the text of every file of the library and the dashboard."""
    paths = [*root.glob("lincore/**/*.py"), *root.glob("pages/**/*.py"), *root.glob("app.py")]
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(paths)}


@cache
def imports(path: str, source: str) -> list[Import]:
    """Return every import of a file, those inside functions and for typing included."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [Import(path, node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno} is a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [Import(path, node.lineno, name) for name in names]
    return found


def target(name: str, files: Mapping[str, str]) -> str | None:
    """Return the file that an imported name leads to, None where it is of others."""
    while name:
        path = name.replace(".", "/")
        for found in (f"{path}.py", f"{path}/__init__.py"):
            if found in files:
                return found
        name = name.rpartition(".")[0]
    return None


def layer_of(path: str) -> str:
    """Return the line of the list that a file belongs to."""
    return path if path in LAYERS else path.rpartition("/")[0]


def violations(files: Mapping[str, str]) -> list[str]:
    """Return what breaks the order, as lines that say where."""
    broken = [f"{path} is in no layer" for path in files if layer_of(path) not in LAYERS]
    order = {layer: place for place, layer in enumerate(LAYERS)}
    for path, source in files.items():
        own = layer_of(path)
        for found in imports(path, source):
            other = target(found.name, files)
            if other is None:
                package = found.name.partition(".")[0]
                allowed = ONLY_IN.get(package, (path,))
                if not any(path == place or path.startswith(f"{place}/") for place in allowed):
                    broken.append(f"{path}:{found.line} imports {package}")
            elif order.get(own, 0) < order.get(layer_of(other), 0) or (
                own != layer_of(other) and {own, layer_of(other)} <= PAGES
            ):
                broken.append(f"{path}:{found.line} imports {other}")
    return broken


def circles(files: Mapping[str, str]) -> list[list[str]]:
    """Return every set of files that import each other, directly or by way of others."""
    names = list(files)
    edges = np.zeros((len(names), len(names)), dtype=bool)
    for i, (path, source) in enumerate(files.items()):
        for found in imports(path, source):
            other = target(found.name, files)
            if other is not None and other != path:
                edges[i, names.index(other)] = True
    count, labels = connected_components(csr_array(edges), connection="strong")
    groups = [np.flatnonzero(labels == label) for label in range(count)]
    return [[names[i] for i in group] for group in groups if len(group) > 1]


def test_folders_import_only_those_above_them():
    assert violations(sources(ROOT)) == []


def test_no_files_import_each_other():
    assert circles(sources(ROOT)) == []


def test_every_layer_is_there():
    assert [layer for layer in LAYERS if not (ROOT / layer).exists()] == []
    assert len(LAYERS) == len(set(LAYERS))


def test_no_folder_has_more_than_twenty_files():
    folders = {ROOT / path for path in sources(ROOT) for path in [path.rpartition("/")[0]]}
    counts = {
        folder.relative_to(ROOT).as_posix(): sum(path.is_file() for path in folder.iterdir())
        for folder in folders - {ROOT}
    }
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


@pytest.mark.parametrize(
    ("tests", "tested"), [("tests/lincore", "lincore"), ("tests/app", "pages/ui")]
)
def test_tests_lie_in_the_folders_of_what_they_test(tests, tested):
    folders = {path.parent.relative_to(ROOT / tests) for path in (ROOT / tests).rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (ROOT / tested / folder).is_dir()] == []


def late_imports(source: str) -> list[int]:
    """Return the lines of the imports that stand inside functions."""
    return [
        node.lineno
        for top in ast.parse(source).body
        if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(top)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def test_imports_stand_at_the_top():
    late = {path for path, source in sources(ROOT).items() if late_imports(source)}
    assert late == LATE


def test_nothing_else_imports_a_page():
    scripts = {path.stem for path in ROOT.glob("pages/*.py")}
    others = [
        path for folder in ("tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")
    ]
    found = [
        f"{path}:{found.line}"
        for path in others
        for found in imports(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
        if found.name.split(".")[0] == "app"
        or (found.name.split(".")[0] == "pages" and found.name.split(".")[1] in scripts)
    ]
    assert found == []


def test_pages_are_short():
    lengths = {page.name: len(page.read_text().splitlines()) for page in ROOT.glob("pages/*.py")}
    assert {name: length for name, length in lengths.items() if length >= 120} == {}


PLANTED = [
    ("lincore/moments/a.py", "import numpy as np", False),
    ("lincore/moments/a.py", "from lincore.errors import DataError", False),
    ("lincore/moments/a.py", "from lincore.data import b", True),
    ("lincore/moments/a.py", "def fit():\n    from lincore.data.b import c", True),
    ("lincore/moments/a.py", "if TYPE_CHECKING:\n    import lincore.data.b", True),
    ("lincore/moments/a.py", "import streamlit", True),
    ("lincore/moments/a.py", "import plotly.graph_objects as go", True),
    ("lincore/moments/a.py", "from importlib import import_module", True),
    ("lincore/moments/a.py", "from pages.ui.data import b", True),
    ("lincore/plots/data/a.py", "import plotly.graph_objects as go", False),
    ("lincore/surprise/a.py", "", True),
    ("pages/ui/classify/a.py", "import streamlit as st", False),
    ("pages/ui/classify/a.py", "from pages.ui.data import b", True),
    ("pages/ui/session/a.py", "from pages.ui.data import b", True),
    ("pages/compare.py", "from pages.ui.data import b", False),
]


def test_planted_imports_are_caught():
    others = dict.fromkeys(
        (
            "lincore/errors.py",
            "lincore/data/b.py",
            "pages/ui/data/b.py",
            "lincore/data/__init__.py",
        ),
        "",
    )
    for path, source, breaks in PLANTED:
        assert bool(violations({**others, path: source})) is breaks, (path, source)


def test_a_planted_circle_is_caught():
    files = {
        "lincore/a.py": "def f():\n    from lincore import b",
        "lincore/b.py": "if TYPE_CHECKING:\n    from lincore.c import C",
        "lincore/c.py": "import lincore.a",
        "lincore/d.py": "import lincore.a",
    }
    assert circles(files) == [["lincore/a.py", "lincore/b.py", "lincore/c.py"]]
    assert circles({**files, "lincore/c.py": ""}) == []


def test_class_names_are_unique():
    places: dict[str, list[str]] = {}
    for path, source in sources(ROOT).items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{path}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
