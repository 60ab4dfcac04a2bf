"""An analysis as a Python script and as a notebook that print every number of its page."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
import sklearn

from lincore.analysis.predict_question import PredictQuestion
from lincore.analysis.questions import (
    BalanceCostQuestion,
    BalanceStudyQuestion,
    ClassifyQuestion,
    CompareQuestion,
    ExploreQuestion,
    GeometryQuestion,
    Question,
)
from lincore.analysis.specification import Analysis
from lincore.displays import Display
from lincore.export.scripts._classify import classify_blocks
from lincore.export.scripts._code import Block
from lincore.export.scripts._compare import compare_blocks
from lincore.export.scripts._cost import cost_blocks
from lincore.export.scripts._data import describe_block, experiment_blocks, load_block
from lincore.export.scripts._explore import explore_blocks
from lincore.export.scripts._predict import predict_blocks
from lincore.export.scripts._study import study_blocks

_PAGES = {
    "data": "the data",
    "explore": "columns and projections",
    "geometry": "an experiment of the laboratory",
    "classify": "one model",
    "predict": "predictions of one model",
    "compare": "several models, compared",
    "balance-cost": "the cost of an imbalance",
    "balance-study": "a smaller class, and what it costs",
}
_DESCRIBE = '''def describe(figure):
    """Print the title of a figure and its description."""
    meta = figure.layout.meta
    print(meta["title"], meta["subtitle"], meta["alt"], sep="\\n")'''
# What a script may import of the library, as far as it does.
_MODULES = (
    "checks",
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
    """Return a script that prints every number of the page that an analysis is shown on.

    Of tabs it computes the one that is open, the first where none was chosen. Seconds are those of
    the machine that runs it. It uses public names of lincore alone. What comes from a file, such
    as its name or a column's, stands in it as literals. A file is checked by its SHA-256 before it
    is read.

    Parameters
    ----------
    analysis : Analysis
    displays : sequence of Display
        What the page shows of the results; by default the first of them.
    reported : bool
        Print the numbers of the report instead of those of the tab that is open.
    others : sequence of Question
        Further questions that are answered after that of the analysis.

    Returns
    -------
    str
        Python, to be written in UTF-8.

    Examples
    --------
    >>> from lincore.analysis import Analysis, CompareQuestion, SampleData
    >>> asked = Analysis(SampleData("wine"), question=CompareQuestion(("lda", "qda")))
    >>> script = to_script(asked)
    >>> [line for line in script.splitlines() if line.startswith(("data =", "results ="))][0]
    'data = lincore.sample("wine")'
    """
    calls = [display.call() for display in displays]
    blocks = [*_blocks(analysis, reported, others, calls)]
    for question in others:
        blocks += _answers(analysis.ask(question), reported)
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
    blocks = _blocks(analysis, reported=False, calls=calls)
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
    reported: bool,
    others: Sequence[Question] = (),
    calls: Sequence[str] = (),
) -> tuple[Block, ...]:
    # A saved model predicts new rows without the data.
    needed = any(getattr(one, "needs_data", True) for one in (analysis.question, *others))
    load = (load_block(analysis),) if needed else ()
    return (*load, *_answers(analysis, reported, calls))


def _answers(analysis: Analysis, reported: bool, calls: Sequence[str] = ()) -> Sequence[Block]:
    question: Any = analysis.question
    if isinstance(question, ClassifyQuestion):
        return classify_blocks(analysis, question, calls, reported=reported)
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
        return experiment_blocks(question)
    return (describe_block(analysis, calls),)


def _about(analysis: Analysis) -> str:
    version = sys.modules[__name__.partition(".")[0]].__dict__["__version__"]
    used = {"NumPy": np.__version__, "SciPy": scipy.__version__}
    used |= {"scikit-learn": sklearn.__version__, "Python": platform.python_version()}
    versions = ", ".join(f"{name} {number}" for name, number in used.items())
    return (
        f"Analysis with lincore: {_PAGES[analysis.question.kind]}.\n\n"
        f"Written by lincore {version} with {versions}.\n"
        "Run it in the environment of the dashboard, or `pip install` the folder of lincore in\n"
        "another one. Files that it names are read from the folder in which it runs.\n"
    )


def _imports(code: str) -> str:
    standard = [name for name in ("hashlib", "itertools", "pathlib") if f"{name}." in code]
    others = [
        line for line, short in (("numpy as np", "np."), ("pandas as pd", "pd.")) if short in code
    ]
    modules = [name for name in _MODULES if f"{name}." in code.replace(f"lincore.{name}.", "")]
    parts = [
        "\n".join(f"import {name}" for name in standard),
        "\n".join(f"import {name}" for name in others),
        "import lincore" + (f"\nfrom lincore import {', '.join(modules)}" if modules else ""),
    ]
    if "describe(" in code.replace(".describe(", ""):
        parts.append(f"\n{_DESCRIBE}")
    return "\n\n".join(filter(None, parts))


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}}
    lines = text.splitlines(keepends=True)
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}) | {
        "source": lines
    }  # fmt: skip
