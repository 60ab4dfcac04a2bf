"""Who may import whom: the layers of lincore, read from the source and enforced."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Layer(NamedTuple):
    """Modules, and what they may import besides the standard library and each other.

    A package in `modules` stands for everything inside it that no other layer names.
    """

    modules: str
    layers: str = ""
    outside: str = ""
    for_typing: str = ""


LAYERS = {
    "front": Layer(
        "lincore", for_typing="numbers estimators data samples experiments results plots report"
    ),
    "numbers": Layer(
        "lincore.blocks lincore.merging lincore.moments lincore.covariance lincore.canonical "
        "lincore.optimize lincore.gaussian lincore.cholesky lincore.eigenpairs lincore.quadric "
        "lincore.solvers lincore.separation lincore.threads lincore.heard lincore.margins "
        "lincore.native lincore.whole_numbers lincore.small_groups lincore.products",
        outside="numpy scipy threadpoolctl",
    ),
    "estimators": Layer(
        "lincore.validation lincore.quadrature lincore.bayes_error lincore.geometry "
        "lincore.quadratic lincore.linear lincore.standardize lincore.discriminant lincore.fisher "
        "lincore.least_squares lincore.perceptron lincore.naive_bayes lincore.logistic "
        "lincore.multiclass lincore.basis lincore.pca lincore.bayes lincore.moment_classifier "
        "lincore.fisher_criterion lincore.thresholds lincore.mistake_driven lincore.multinomial "
        "lincore.logistic_stack lincore.moment_stack lincore.class_weights lincore.categorical",
        layers="numbers",
        outside="numpy scipy sklearn",
    ),
    # What nothing imports: the user does, who has skl2onnx.
    "onnx": Layer("lincore.onnx", layers="estimators", outside="numpy skl2onnx"),
    "data": Layer(
        "lincore.errors lincore.splits lincore.datasets lincore.loading lincore.tables "
        "lincore.images lincore.gaussian_classes lincore.files",
        # What a file holds beyond the rows that are kept is their moments.
        layers="texts numbers",
        outside="numpy scipy.sparse pandas PIL pyarrow charset_normalizer",
    ),
    # Counting words is scikit-learn's; nothing else of it belongs to the data.
    "texts": Layer(
        "lincore.files.text_columns",
        layers="data",
        outside="numpy scipy.sparse sklearn.feature_extraction",
    ),
    "samples": Layer(
        "lincore.samples lincore.faces lincore.passengers",
        layers="data",
        outside="numpy sklearn.datasets",
    ),
    "experiments": Layer(
        "lincore.experiments",
        layers="numbers estimators data results",
        outside="numpy scipy pandas sklearn",
    ),
    # What is read from finished experiments: no fitting, so plots and words may use it.
    "results": Layer(
        "lincore.experiments.results lincore.experiments.scores lincore.experiments.views "
        "lincore.experiments.planes lincore.experiments.beliefs lincore.experiments.projections "
        "lincore.experiments.slices lincore.experiments.cuts lincore.experiments.units "
        "lincore.experiments.attribution lincore.experiments.remedies lincore.experiments.study "
        "lincore.experiments.balance_study "
        "lincore.experiments.row_variance lincore.experiments.seed_intervals "
        "lincore.experiments.size_curves lincore.experiments.priors "
        "lincore.experiments.bootstrap lincore.experiments.curves lincore.experiments.differences "
        "lincore.experiments.disagreement lincore.experiments.ranking "
        "lincore.experiments.estimates lincore.experiments.evidence lincore.experiments.intervals "
        "lincore.experiments.measures lincore.experiments.ranks lincore.experiments.verdicts "
        "lincore.experiments.class_ratio lincore.experiments.training_variance "
        "lincore.experiments.imbalance_record "
        "lincore.experiments.association lincore.experiments.correlation "
        "lincore.experiments.univariate lincore.experiments.word_counts "
        "lincore.experiments.coefficients",
        layers="numbers estimators data experiments",
        outside="numpy scipy pandas sklearn",
    ),
    "scale": Layer("lincore.distributed", layers="numbers", outside="numpy dask"),
    "plots": Layer(
        "lincore.plots", layers="results", outside="numpy plotly", for_typing="estimators data"
    ),
    "report": Layer(
        "lincore.report",
        layers="results plots",
        outside="numpy plotly jinja2",
        for_typing="numbers estimators data",
    ),
}

PATTERNS = {module: name for name, layer in LAYERS.items() for module in layer.modules.split()}
# Whose imports inside functions spare a page 0.3 s of pandas, or are of what no script needs.
LATE = {
    "lincore.files.labels",
    "pages.ui.patches",
    "pages.ui.serving",
    "pages.ui.turns",
    "pages.ui.warm",
}
# A name computed at run time hides from this test; the front door alone needs that.
STANDARD = sys.stdlib_module_names - {"importlib"}


class Import(NamedTuple):
    """One name that a module imports, and whether type checkers alone see it."""

    name: str
    line: int
    for_typing: bool


def modules(root: Path, package: str) -> dict[str, Path]:
    """Return the dotted name and the file of every module under a folder."""
    found = {}
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(source: str, module: str, is_package: bool = False) -> Iterator[Import]:
    """Yield every import of a module, those inside functions included."""
    tree = ast.parse(source)
    typed = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for statement in block.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, module, is_package)
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            yield Import(name, node.lineno, id(node) in typed)


def violations(sources: dict[str, Path]) -> list[str]:
    """Return what breaks the table, as lines that say where."""
    broken = []
    for module, path in sources.items():
        layer = layer_of(module)
        if layer is None:
            broken.append(f"{module} is in no layer: add it to LAYERS and to the design")
            continue
        broken += [
            f"{module}:{found.line} ({layer}) imports {found.name}"
            for found in imports(path.read_text(), module, path.name == "__init__.py")
            if not allowed(found, layer)
        ]
    return broken


def circles(sources: dict[str, Path]) -> list[set[str]]:
    """Return the sets of modules that import each other, by imports of any kind.

    A package that names what it exports in a table and finds it when it is asked imports nothing.
    """
    wanted: dict[str, set[str]] = {}
    for module, path in sources.items():
        source, is_package = path.read_text(), path.name == "__init__.py"
        names = [] if "__getattr__" in source else imports(source, module, is_package)
        found = {found.name for found in names}
        found = {name if name in sources else name.rpartition(".")[0] for name in found}
        wanted[module] = (found & set(sources)) - {module}
    reached = {module: _reached(module, wanted) for module in sources}
    around = {frozenset(o for o in reached[m] if m in reached[o]) for m in sources}
    return [set(one) for one in around if one]


def _reached(module: str, wanted: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [module]
    while waiting:
        new = wanted[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def layer_of(name: str) -> str | None:
    """Return the layer of a module, or of the module that an imported name belongs to."""
    known = [pattern for pattern in PATTERNS if within(name, pattern) and pattern != "lincore"]
    if known:
        return PATTERNS[max(known, key=len)]
    return "front" if name == "lincore" else None


def allowed(found: Import, layer: str) -> bool:
    """Whether a module of this layer may have this import."""
    rule = LAYERS[layer]
    if found.name.split(".")[0] == "lincore":
        target = layer_of(found.name)
        permitted = [layer, *rule.layers.split()]
        return target in (permitted + rule.for_typing.split() if found.for_typing else permitted)
    if found.name.split(".")[0] == "importlib":
        return layer == "front"
    return any(within(found.name, root) for root in [*STANDARD, *rule.outside.split()])


def within(name: str, root: str) -> bool:
    """Whether a dotted name is `root` or lies inside it."""
    return f"{name}.".startswith(f"{root}.")


def _absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parents = module.split(".")[: None if is_package and node.level == 1 else -node.level]
    return ".".join([*parents, *filter(None, [node.module])])


def test_lincore_keeps_its_layers() -> None:
    assert violations(modules(ROOT, "lincore")) == []


def test_no_modules_import_each_other() -> None:
    assert circles(modules(ROOT, "lincore") | modules(ROOT, "pages")) == []


@pytest.mark.parametrize(
    "last",
    [
        "from lincore import first",
        "def late():\n    from lincore.first import something",
        "if TYPE_CHECKING:\n    import lincore.first",
    ],
)
def test_a_planted_circle_is_found(tmp_path: Path, last: str) -> None:
    package = tmp_path / "lincore"
    package.mkdir()
    sources = {"first": "from lincore import second", "second": "import lincore.third"}
    for name, source in (sources | {"third": last, "outside": "import lincore.first"}).items():
        (package / f"{name}.py").write_text(source)
    expected = {"lincore.first", "lincore.second", "lincore.third"}
    assert circles(modules(tmp_path, "lincore")) == [expected]
    (package / "third.py").write_text("")
    assert circles(modules(tmp_path, "lincore")) == []


def late_imports(source: str) -> list[int]:
    """Return the lines of the imports that stand inside functions."""
    return sorted(
        node.lineno
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def test_imports_stand_at_the_top() -> None:
    late = {
        name
        for name, path in (modules(ROOT, "lincore") | modules(ROOT, "pages")).items()
        if path.name != "__init__.py" and late_imports(path.read_text())
    }
    assert late <= LATE


def test_nothing_imports_a_page() -> None:
    pages = {name for name in modules(ROOT, "pages") if name.count(".") == 1} - {"pages.ui"}
    sources = {
        name: path
        for folder in ("lincore", "pages", "benchmarks", "tests")
        for name, path in modules(ROOT, folder).items()
    }
    broken = [
        f"{name}:{found.line} imports {found.name}"
        for name, path in sources.items()
        for found in imports(path.read_text(), name)
        if any(within(found.name, page) for page in {*pages, "app"})
        or (name.startswith("lincore") and within(found.name, "pages"))
    ]
    assert broken == []


def test_pages_are_short() -> None:
    lengths = {page.name: len(page.read_text().splitlines()) for page in ROOT.glob("pages/*.py")}
    assert {name: length for name, length in lengths.items() if length >= 120} == {}


@pytest.mark.parametrize(
    ("module", "line", "breaks"),
    [
        ("moments", "import numpy as np", False),
        ("moments", "import sklearn", True),
        ("moments", "from lincore.pca import PCA", True),
        ("moments", "from lincore import pca", True),
        ("pca", "from lincore.moments import Moments", False),
        ("pca", "def fit():\n    import streamlit", True),
        ("pca", "import plotly.graph_objects as go", True),
        ("pca", "from importlib import import_module", True),
        ("pca", "from .datasets import Dataset", True),
        ("tables", "import sklearn.datasets", True),
        ("samples", "from sklearn import datasets", False),
        ("samples", "from sklearn.linear_model import LogisticRegression", True),
        ("images", "import numpy_financial", True),
        ("experiments.holdout", "from lincore.errors import DataError", False),
        ("experiments.holdout", "from lincore import plots", True),
        ("plots.scree", "import plotly.graph_objects as go", False),
        ("plots.scree", "from lincore.experiments.results import Results", False),
        ("plots.scree", "from lincore.experiments.holdout import holdout", True),
        ("plots.scree", "from lincore.pca import PCA", True),
        ("plots.scree", "if TYPE_CHECKING:\n    from lincore.pca import PCA", False),
        ("plots.scree", "if TYPE_CHECKING:\n    import streamlit", True),
        ("plots.scree", "from pages.ui import state", True),
        ("surprise", "", True),
    ],
)
def test_a_planted_import_is_caught(tmp_path: Path, module: str, line: str, breaks: bool) -> None:
    path = tmp_path / "lincore" / f"{module.replace('.', '/')}.py"
    path.parent.mkdir(parents=True)
    path.write_text(line)
    assert bool(violations(modules(tmp_path, "lincore"))) is breaks


def test_no_module_is_in_two_layers() -> None:
    named = [module for layer in LAYERS.values() for module in layer.modules.split()]
    assert len(named) == len(set(named))
