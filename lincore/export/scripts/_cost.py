"""The part of a script about the cost of an imbalance."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.balance_questions import BalanceCostQuestion, BalanceStudyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, display_blocks
from lincore.export.scripts._settings import as_code, call_with, lines_of, scheme_code
from lincore.model_selection.methods import as_method
from lincore.utils.code import call, literal


def cost_blocks(
    analysis: Analysis, question: BalanceCostQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that prints displays of what an imbalance costs."""
    cost = call_with("lincore.imbalance_cost", question.arguments(as_code(analysis)))
    shown = shown_keywords(analysis, question)
    by_method = {name: code for name, code in shown.items() if name == "method"}
    calls = calls or (
        call("cost.curve", **by_method),
        call("cost.decomposition", **shown),
        call("cost.corrections", **shown),
        call("cost.more_rows", **shown),
    )
    return display_blocks(
        {"cost": ("Cost of the imbalance", f"{scheme_code(analysis, 'stratified')}cost = {cost}")},
        calls,
    )


def shown_keywords(
    analysis: Analysis, question: BalanceCostQuestion | BalanceStudyQuestion
) -> dict[str, str]:
    """Return the method and the loss that were chosen, as code."""
    found = {}
    if question.method:
        (line,) = lines_of(analysis, (question.method,))
        found["method"] = literal(as_method(line).name)
    if question.loss:
        found["loss"] = literal(question.loss)
    return found
