"""Functions of many parameters take a settings object: the limit, and what is let off with why."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 6

#: Front door: what a user writes by keyword in one call.
FRONT_DOOR = {
    "lincore/data/generators.py gaussian_classes",
    "lincore/imbalance/class_size_sweep.py sweep",
    "lincore/imbalance/cost/estimate.py imbalance_cost",
    "lincore/imbalance/run_study.py balance",
    "lincore/inspection/solver_comparison.py compare_solvers",
    "lincore/inspection/plane_choice.py plane_of_kind",
    "lincore/inspection/plane_choice.py view_of_kind",
    "lincore/io/loading.py load",
    "lincore/model_selection/comparison.py compare",
    "lincore/model_selection/learning_curves.py learning_curve",
}
#: Widgets and jobs of the dashboard, which take options by keyword as Streamlit's widgets do.
WIDGETS = {
    "pages/ui/geometry/_player.py show",
    "pages/ui/jobs/executor.py Job.__init__",
    "pages/ui/jobs/page_jobs.py on_demand",
    "pages/ui/jobs/page_jobs.py run",
    "pages/ui/widgets/controls.py number",
    "pages/ui/widgets/selection.py show_rows",
}
#: Rows with what is known of them, or the terms of one formula: a record would be a bag of them.
FORMULAS = {
    "lincore/estimators/logistic/wald.py wald_errors",
    "lincore/metrics/intervals.py enlarged",
    "lincore/model_selection/fitting.py fit_preprocessor",
}
LET_OFF = FRONT_DOOR | WIDGETS | FORMULAS


def functions(node: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for child in ast.iter_child_nodes(node):
        inside = f"{owner}{child.name}." if isinstance(child, ast.ClassDef) else owner
        if isinstance(child, ast.FunctionDef):
            yield owner + child.name, child
        yield from functions(child, inside)


def n_parameters(function: ast.FunctionDef, path: str) -> int:
    """Count parameters: not `self`, nor the looks of a figure, which plots take by keyword."""
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    looks = path.startswith("lincore/plots/")
    return len(names) - (names[:1] in (["self"], ["cls"])) + (0 if looks else len(given.kwonlyargs))


def found() -> set[str]:
    many = set()
    for path in (ROOT / "app.py", *ROOT.glob("lincore/**/*.py"), *ROOT.glob("pages/**/*.py")):
        where = path.relative_to(ROOT).as_posix()
        for name, function in functions(ast.parse(path.read_text("utf-8"))):
            # scikit-learn asks estimators to take every option by its name.
            is_estimator = where.startswith("lincore/estimators/") and name.endswith(".__init__")
            if not is_estimator and n_parameters(function, where) > MOST:
                many.add(f"{where} {name}")
    return many


def test_functions_take_six_parameters_at_most():
    assert not sorted(found() - LET_OFF)


def test_what_is_let_off_needs_it():
    assert not sorted(LET_OFF - found())
