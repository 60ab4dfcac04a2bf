"""Display of the steps of a model: what the rows go through, and how the fit ended."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import pandas as pd

from lincore import inspection, metrics, model_selection, report
from lincore.data import Dataset, Fold
from lincore.displays.model.model_display import ModelDisplay
from lincore.preprocessing import HOG
from lincore.utils import capital, count, percent, seconds


@dataclass(frozen=True, eq=False)
class StepsDisplay(ModelDisplay):
    """What the rows go through, what was learned from how many rows, and how the fit ended."""

    title: ClassVar[str] = "Model"
    made_by: ClassVar[str] = "model.steps"
    is_reported: ClassVar[bool] = True

    @cached_property
    def end(self) -> Any:
        """How the fit ended, whether that is a solution, and what to do otherwise."""
        data = self.model.data
        names = list(inspection.classifier_input_names(self.model.pipeline, data))
        return report.termination_reason(self.model.classifier, names)

    def finding(self) -> str:
        """Return the steps, the classifier last."""
        names = []
        for name, step in self.model.pipeline.steps:
            if name == "prepare":
                names.append(_prepared(self.model.data))
            elif name == "standardize":
                names.append(f"standardise {count(len(step.scale_), 'feature')}")
            elif name == "basis" and isinstance(step, HOG):
                size = f"{step.cell_size_} × {step.cell_size_}"
                names.append(f"{step.n_features_out:,} gradients (HOG) in cells of {size} pixels")
            elif name == "basis":
                names.append(f"basis of {step.get_feature_names_out().size:,} functions")
            elif name == "pca":
                share = float(step.explained_variance_ratio_.sum())
                white = ", whitened" if step.whiten else ""
                names.append(f"PCA {step.n_components_} ({percent(share)} of the variance{white})")
            elif name == "svd":
                names.append(f"SVD {len(step.components_)}")
        options = model_selection.describe_options(self.model.classifier)
        model = f"{self.method} ({options})" if options else self.method
        text = " → ".join([*(names or [count(self.model.data.n_features, "feature")]), model])
        return f"{capital(text)}."

    def scope(self) -> str:
        """Return the rows that were learned from, and the errors on training and test rows."""
        model = self.model
        folds, basis = [Fold(0, 0, *model.split)], model.pipeline.named_steps.get("basis")
        rows = _training_rows(
            self.trained,
            seconds(float(self.results.seconds[0])),
            model_selection.n_learned_from_streamed(model.data, folds, True, basis),
            self.results.settings.streamed.get(self.method, 0),
        )
        test = 1 - metrics.score(self.results, self.method, "accuracy").value
        return f"{rows} Training error {percent(model.training_error)}, test error {percent(test)}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each step: its class and its settings."""
        lines = [
            (name, type(step).__name__, ", ".join(f"{k}={v}" for k, v in _settings(step)))
            for name, step in self.model.pipeline.steps
        ]
        return pd.DataFrame(lines, columns=["step", "class", "settings"])

    def notes(self) -> tuple[str, ...]:
        """State how the fit ended, what was chosen, and the distributions of naive Bayes."""
        tuning = self.model.tuning()
        chosen = "" if tuning.tuning is None else tuning.finding()
        selection = self.model.selection()
        selected = selection.finding() if selection.is_stepwise else ""
        counts = inspection.naive_bayes_feature_counts(self.model.pipeline, self.model.data)
        named = "" if counts is None else _distributions(*counts)
        fit_notes = [f"Note from the fit: {note}" for note in self.model.notes]
        return tuple(
            filter(None, [self.end.sentence, self.end.remedy, chosen, selected, named, *fit_notes])
        )


def _settings(step: Any) -> list[tuple[str, Any]]:
    """Return the settings of a step, without those that the data determine."""
    given = step.get_params(deep=False).items() if hasattr(step, "get_params") else ()
    return [
        (name, value)
        for name, value in given
        if value is not None and name not in ("n_levels", "n_words")
    ]


def _training_rows(rows: str, took: str, n_steps: int, n_classifier: int) -> str:
    """Return the rows that the steps and the classifier learned from, streamed ones included."""
    streamed = f"the {rows} and {n_classifier or n_steps:,} streamed rows"
    if n_classifier:
        return f"Every step was fitted on {streamed}, the classifier in {took}."
    if n_steps:
        return (
            f"Preprocessing was fitted on {streamed}, the classifier on the {rows} only, in {took}."
        )
    return f"Every step was fitted on the {rows} only, the classifier in {took}."


def _distributions(n_numeric: int, n_categorical: int) -> str:
    """State which columns are Gaussian and which multinomial, by their numbers before coding."""
    if not n_categorical:
        return (
            "Naive Bayes: categories were encoded as numbers and mixed with others in "
            "preprocessing, so all columns are Gaussian. Without a projection or a basis, "
            "levels of categories would have probabilities."
        )
    numeric = f"{count(n_numeric, 'numeric column')} Gaussian, " if n_numeric else ""
    categorical = count(n_categorical, "categorical column")
    return f"Naive Bayes: {numeric}{categorical} multinomial."


def _prepared(data: Dataset) -> str:
    parts = []
    if data.has_missing:
        parts.append("impute")
    if data.has_categories:
        parts.append("encode categories")
    if data.kind.is_sparse:
        parts.append("count words")
    return " and ".join(parts) or "prepare"
