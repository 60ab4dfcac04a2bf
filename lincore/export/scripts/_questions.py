"""The parts of a script that answer the question of each page, and print its displays."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.balance_questions import BalanceCostQuestion, BalanceStudyQuestion
from lincore.analysis.data_sources import FileData, SampleData
from lincore.analysis.predict_question import ClassShare, NewFile, PredictQuestion, TypedRow
from lincore.analysis.questions import ClassifyQuestion, CompareQuestion
from lincore.analysis.specification import Analysis
from lincore.displays import COMPARISON
from lincore.export.scripts._code import Block, display_blocks, fill_template, record_code
from lincore.export.scripts._data import RECORDS, file_code
from lincore.export.scripts._settings import (
    as_code,
    call_with,
    fit_code,
    how_code,
    lines_of,
    scheme_code,
)
from lincore.metrics.results import ROPE
from lincore.model_selection.methods import as_method
from lincore.utils.code import Code, call, literal

# Displays of each view of the page Explore if it has shown none; they suit all data.
_VIEWS = {
    "columns": ("data.associations()", "data.column()"),
    "pairs": ("data.pair()",),
    "correlations": ("data.correlations()",),
    "summary": ("data.columns()",),
    "words": ("data.words()",),
}
_PROJECTIONS = ("projection.variance()", "projection.pca()", "projection.fisher()")
_SHOWN = ("steps", "scores", "plane", "confusion")
_FITTED = "fitted"
_TRAINING = "training = data.take(split.train)"
_DRIFT = "predictions.drift(training)"
_CURVE = """seeds = SEVERAL
splits = [lincore.split(data, HOW, test_size=TEST_SIZE, seed=seed) for seed in seeds]
curve = lincore.learning_curve(data, methods, splits, steps=steps, seed=SEED)"""
_FITS = "fits = model_selection.fit_alike(data, split, results.methods, steps=steps, seed=SEED)"
_VARIATION = """variation = model_selection.compare_splits(
    data, methods, steps=steps, test_size=TEST_SIZE, seeds=range(10)
)"""


def view_calls(analysis: Analysis) -> tuple[str, ...]:
    """Return the default displays of the open view."""
    return _VIEWS.get(str(analysis.view.get("explore.view")), _PROJECTIONS)


def explore_blocks(analysis: Analysis, calls: Sequence[str]) -> tuple[Block, ...]:
    """Return the code that prints displays of projections."""
    if not calls:
        return ()
    chosen = analysis.view.get("explore.standardize")
    given = {} if chosen is None else {"standardize": literal(chosen)}
    code = f"projection = {call('data.projection', 'split', **given)}"
    return display_blocks({"projection": ("Projections", code)}, calls)


def classify_blocks(
    analysis: Analysis, question: ClassifyQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that fits one classifier and prints displays."""
    calls = calls or [f"model.{name}()" for name in _SHOWN]
    return display_blocks({"model": ("Model", f"model = {fit_code(analysis, question)}")}, calls)


