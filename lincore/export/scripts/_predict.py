"""The part of a script that predicts rows with one model."""

from __future__ import annotations

from lincore.analysis.questions import PredictQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, fill, literal
from lincore.export.scripts._settings import STEPS, fit_code

_PREDICTIONS = """model = model_selection.FittedModel.of(data, pipeline, name, split.train)
# Or the path of a file with the columns of the training data.
new = data.take(split.test)
predictions = prediction.predict(model, new, PRIORS, reading=READING)
print(prediction.prediction_finding(predictions, f"test {rows}"))
print(f"{data.name}, test set, by {model.label}. {prediction.priors_finding(predictions)}")
found = predictions.to_frame()
found.insert(0, "row", split.test)
for column in found.columns[-predictions.added().shape[1]:]:
    if found[column].dtype == float:
        found[column] = found[column].map("{:.3f}".format)
print(export.to_text(found, form=""))
print(prediction.far_note(predictions))
scores = predictions.scores()
print(export.to_text(report.headline_scores(scores, name)))
describe(plots.confusion(scores, name))
table = prediction.drift(data.take(split.train), predictions)
print(prediction.drift_finding(table))
for column, form in (("effect", "{:.2f}"), ("p", "{:.3g}"), ("p (Holm)", "{:.3g}")):
    table[column] = table[column].map(form.format)
print(export.to_text(table, form=""))"""


def predict_blocks(analysis: Analysis, question: PredictQuestion) -> tuple[Block, ...]:
    """Return the code that predicts the test rows and prints what the page Predict shows.

    Parameters
    ----------
    analysis : Analysis
    question : PredictQuestion
    """
    given = f"priors={literal(question.priors)}, level={literal(question.level)}"
    code = fill(_PREDICTIONS, PRIORS=given, READING='prediction.Reading(f"{data.name}, test set")')
    return (
        Block("Model", f"{fit_code(analysis, question)}{STEPS}"),
        Block("Predictions", code, ("plots.confusion(scores, name)",)),
    )
