"""An analysis as a Python script and as a notebook that print every number of its page."""

from __future__ import annotations

import ast
import json
import platform
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
import sklearn

from lincore.analysis.balance_questions import BalanceCostQuestion, BalanceStudyQuestion
from lincore.analysis.predict_question import PredictQuestion
from lincore.analysis.questions import (
    ClassifyQuestion,
    CompareQuestion,
    ExploreQuestion,
    GeometryQuestion,
    Question,
)
from lincore.analysis.specification import Analysis
from lincore.displays import Display
from lincore.export.scripts._code import Block
from lincore.export.scripts._data import data_block
from lincore.export.scripts._questions import (
    classify_blocks,
    compare_blocks,
    cost_blocks,
    explore_blocks,
    predict_blocks,
    study_blocks,
    view_calls,
)

_PAGES = {
    "data": "the data",
    "explore": "columns and projections",
    "geometry": "an experiment of the laboratory",
    "classify": "one model",
    "predict": "predictions of one model",
    "compare": "several models, compared",
    "balance-cost": "the cost of an imbalance",
    "balance-study": "a smaller class, and the loss that it causes",
}
# Results of each question, from which displays are called.
_RESULTS = {
    "explore": ("projection",),
    "classify": ("model",),
    "predict": ("predictions",),
    "compare": ("results", "curve", "fits", "variation"),
    "balance-cost": ("cost",),
    "balance-study": ("study", "first", "sweep"),
}
# Displays on the page Data and in each report.
_DATA_CALLS = ("data.class_counts(split=split)", "data.findings(split=split)")
# Modules of the library that a script may import.
_MODULES = (
    "checks",
    "displays",
    "export",
    "geometry",
    "imbalance",
    "inspection",
    "io",
    "laboratory",
    "metrics",
    "model_selection",
    "plots",
    "prediction",
    "report",
)


def to_script(
    analysis: Analysis,
    *,
    displays: Sequence[Display] = (),
    reported: bool = False,
    others: Sequence[Question] = (),
) -> str:
    """Return a script that prints every number of the page on which an analysis is shown.

    It computes the open tab, or the first if none is open. Seconds are those of the machine that
    runs it. It uses only public names of lincore. Names of and in files are written as literals. A
    file is checked by its SHA-256 before it is read.

    Parameters
    ----------
    analysis : Analysis
    displays : sequence of Display
        Displays on the page. Default: the first ones of the results.
    reported : bool
        Print the displays of a report: those of the data, and those given for each question.
    others : sequence of Question
        Further questions, answered after that of the analysis.

    Returns
    -------
    str
        Python code, to be written in UTF-8.

    Examples
    --------
    >>> from lincore.analysis import Analysis, CompareQuestion, SampleData
    >>> asked = Analysis(SampleData("wine"), question=CompareQuestion(("lda", "qda")))
    >>> script = to_script(asked)
    >>> [line for line in script.splitlines() if line.startswith(("data =", "results ="))][0]
    'data = lincore.sample("wine")'
    """
    calls = [display.call() for display in displays]
    blocks = _blocks(analysis, calls, reported=reported, others=others)
    code = "\n\n".join(f"# {block.title}\n{block.code}" for block in blocks)
    return f'"""{_about(analysis)}"""\n\n{_imports(code)}\n\n{code}\n'


def to_notebook(analysis: Analysis, *, displays: Sequence[Display] = ()) -> str:
    """Return a Jupyter notebook that prints every number of a page and shows its figures.

    Parameters
    ----------
    analysis : Analysis
    displays : sequence of Display
        As for `to_script`.

    Returns
    -------
    str
        JSON in the format of notebooks, version 4.5.

    Examples
    --------
    >>> from lincore.analysis import Analysis, SampleData
    >>> notebook = json.loads(to_notebook(Analysis(SampleData("wine"))))
    >>> notebook["nbformat"], notebook["cells"][0]["cell_type"]
    (4, 'markdown')
    """
    calls = [display.call() for display in displays]
    blocks = _blocks(analysis, calls)
    imports = _imports("\n".join(line for b in blocks for line in (b.code, *b.figures)))
    cells = [_cell("markdown", f"# {_about(analysis)}"), _cell("code", imports)]
    for block in blocks:
        cells += [_cell("markdown", f"## {block.title}"), _cell("code", block.code)]
        cells += [_cell("code", figure) for figure in block.figures]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _blocks(
    analysis: Analysis,
    calls: Sequence[str],
    *,
    reported: bool = False,
    others: Sequence[Question] = (),
) -> list[Block]:
    """Return the parts of a script: the data with their displays, then each question."""
    question = analysis.question
    if isinstance(question, ExploreQuestion):
        calls = calls or view_calls(analysis)
    if reported or (question.kind == "data" and not calls):
        calls = [*dict.fromkeys([*_DATA_CALLS, *calls])]
    of_data = [text for text in calls if text.startswith(("data.", "table."))]
    own = [text for text in calls if text not in of_data]
    blocks: list[Block] = []
    for asked in (question, *others):
        results = _RESULTS.get(asked.kind, ())
        about = [text for text in own if text.partition(".")[0] in results]
        if about or not (reported and own and results):
            blocks += _answers(analysis.ask(asked), about)
    # A saved model predicts new rows without the data.
    if of_data or any(getattr(asked, "needs_data", True) for asked in (question, *others)):
        used = _names("\n".join([*calls, *(block.code for block in blocks)]))
        blocks.insert(0, data_block(analysis.data, analysis.split, of_data, used))
    return blocks


def _answers(analysis: Analysis, calls: Sequence[str]) -> Sequence[Block]:
    question: Any = analysis.question
    if isinstance(question, ClassifyQuestion):
        return classify_blocks(analysis, question, calls)
    if isinstance(question, PredictQuestion):
        return predict_blocks(analysis, question, calls)
    if isinstance(question, CompareQuestion):
        return compare_blocks(analysis, question, calls)
    if isinstance(question, BalanceCostQuestion):
        return cost_blocks(analysis, question, calls)
    if isinstance(question, BalanceStudyQuestion):
        return study_blocks(analysis, question, calls)
    if isinstance(question, ExploreQuestion):
        return explore_blocks(analysis, calls)
    if isinstance(question, GeometryQuestion):
        code = f"experiment = {question.display().call()}\nprint(experiment)"
        code += "\nfor table in experiment.tables():\n    print(table)"
        return (Block("Experiment", code, ("experiment.plot()",)),)
    return ()


def _about(analysis: Analysis) -> str:
    version = sys.modules[__name__.partition(".")[0]].__dict__["__version__"]
    return (
        f"Analysis with lincore: {_PAGES[analysis.question.kind]}.\n\n"
        f"Needs lincore {version}: `pip install` its folder. Written with NumPy {np.__version__},\n"
        f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}, "
        f"Python {platform.python_version()}. Files are read from the folder in which it runs.\n"
    )


def _imports(code: str) -> str:
    names = _names(code)
    modules = ", ".join(name for name in _MODULES if name in names)
    numpy = "import numpy as np\n\n" if "np" in names else ""
    return f"{numpy}import lincore" + (f"\nfrom lincore import {modules}" if modules else "")


def _names(code: str) -> frozenset[str]:
    """Return the variables and modules that code names."""
    return frozenset(node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name))


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}}
    lines = text.splitlines(keepends=True)
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}) | {
        "source": lines
    }  # fmt: skip
