"""Classifiers, steps and validation of an analysis, as code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lincore.analysis.experiment import Experiment, method_line
from lincore.analysis.predict_question import PredictQuestion
from lincore.analysis.questions import ClassifyQuestion
from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import record_code
from lincore.utils.code import Code, call, literal


def lines_of(analysis: Analysis, words: Sequence[str]) -> tuple[str, ...]:
    """Return classifiers with their options of the analysis, as `lincore.compare` reads them."""
    return tuple(method_line(word, analysis.options.get(word, {})) for word in words)


def fit_code(analysis: Analysis, question: ClassifyQuestion | PredictQuestion) -> str:
    """Return the call that fits one classifier and predicts the test rows."""
    (line,) = lines_of(analysis, (question.classifier,))
    steps = record_code("lincore.Steps", analysis.steps, {})
    return call("lincore.fit", "data", literal(line), "split", steps=steps)


class _ScriptExperiment(Experiment):
    """The choices of an analysis for the calls in a script: data and steps are expressions."""

    @property
    def scheme(self) -> str:
        """The test set as a scheme; the variable `scheme` if the data decide."""
        return Code("scheme") if self.split.how is None else super().scheme


def as_code(analysis: Analysis) -> Experiment:
    """Return the choices of an analysis, from which a question makes the keywords of its call."""
    steps: Any = Code(record_code("lincore.Steps", analysis.steps, {}))
    data: Any = Code("data")
    return _ScriptExperiment(data, analysis.split, steps, analysis.options)


def call_with(function: str, arguments: Mapping[str, Any]) -> str:
    """Return a call with the keywords that a question makes, the data first."""
    codes = {name: literal(value) for name, value in arguments.items()}
    return call(function, codes.pop("data"), **codes)


def how_code(how: str | None) -> str:
    """Return the kind of a split, as code: the variable `how` if the data decide."""
    return "how" if how is None else literal(how)


def scheme_code(analysis: Analysis, stratified: str = "holdout") -> str:
    """Return the code for the test set as a scheme by name, if the data decide."""
    if analysis.split.how is not None:
        return ""
    return f"""scheme = {literal(stratified)} if data.groups is None else "holdout by group"
if data.given_test is not None:
    scheme = "given"
"""
