"""The part of a script about one model: the calls that make the displays of the page."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.questions import ClassifyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block
from lincore.export.scripts._settings import lines_of, steps_code
from lincore.utils.code import call, literal

_SHOWN = ("steps", "scores", "plane", "confusion")
#: What a report holds.
_REPORTED = (
    "steps", "scores", "classes", "confusion", "roc", "precision_recall", "calibration", "plane",
    "assumptions",
)  # fmt: skip


def classify_blocks(
    analysis: Analysis, question: ClassifyQuestion, calls: Sequence[str], *, reported: bool
) -> tuple[Block, ...]:
    """Return the code that fits one classifier and prints displays."""
    (line,) = lines_of(analysis, (question.classifier,))
    steps = steps_code(analysis.steps)
    fitted = call("lincore.fit", "data", literal(line), "split", steps=steps)
    names = _REPORTED if reported else _SHOWN
    calls = calls or [f"model.{name}()" for name in names]
    code = "\n".join([f"model = {fitted}", *(f"print({text})" for text in calls)])
    return (Block("Model", code, tuple(f"{text}.plot()" for text in calls)),)
