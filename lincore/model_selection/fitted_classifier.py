"""One classifier behind its steps, fitted on a training set and tested on the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import split as split_rows
from lincore.metrics.results import Results
from lincore.model_selection.engine import method_steps
from lincore.model_selection.hold_out import (
    fit_behind,
    fit_training_steps,
    summarise_training_set,
)
from lincore.model_selection.methods import CLASSIFIER_LABELS, as_method
from lincore.model_selection.pipeline import PLAIN, Steps, training_error
from lincore.utils.displayed import display


@dataclass(frozen=True, eq=False)
class FittedClassifier:
    """A classifier behind its steps, fitted on the training rows, and its test results.

    Its methods return displays: each with its finding, table and figure.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted; its last step, the classifier, knows codes.
    results : Results
        Of one method, for the test rows.
    data : Dataset
    split : Split
    digest : str
        Of everything that it was fitted from.
    notes : tuple of str
        Warnings of the fit.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.fit(lincore.sample("iris"), "lda")
    >>> model.scores().finding()
    'LDA reaches an accuracy of 100.0 % (92.1–100.0) over 45 test rows; none is misclassified.'
    """

    pipeline: Pipeline
    results: Results
    data: Dataset
    split: Split
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def classifier(self) -> Any:
        """The last step."""
        return self.pipeline.steps[-1][1]

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.results.methods[0]

    @property
    def word(self) -> str:
        """The word of the classifier; "" for one from elsewhere."""
        return as_method(self.classifier).word or ""

    @cached_property
    def training_error(self) -> float:
        """The share of the training rows that it misclassifies."""
        return training_error(self.pipeline, self.data, self.split)

    def steps(self) -> Any:
        """Return what the rows go through and how the fit ended: a `StepsDisplay`."""
        return display("StepsDisplay", self)

    def scores(self) -> Any:
        """Return every score with its interval and baseline: a `ModelScoresDisplay`."""
        return display("ModelScoresDisplay", self)

    def classes(self) -> Any:
        """Return recall, precision and F1 of every class: a `ClassScoresDisplay`."""
        return display("ClassScoresDisplay", self)

    def confusion(self, **settings: Any) -> Any:
        """Return true against predicted classes: a `ConfusionDisplay`."""
        return display("ConfusionDisplay", self, **settings)

    def confusion_cell(
        self, true: int | None = None, predicted: int | None = None, **settings: Any
    ) -> Any:
        """Return the test rows of a cell of the confusion matrix: a `ConfusionCellDisplay`."""
        return display("ConfusionCellDisplay", self, true=true, predicted=predicted, **settings)

    def roc(self, **settings: Any) -> Any:
        """Return true against false positive rates: a `RocDisplay`."""
        return display("RocDisplay", self, **settings)

    def precision_recall(self, **settings: Any) -> Any:
        """Return precision against recall: a `PrecisionRecallDisplay`."""
        return display("PrecisionRecallDisplay", self, **settings)

    def calibration(self, **settings: Any) -> Any:
        """Return observed frequencies against posteriors: a `CalibrationDisplay`."""
        return display("CalibrationDisplay", self, **settings)

    def assumptions(self) -> Any:
        """Return checks of what the classifier assumes: an `AssumptionsDisplay`."""
        return display("AssumptionsDisplay", self)

    def coefficients(self, **settings: Any) -> Any:
        """Return what each feature adds to the scores: a `CoefficientsDisplay`."""
        return display("CoefficientsDisplay", self, **settings)

    def odds_ratios(self, **settings: Any) -> Any:
        """Return odds ratios with Wald's intervals and tests: an `OddsRatiosDisplay`."""
        return display("OddsRatiosDisplay", self, **settings)

    def equation(self, **settings: Any) -> Any:
        """Return the boundary between two classes: an `EquationDisplay`."""
        return display("EquationDisplay", self, **settings)

    def plane(self, **settings: Any) -> Any:
        """Return the classifier in a plane or along a line: a `PlaneDisplay`."""
        return display("PlaneDisplay", self, **settings)

    def what_if(self, **settings: Any) -> Any:
        """Return what it makes of a row of which values are changed: a `WhatIfDisplay`."""
        return display("WhatIfDisplay", self, **settings)

    def convergence(self, **settings: Any) -> Any:
        """Return how the error fell, iteration by iteration: a `ConvergenceDisplay`."""
        return display("ConvergenceDisplay", self, **settings)

    def solvers(self, **settings: Any) -> Any:
        """Return several solvers on the same error: a `SolversDisplay`."""
        return display("SolversDisplay", self, **settings)

    def learned(self) -> Any:
        """Return rows, prior, mean of every class, and log likelihood: a `LearnedDisplay`."""
        return display("LearnedDisplay", self)

    def words(self) -> Any:
        """Return the probability of words in every class: a `WordProbabilitiesDisplay`."""
        return display("WordProbabilitiesDisplay", self)

    def matrix(self, **settings: Any) -> Any:
        """Return a covariance or scatter matrix: a `MatrixDisplay`."""
        return display("MatrixDisplay", self, **settings)

    def log_ratio(self, **settings: Any) -> Any:
        """Return A, b and c of the log ratio of two classes: a `LogRatioDisplay`."""
        return display("LogRatioDisplay", self, **settings)

    def learned_images(self, **settings: Any) -> Any:
        """Return means and principal components as images: a `LearnedImagesDisplay`."""
        return display("LearnedImagesDisplay", self, **settings)


def fit(
    data: Dataset, method: Any, split: Split | None = None, *, steps: Steps = PLAIN
) -> FittedClassifier:
    """Fit one classifier on the training rows, and predict the test rows.

    Parameters
    ----------
    data : Dataset
    method : str or classifier
        As for `lincore.compare`: a word, with options in brackets, or a classifier.
    split : Split, optional
        By default that of `lincore.split`.
    steps : Steps
        Before the classifier.

    Raises
    ------
    ValueError
        When the training rows do not allow the model, with the reason.

    Examples
    --------
    >>> import lincore
    >>> wine = lincore.sample("wine")
    >>> model = lincore.fit(wine, "lda", lincore.split(wine, seed=1), steps=lincore.Steps())
    >>> model.name, len(model.results.rows)
    ('LDA', 53)
    """
    rows = split_rows(data) if split is None else split
    chosen = as_method(method)
    own = method_steps(chosen, data, steps)
    before = fit_training_steps(data, rows, summarise_training_set(data, rows), own)
    label = CLASSIFIER_LABELS[chosen.word] if chosen.word else chosen.label
    pipeline, results = fit_behind(data, rows, before, chosen, name=label)
    made_from = (data.digest, rows.train.tolist(), rows.test.tolist(), chosen.name, own)
    digest = blake2b(repr(made_from).encode(), digest_size=16).hexdigest()
    return FittedClassifier(pipeline, results, data, rows, digest)
