"""The part of a script about the cost of an imbalance."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.questions import BalanceCostQuestion, BalanceStudyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, display_blocks
from lincore.export.scripts._settings import lines_of, scheme_code, steps_code
from lincore.model_selection.methods import as_method
from lincore.utils.code import call, literal


def cost_blocks(
    analysis: Analysis, question: BalanceCostQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that prints displays of what an imbalance costs."""
    keywords = {"prevalence": literal(question.prevalence)}
    before = scheme_code(analysis, "stratified")
    if question.cost != 1:
        before += f"""costs = 1.0 - np.eye(data.n_classes)  # of predicting the column for the row
costs[data.counts.argmin()] *= {literal(question.cost)}
"""
        keywords["costs"] = "costs"
    methods, common = study_arguments(analysis, question)
    cost = call("lincore.imbalance_cost", "data", methods, **keywords, **common,
                repeats=literal(question.repeats))  # fmt: skip
    shown = shown_keywords(analysis, question)
    by_method = {name: code for name, code in shown.items() if name == "method"}
    calls = calls or (
        call("cost.curve", **by_method),
        call("cost.decomposition", **shown),
        call("cost.corrections", **shown),
        call("cost.more_rows", **shown),
    )
    return display_blocks({"cost": ("Cost of the imbalance", f"{before}cost = {cost}")}, calls)


def study_arguments(
    analysis: Analysis, question: BalanceCostQuestion | BalanceStudyQuestion
) -> tuple[str, dict[str, str]]:
    """Return methods and keywords of the calls of both questions, as code."""
    keywords = {
        "steps": steps_code(analysis.steps),
        "split": "scheme",
        "test_size": literal(analysis.split.test_size),
        "seed": literal(analysis.split.seed),
    }
    return literal(list(lines_of(analysis, question.methods))), keywords


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
