"""First lines of docstrings are noun phrases or imperatives."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("lincore", "pages", "benchmarks", "docs", "tests")
QUESTION = re.compile(r"(What|Whether|How|Which|Where|Who|Why|When|Does)\b")


def test_no_module_docstring_begins_as_a_question():
    begun = {
        str(path.relative_to(ROOT)): words
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if QUESTION.match(words := ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
    }
    assert begun == {}
