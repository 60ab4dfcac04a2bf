"""First lines of docstrings are noun phrases or imperatives."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("lincore", "pages", "benchmarks", "docs", "tests")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
QUESTION = re.compile(r"(What|Whether|How|Which|Where|Who|Why|When)\b")


def begun_as_questions(path: Path) -> list[str]:
    """Return the first lines of the docstrings of a file that begin as a question does."""
    kinds = ast.Module if "tests" in path.relative_to(ROOT).parts else DOCUMENTED
    found = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, kinds)
    ]
    return [words.splitlines()[0] for words in found if QUESTION.match(words)]


def test_no_docstring_begins_as_a_question():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    begun = {str(path.relative_to(ROOT)): begun_as_questions(path) for path in files}
    assert {name: lines for name, lines in begun.items() if lines} == {}
