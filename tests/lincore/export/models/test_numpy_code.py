"""Python code, run, against the pipeline."""

from __future__ import annotations

import ast

import pytest

from lincore.export import to_numpy
from tests.lincore.export.models.cases import CASES, Case, check


def names_of(case):
    names = {}
    exec(compile(to_numpy(case.functions), "model.py", "exec"), names)
    return names


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_code_predicts_as_the_pipeline(case):
    names = names_of(case)
    ask = names["predict_proba" if case.functions.has_probabilities else "decision_scores"]
    check(case, ask(case.rows), names["predict"](case.rows))


def test_a_mapping_of_lists_serves_as_a_table():
    case = Case("passengers", "lda")
    table = {name: case.rows[name].astype(object).tolist() for name in case.rows}
    table["age"] = ["" if age != age else str(age) for age in table["age"]]
    names = names_of(case)
    check(case, names["predict_proba"](table), names["predict"](table))


def test_a_plain_linear_model_is_about_ten_lines_of_code():
    code = to_numpy(Case("iris", "lda").functions)
    functions = [node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    assert sum(node.end_lineno - node.lineno + 1 for node in functions) <= 12
    assert max(map(len, code.splitlines())) <= 100


def test_the_code_imports_numpy_alone():
    for case in CASES:
        found = ast.walk(ast.parse(to_numpy(case.functions)))
        imports = [node for node in found if isinstance(node, ast.Import | ast.ImportFrom)]
        assert [ast.unparse(node) for node in imports] == ["import numpy as np"]
