"""The part of a script that predicts rows with one model, and prints displays of that."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.data_sources import FileData, SampleData
from lincore.analysis.predict_question import ClassShare, NewFile, PredictQuestion, TypedRow
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, record
from lincore.export.scripts._data import RECORDS, file_code
from lincore.export.scripts._settings import fit_code
from lincore.utils.code import call, literal

_FITTED = "fitted"
_TRAINING = "training = data.take(split.train)"
_DRIFT = "predictions.drift(training)"


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
            keywords["options"] = record("io.ReadOptions", rows.reading, RECORDS)
        if rows.fill_missing:
            keywords["fill_missing"] = "True"
        if question.model is None and isinstance(analysis.data, FileData | SampleData):
            table = analysis.data.table
            parts = {"rename": table.rename, "merge_classes": table.merge_classes}
            keywords |= {key: literal(dict(part)) for key, part in parts.items() if part}
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
