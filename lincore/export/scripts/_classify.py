"""The part of a script about one model: the calls that make the displays of the page."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.questions import ClassifyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, display_blocks
from lincore.export.scripts._settings import fit_code

_SHOWN = ("steps", "scores", "plane", "confusion")


def classify_blocks(
    analysis: Analysis, question: ClassifyQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that fits one classifier and prints displays."""
    calls = calls or [f"model.{name}()" for name in _SHOWN]
    return display_blocks({"model": ("Model", f"model = {fit_code(analysis, question)}")}, calls)
