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

_FITTED = "model = model_selection.FittedModel.of(data, pipeline, name, split.train)"
_SAVED = """saved = export.load_model(MODEL)
model = saved.model
print(f"The saved model {MODEL}: {saved.origin}")"""
_TRAINING = "training = data.take(split.train)"
_DRIFT = "predictions.drift(training)"


def predict_blocks(
    analysis: Analysis, question: PredictQuestion, calls: Sequence[str]
) -> tuple[Block, ...]:
    """Return the code that predicts rows and prints displays; all but the rows by default."""
    if question.model is None:
        model = f"{fit_code(analysis, question)}{_FITTED}\n{_TRAINING}"
    else:
        named = question.model
        lines = file_code("MODEL", named.name, named.sha256, "the saved model")
        model = "\n".join([*lines, _SAVED])
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
    new, name, keywords = "new", literal("The row typed in"), {}
    if isinstance(rows, TypedRow):
        known = [] if question.model is not None else ["training"]
        typed = call("prediction.typed_row", "model", literal(dict(rows.values)), *known)
        lines = [f"new = {typed}"]
    elif isinstance(rows, NewFile):
        several = rows.name == "images"
        what = "the folder of new images" if several else "the file of new rows"
        lines = file_code("NEW", rows.name, rows.sha256, what, several=several)
        new, name = "NEW_PARTS" if several else "NEW", literal(rows.name)
        if rows.reading != type(rows.reading)():
            keywords["options"] = record("io.ReadOptions", rows.reading, RECORDS)
        if rows.fill_missing:
            keywords["fill_missing"] = "True"
        if question.model is None and isinstance(analysis.data, FileData | SampleData):
            table = analysis.data.table
            parts = {"rename": table.rename, "merge_classes": table.merge_classes}
            keywords |= {key: literal(dict(part)) for key, part in parts.items() if part}
    else:
        lines, name = ["new = prediction.TestSet(data, split)"], 'f"{data.name}, test set"'
    lines.append(f"reading = {call('prediction.Reading', name, **keywords)}")
    level = {} if question.level == type(question).level else {"level": literal(question.level)}
    predicted = call("prediction.predict", "model", new, **level, reading="reading")
    lines.append(f"predictions = {predicted}")
    priors = question.priors
    if isinstance(priors, ClassShare):
        given = f"model.priors, {priors.code}, {literal(priors.share)}"
        lines.append(f"priors = imbalance.priors_with_share({given})")
    if priors is not None:
        given = "priors" if isinstance(priors, ClassShare) else literal(priors)
        lines.append(f"predictions = predictions.with_priors({given})")
    return lines
