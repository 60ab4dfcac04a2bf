"""The part of a script that compares models: the calls that make the displays of the page."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.experiment import method_line
from lincore.analysis.questions import CompareQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, display_blocks
from lincore.export.scripts._settings import lines_of, scheme_code, steps_code
from lincore.metrics.results import ROPE
from lincore.model_selection.methods import on_both_features
from lincore.utils.code import call, literal

_CURVE = """seeds = [SEED] if how in ("last", "given") else range(SEED, SEED + 5)
splits = [lincore.split(data, how, test_size=TEST_SIZE, seed=seed) for seed in seeds]
curve = lincore.learning_curve(data, methods, splits, steps=steps, seed=SEED)"""
_FITS = "fits = model_selection.fit_alike(data, split, results.methods, steps=steps, seed=SEED)"
_VARIATION = """variation = model_selection.compare_splits(
    data, methods, steps=steps, test_size=TEST_SIZE, seeds=range(10)
)"""


def compare_blocks(
    analysis: Analysis, question: CompareQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that compares models and prints displays; scores and pairs by default."""
    lines = []
    for first in lines_of(analysis, question.methods):
        lines.append(first)
        word = first.partition("(")[0]
        if word in question.second:
            lines.append(method_line(word, question.second[word]))
    every = on_both_features(lines) if question.both_features else lines
    seed, test_size = literal(analysis.split.seed), literal(analysis.split.test_size)
    by_test_set = question.scheme == "holdout"
    compared = call(
        "lincore.compare",
        "data",
        "methods",
        "scheme" if by_test_set else literal(question.scheme),
        steps="steps",
        seed=seed,
        test_size=test_size,
    )
    roots = {
        "results": "\n".join(
            [
                f"methods = {literal(list(dict.fromkeys(every)))}",
                f"steps = {steps_code(analysis.steps)}",
                f"{scheme_code(analysis) if by_test_set else ''}results = {compared}",
            ]
        ),
        "curve": _CURVE,
        "fits": _FITS,
        "variation": _VARIATION,
    }
    roots = {
        name: code.replace("TEST_SIZE", test_size).replace("SEED", seed)
        for name, code in roots.items()
    }
    calls = calls or _default_calls(question)
    titles = {"results": "Comparison"}
    made = {name: (titles.get(name, name.capitalize()), code) for name, code in roots.items()}
    return display_blocks(made, calls)


def _default_calls(question: CompareQuestion) -> tuple[str, ...]:
    judged = {} if question.score is None else {"score": literal(question.score)}
    if question.rope not in (None, ROPE):
        judged["rope"] = literal(question.rope)
    return call("results.scores", **judged), call("results.pairwise", **judged)
