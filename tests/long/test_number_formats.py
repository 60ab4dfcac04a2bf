"""Percentages are written by `lincore.utils.formatting` alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORMATTER = ROOT / "lincore/utils/formatting.py"
SIGN = re.compile(r"[ \u00a0]?%(?![{%])")
TEMPLATE = re.compile(r"(?<!%)\{\w*(:[^{}]*)?\}[ \u00a0]?%(?![{%])|(?<!%)\{\w*:[^{}]*%\}")


def hand_written(tree: ast.AST) -> Iterator[int]:
    """Yield the lines where a value is multiplied by 100 in a text, or a sign written behind it."""
    parts = set()
    for text in ast.walk(tree):
        if not isinstance(text, ast.JoinedStr):
            continue
        parts.update(map(id, text.values))
        for value, after in zip(text.values, [*text.values[1:], None], strict=True):
            if not isinstance(value, ast.FormattedValue):
                continue
            spec = ast.unparse(value.format_spec) if value.format_spec else ""
            parts.update(map(id, ast.walk(value)))
            hundred = re.search(r"\b100 \*|\* 100\b", ast.unparse(value.value))
            signed = isinstance(after, ast.Constant) and SIGN.match(str(after.value))
            if "%" in spec or hundred or signed:
                yield value.lineno
    for text in ast.walk(tree):
        whole = isinstance(text, ast.Constant) and id(text) not in parts
        if whole and TEMPLATE.search(str(text.value)):
            yield text.lineno


@pytest.mark.parametrize("folder", ["lincore", "pages"])
def test_percentages_come_from_the_formatter(folder):
    paths = [path for path in (ROOT / folder).rglob("*.py") if path != FORMATTER]
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in paths
        for line in hand_written(ast.parse(path.read_text()))
    ]
    assert paths and not found, "Use percent or points of lincore.utils: " + ", ".join(found)


@pytest.mark.parametrize(
    "text",
    ['f"{x:.1f} %"', 'f"{x:.0%} of rows"', 'f"{100 * x:.0f}"', '"{x} % of rows"', '"{:.1%}"'],
)
def test_each_way_to_write_one_by_hand_is_found(text):
    assert list(hand_written(ast.parse(text))) == [1]


@pytest.mark.parametrize(
    "text", ['f"{percent(x)} of rows"', '"%{y:.1%}"', '"%d %%"', 'f"{x}%{{y:.1%}}"', '"95 %"']
)
def test_what_plots_and_widgets_format_is_let_off(text):
    assert not list(hand_written(ast.parse(text)))
