"""The part of a script that predicts rows with one model."""

from __future__ import annotations

from lincore.analysis.data_sources import FileData, SampleData
from lincore.analysis.predict_question import ClassShare, NewFile, PredictQuestion, TypedRow
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, record
from lincore.export.scripts._data import RECORDS, file_code
from lincore.export.scripts._settings import STEPS, fit_code
from lincore.utils.code import call, literal

_FITTED = "model = model_selection.FittedModel.of(data, pipeline, name, split.train)"
_SAVED = """saved = export.load_model(MODEL)
model, name = saved.model, saved.model.label
rows = "images" if model.image_shape is not None else "rows"
print(f"The saved model {MODEL}: {saved.origin}")"""
_PRIORS = """try:
    predictions = predictions.with_priors({})
except ValueError as reason:  # without posteriors none can be changed
    print(reason)"""
_FINDING = """print(prediction.prediction_finding(predictions, {}))
print(f"{{predictions.name}}, by {{model.label}}. {{prediction.priors_finding(predictions)}}")"""
_MATCH = """print(prediction.match_finding(predictions))
for line in prediction.match_notes(predictions):
    print(line)
if predictions.new.skipped:
    print(export.to_text(pd.DataFrame(predictions.new.skipped)))"""
_IMAGES = """if model.image_shape is not None:
    shown = predictions.ranked({})[:24]
    shown = shown if len(shown) else predictions.ranked()[:24]
    stack = predictions.new.X[shown].reshape(-1, *model.image_shape)
    titles = prediction.image_titles(predictions, shown)
    describe(plots.images(stack, titles, title="Predicted class"))"""
_TABLE = """found = predictions.to_frame()
found.insert(0, "row", {}, allow_duplicates=True)
for column in found.columns[-predictions.added().shape[1]:]:
    if found[column].dtype == float:
        found[column] = found[column].map("{{:.3f}}".format)
print(export.to_text(found, form=""))
print(prediction.far_note(predictions))
figure = None
if predictions.truth is not None:
    scores = predictions.scores()
    if counted := prediction.counting_note(predictions):
        print(counted)
    print(export.to_text(report.headline_scores(scores, name)))
    print(report.interval_method(scores, *report.headline_score_names(scores)))
    figure = plots.confusion(scores, name)
    describe(figure)"""
_DRIFT = """table = prediction.drift(data.take(split.train), predictions)
print(prediction.drift_finding(table))
for column, form in (("effect", "{:.2f}"), ("p", "{:.3g}"), ("p (Holm)", "{:.3g}")):
    table[column] = table[column].map(form.format)
print(export.to_text(table, form=""))"""
_ONE = """print(export.to_text(predictions.rows, form=""))
table = prediction.class_table(predictions)
for column, form in (("posterior", "{:.1f}"), ("distance", "{:.2f}")):
    if column in table:
        table[column] = table[column].map(form.format)
print(export.to_text(table))"""


def predict_blocks(analysis: Analysis, question: PredictQuestion) -> tuple[Block, ...]:
    """Return the code that predicts rows and prints what the page Predict shows."""
    if question.model is None:
        model = f"{fit_code(analysis, question)}{STEPS}\n{_FITTED}"
    else:
        named = question.model
        lines = file_code("MODEL", named.name, named.sha256, "the saved model")
        model = "\n".join([*lines, _SAVED])
    order = literal(analysis.view.get("predict.order", "row"))
    if isinstance(question.rows, TypedRow):
        shown = [_FINDING.format(literal("row")), _ONE]
    elif isinstance(question.rows, NewFile):
        numbers = "range(1, len(found) + 1)"
        shown = [_FINDING.format("rows"), _MATCH, _IMAGES.format(order), _TABLE.format(numbers)]
    else:
        finding = _FINDING.format('f"test {rows}"')
        shown = [finding, _IMAGES.format(order), _TABLE.format("split.test")]
    if question.model is None and not isinstance(question.rows, TypedRow):
        shown.append(_DRIFT)
    code = "\n".join([*_rows(analysis, question), *_priors(question), *shown])
    figures = () if isinstance(question.rows, TypedRow) else ("figure",)
    return (Block("Model", model), Block("Predictions", code, figures))


def _rows(analysis: Analysis, question: PredictQuestion) -> list[str]:
    """Return the code for the rows, and for their predictions under the priors of training."""
    rows = question.rows
    name = literal("The row typed in")
    keywords = {}
    if isinstance(rows, TypedRow):
        known = [] if question.model is not None else ["data.take(split.train)"]
        typed = call("prediction.typed_row", "model", literal(dict(rows.values)), *known)
        lines = [f"new = {typed}"]
    elif isinstance(rows, NewFile):
        several = rows.name == "images"
        what = "the folder of new images" if several else "the file of new rows"
        lines = file_code("NEW", rows.name, rows.sha256, what, several=several)
        lines.append(f"new = {'NEW_PARTS' if several else 'NEW'}")
        name = literal(rows.name)
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
    level = literal(question.level)
    predicted = call("prediction.predict", "model", "new", level=level, reading="reading")
    return [*lines, f"predictions = {predicted}"]


def _priors(question: PredictQuestion) -> list[str]:
    priors = question.priors
    if priors is None:
        return []
    if isinstance(priors, ClassShare):
        given = f"predictions.learned_priors, {priors.code}, {literal(priors.share)}"
        return [_PRIORS.format(f"imbalance.priors_with_share({given})")]
    return [_PRIORS.format(literal(priors))]
