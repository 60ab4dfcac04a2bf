"""The part of a script about a study of imbalance: the calls that make its displays."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.balance_questions import BalanceStudyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, display_blocks
from lincore.export.scripts._cost import shown_keywords
from lincore.export.scripts._settings import as_code, call_with, scheme_code
from lincore.utils.code import call


def study_blocks(
    analysis: Analysis, question: BalanceStudyQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that prints displays of what a smaller class does."""
    experiment = as_code(analysis)
    keywords = question.arguments(experiment)
    study, first = (
        call_with("lincore.balance", keywords | {"repeats": n}) for n in (question.repeats, 1)
    )
    sweep = call_with("imbalance.sweep", question.sweep_arguments(experiment))
    roots = {
        "study": ("Imbalance study", f"{scheme_code(analysis, 'stratified')}study = {study}"),
        "first": ("The first split alone", f"first = {first}"),
        "sweep": ("Class-size sweep", f"sweep = {sweep}"),
    }
    shown = shown_keywords(analysis, question)
    calls = calls or (call("study.decomposition", **shown), call("study.corrections", **shown))
    return display_blocks(roots, calls)