def predict_blocks(
    analysis: Analysis, question: PredictQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that predicts rows and prints displays; all but the rows by default."""
    if question.model is None:
        fitted = fit_code(analysis, question)
        if question.reject is not None:
            fitted = f"{_FITTED} = {fitted}\nmodel = {_FITTED}"
        else:
            fitted = f"model = {fitted}"
        model = f"{fitted}.fitted_model\n{_TRAINING}"
    else:
        path = file_code("path", question.model.name, question.model.sha256)
        model = f"{path}\nsaved = export.load_model(path)\nmodel = saved.model\nprint(saved.origin)"
    if not calls:
        calls = ["predictions.by_class()", "predictions.columns()", "predictions.scores()"]
        if question.model is None and not isinstance(question.rows, TypedRow):
            calls.append(_DRIFT)
    code = [*_predictions(analysis, question), *(f"print({text})" for text in calls)]
    figures = [f"{text}.plot()" for text in calls]
    return (Block("Model", model), Block("Predictions", "\n".join(code), tuple(figures)))


def _predictions(analysis: Analysis, question: PredictQuestion) -> list[str]:
    """Return the code that reads the rows and predicts them."""
    rows = question.rows
    new, keywords = "new", dict[str, str]()
    if isinstance(rows, TypedRow):
        known = [] if question.model is not None else ["training"]
        typed = call("prediction.typed_row", "model", literal(dict(rows.values)), *known)
        lines, keywords = [f"new = {typed}"], {"name": literal("The row typed in")}
    elif isinstance(rows, NewFile):
        lines = [file_code("new", rows.name, rows.sha256)]
        if rows.reading != type(rows.reading)():
            keywords["options"] = record_code("io.ReadOptions", rows.reading, RECORDS)
        if rows.fill_missing:
            keywords["fill_missing"] = "True"
        if question.model is None and isinstance(analysis.data, FileData | SampleData):
            table = analysis.data.table
            by_keyword = {"rename": table.rename, "merge_classes": table.merge_classes}
            keywords |= {
                key: literal(dict(changes)) for key, changes in by_keyword.items() if changes
            }
    else:
        new, lines = "prediction.TestSet(data, split)", []
    given = {} if question.level == type(question).level else {"level": literal(question.level)}
    if keywords:
        given["reading"] = call("prediction.Reading", **keywords)
    predicted = call("prediction.predict", "model", new, **given)
    lines.append(f"predictions = {predicted}")
    priors = question.priors
    if isinstance(priors, ClassShare):
        share = f"model.priors, {priors.code}, {literal(priors.share)}"
        lines.append(f"priors = imbalance.priors_with_share({share})")
    if priors is not None:
        named = "priors" if isinstance(priors, ClassShare) else literal(priors)
        lines.append(f"predictions = predictions.with_priors({named})")
    if question.threshold is not None:
        lines.append(f"predictions = predictions.with_threshold({literal(question.threshold)})")
    if question.reject is not None:
        lines.append(f"predictions = predictions.with_reject_option({_rule(question)})")
    return lines


def _rule(question: PredictQuestion) -> str:
    if question.reject == "cost":
        cost = literal(question.rejection_cost)
        return f"metrics.RejectOption.of_cost({cost}, len(model.classes))"
    chosen = {"reject": literal(question.reject), "coverage": literal(question.coverage)}
    return f"{call(f'{_FITTED}.reject_option', **chosen)}.rule"


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
    scheme = scheme_code(analysis) if question.scheme == "holdout" else ""
    roots = {
        "results": f"methods = {literal(keywords['methods'])}\n"
        f"steps = {keywords['steps']}\n{scheme}results = {compared}",
        "curve": _CURVE.replace("SEVERAL", several),
        "fits": _FITS,
        "variation": _VARIATION,
    }
    codes = {name.upper(): literal(keywords[name]) for name in ("test_size", "seed")}
    roots = {name: fill_template(code, **codes, HOW=how) for name, code in roots.items()}
    calls = calls or _default_calls(question)
    titles = {"results": "Comparison"}
    titled = {name: (titles.get(name, name.capitalize()), code) for name, code in roots.items()}
    return display_blocks(titled, calls)


def _default_calls(question: CompareQuestion) -> tuple[str, ...]:
    judged = {} if question.score is None else {"score": literal(question.score)}
    if question.rope not in (None, ROPE):
        judged["rope"] = literal(question.rope)
    return tuple(call(kind.made_by, **judged) for kind in COMPARISON if kind.is_reported)


def cost_blocks(
    analysis: Analysis, question: BalanceCostQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that prints displays of the cost of an imbalance."""
    cost = call_with("lincore.imbalance_cost", question.arguments(as_code(analysis)))
    shown = shown_keywords(analysis, question)
    by_method = {name: code for name, code in shown.items() if name == "method"}
    calls = calls or (
        call("cost.curve", **by_method),
        call("cost.decomposition", **shown),
        call("cost.corrections", **shown),
        call("cost.more_rows", **shown),
        call("cost.curve_difference", **by_method),
    )
    return display_blocks(
        {"cost": ("Cost of the imbalance", f"{scheme_code(analysis, 'stratified')}cost = {cost}")},
        calls,
    )


def shown_keywords(
    analysis: Analysis, question: BalanceCostQuestion | BalanceStudyQuestion
) -> dict[str, str]:
    """Return the chosen method and loss, as code."""
    keywords = {}
    if question.method:
        (line,) = lines_of(analysis, (question.method,))
        keywords["method"] = literal(as_method(line).name)
    if question.loss:
        keywords["loss"] = literal(question.loss)
    return keywords


def study_blocks(
    analysis: Analysis, question: BalanceStudyQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that prints displays of the effects of a smaller class."""
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
