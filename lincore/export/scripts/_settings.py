"""Classifiers, steps and validation of an analysis, as code."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.experiment import method_line
from lincore.analysis.predict_question import PredictQuestion
from lincore.analysis.questions import ClassifyQuestion
from lincore.analysis.specification import Analysis
from lincore.model_selection.methods import CLASSIFIER_LABELS
from lincore.model_selection.pipeline import Steps
from lincore.model_selection.specs import parse_spec
from lincore.utils.code import call, literal

STEPS = """print(" → ".join(report.pipeline_steps(pipeline, data, name)))
inputs = inspection.classifier_input_names(pipeline, data)
end = report.termination_reason(pipeline.steps[-1][1], list(inputs))
print(end.sentence, end.remedy)"""


def lines_of(analysis: Analysis, words: Sequence[str]) -> tuple[str, ...]:
    """Return classifiers with their options of the analysis, as `lincore.compare` reads them."""
    return tuple(method_line(word, analysis.options.get(word, {})) for word in words)


def steps_code(steps: Steps) -> str:
    """Return the call that makes the steps before a classifier."""
    defaults = Steps._field_defaults
    given = {k: literal(v) for k, v in steps._asdict().items() if v != defaults[k]}
    return call("lincore.Steps", **given)


def fit_code(analysis: Analysis, question: ClassifyQuestion | PredictQuestion) -> str:
    """Return the code that fits one classifier and predicts the test rows."""
    (line,) = lines_of(analysis, (question.classifier,))
    label = literal(CLASSIFIER_LABELS[parse_spec(line)[0]])
    return f"""method = model_selection.as_method({literal(line)})
steps = model_selection.method_steps(method, data, {steps_code(analysis.steps)})
pipeline = model_selection.pipeline_for(data, method.fresh(data.classes), steps)
pipeline, results = lincore.holdout(data, pipeline, split, method={label})
name = results.methods[0]
"""


def scheme_code(analysis: Analysis, stratified: str = "holdout") -> str:
    """Return the code for the test set of the analysis as a scheme by name."""
    names = {"stratified": stratified, "group": "holdout by group"}
    how = analysis.split.how
    if how is not None:
        return f"scheme = {literal(names.get(how, how))}\n"
    return f"""scheme = {literal(stratified)} if data.groups is None else "holdout by group"
if data.given_test is not None:
    scheme = "given"
"""
