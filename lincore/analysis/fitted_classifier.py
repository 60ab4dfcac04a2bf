"""One classifier behind its steps, fitted on the training set of an experiment."""

from __future__ import annotations

from typing import NamedTuple

from sklearn.pipeline import Pipeline

from lincore.analysis.experiment import Experiment
from lincore.metrics.results import Results
from lincore.model_selection.engine import method_steps
from lincore.model_selection.hold_out import (
    fit_behind,
    fit_training_steps,
    summarise_training_set,
)
from lincore.model_selection.methods import CLASSIFIER_LABELS, as_method


class FittedClassifier(NamedTuple):
    """A fitted pipeline and its predictions of the test set.

    Attributes
    ----------
    pipeline : Pipeline
        Fitted; its classifier knows codes.
    results : Results
        Of one method, for the test rows.
    """

    pipeline: Pipeline
    results: Results


def fit_classifier(experiment: Experiment, word: str) -> FittedClassifier:
    """Fit one classifier on the training set, and predict the test set."""
    data, choice, steps, _ = experiment
    experiment.check_size()
    rows = choice.rows(data)
    (line,) = experiment.lines((word,))
    method = as_method(line)
    part = summarise_training_set(data, rows)
    before = fit_training_steps(data, rows, part, method_steps(method, data, steps))
    return FittedClassifier(*fit_behind(data, rows, before, method, name=CLASSIFIER_LABELS[word]))
