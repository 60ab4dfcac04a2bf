"""The part of a script about a study of imbalance: the calls that make its displays."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.questions import BalanceStudyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, display_blocks
from lincore.export.scripts._cost import shown_keywords, study_arguments
from lincore.export.scripts._settings import scheme_code
from lincore.utils.code import call, literal


def study_blocks(
    analysis: Analysis, question: BalanceStudyQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that prints displays of what a smaller class does."""
    methods, common = study_arguments(analysis, question)
    sizes = literal(dict(question.sizes))
    study, first = (
        call("lincore.balance", "data", sizes, methods, **common, repeats=literal(repeats))
        for repeats in (question.repeats, 1)
    )
    sweep = call("imbalance.sweep", "data", literal(list(question.sizes)),
                 methods=methods, **common, repeats="10")  # fmt: skip
    roots = {
        "study": ("Imbalance study", f"{scheme_code(analysis, 'stratified')}study = {study}"),
        "first": ("The first split alone", f"first = {first}"),
        "sweep": ("Class-size sweep", f"sweep = {sweep}"),
    }
    shown = shown_keywords(analysis, question)
    calls = calls or (call("study.decomposition", **shown), call("study.corrections", **shown))
    return display_blocks(roots, calls)
