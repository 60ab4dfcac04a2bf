"""The part of a script that compares models: the calls that make the displays of the page."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.questions import CompareQuestion
from lincore.analysis.specification import Analysis
from lincore.displays import COMPARISON
from lincore.export.scripts._code import Block, display_blocks, fill
from lincore.export.scripts._settings import as_code, call_with, how_code, scheme_code
from lincore.metrics.results import ROPE
from lincore.utils.code import Code, call, literal

_CURVE = """seeds = SEVERAL
splits = [lincore.split(data, HOW, test_size=TEST_SIZE, seed=seed) for seed in seeds]
curve = lincore.learning_curve(data, methods, splits, steps=steps, seed=SEED)"""
_FITS = "fits = model_selection.fit_alike(data, split, results.methods, steps=steps, seed=SEED)"
_VARIATION = """variation = model_selection.compare_splits(
    data, methods, steps=steps, test_size=TEST_SIZE, seeds=range(10)
)"""


def compare_blocks(
    analysis: Analysis, question: CompareQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that compares models and prints displays; scores and pairs by default."""
    keywords = question.arguments(as_code(analysis))
    compared = call_with(
        "lincore.compare", keywords | {"methods": Code("methods"), "steps": Code("steps")}
    )
    how = how_code(analysis.split.how)
    several = {
        None: '[SEED] if how in ("last", "given") else range(SEED, SEED + 5)',
        "last": "[SEED]",
        "given": "[SEED]",
    }.get(analysis.split.how, "range(SEED, SEED + 5)")
    before = scheme_code(analysis) if question.scheme == "holdout" else ""
    roots = {
        "results": f"methods = {literal(keywords['methods'])}\n"
        f"steps = {keywords['steps']}\n{before}results = {compared}",
        "curve": _CURVE.replace("SEVERAL", several),
        "fits": _FITS,
        "variation": _VARIATION,
    }
    codes = {name.upper(): literal(keywords[name]) for name in ("test_size", "seed")}
    roots = {name: fill(code, **codes, HOW=how) for name, code in roots.items()}
    calls = calls or _default_calls(question)
    titles = {"results": "Comparison"}
    made = {name: (titles.get(name, name.capitalize()), code) for name, code in roots.items()}
    return display_blocks(made, calls)


def _default_calls(question: CompareQuestion) -> tuple[str, ...]:
    judged = {} if question.score is None else {"score": literal(question.score)}
    if question.rope not in (None, ROPE):
        judged["rope"] = literal(question.rope)
    return tuple(call(kind.made_by, **judged) for kind in COMPARISON if kind.is_reported)
