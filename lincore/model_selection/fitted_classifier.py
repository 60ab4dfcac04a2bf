"""Classifiers fitted on the training set of a split, with its test results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import Fold
from lincore.data.splits import split as split_rows
from lincore.errors import DataError
from lincore.metrics.curves.operating_point import OperatingPoint, at_operating_point
from lincore.metrics.estimates import has_posteriors
from lincore.metrics.results import Results
from lincore.model_selection.comparison import compare
from lincore.model_selection.engine import method_steps, run
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.fitting import TrainingSample, data_error, summarise_training_set
from lincore.model_selection.methods import (
    CLASSIFIER_LABELS,
    RECALIBRATION,
    Method,
    as_method,
    as_methods,
)
from lincore.model_selection.pipeline import PLAIN, Steps, classifier_input_names, training_error
from lincore.model_selection.splitters import plan_settings
from lincore.model_selection.stages import Failure, Fit, Outcome, Task
from lincore.model_selection.streamed_rows import n_learned_from_streamed
from lincore.utils.displayed import display
from lincore.utils.thread_warnings import warn
from lincore.utils.typing import Progress


@dataclass(frozen=True, eq=False)
class FittedClassifier:
    """A classifier with its preprocessing, fitted on the training rows, and its test results.

    Its methods return displays with finding, table and figure.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on codes; the last step is the classifier.
    results : Results
        Results of the test rows, with one method.
    data : Dataset
    split : Split
    digest : str
        Digest of data, split and settings.
    notes : tuple of str
        Warnings of the fit.
    preprocessing : Steps
        The requested steps, for refitting.
    point : OperatingPoint, optional
        Where the posteriors decide, see `at`. Default: the class with the largest posterior.

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
    preprocessing: Steps = PLAIN
    point: OperatingPoint | None = None

    @property
    def classifier(self) -> Any:
        """The last step."""
        return self.pipeline.steps[-1][1]

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.results.methods[0]

    @property
    def word(self) -> str:
        """Short name of the classifier; "" for a recalibrated or third-party classifier."""
        method = as_method(self.classifier)
        return "" if method.word is None or RECALIBRATION in method.options else method.word

    @cached_property
    def training_error(self) -> float:
        """Share of misclassified training rows."""
        return training_error(self.pipeline, self.data, self.split)

    @cached_property
    def fitted_model(self) -> FittedModel:
        """Steps and classifier for new rows and for a model file, with the classes by name."""
        model = FittedModel.of(self.data, self.pipeline, self.name, self.split.train)
        return replace(model, operating_point=self.point)

    def at(
        self, threshold: float | None = None, code: int = 1, *, costs: ArrayLike | None = None
    ) -> FittedClassifier:
        """Return the same fit with other decisions: at a threshold, or of minimum expected cost.

        Results, displays and exported files then use them; posteriors are unchanged.

        Parameters
        ----------
        threshold : float, optional
            Posterior from which one of two classes is predicted. Default: the class with the
            largest posterior.
        code : int, default 1
            The class.
        costs : array-like of shape (K, K), optional
            Instead of a threshold: cost of predicting the column's class for a row of the row's
            class, in any unit.

        Raises
        ------
        DataError
            If there are no posteriors, a threshold is not between 0 and 1 or for more than two
            classes, or the costs are not K x K nonnegative numbers.

        Examples
        --------
        >>> import lincore
        >>> model = lincore.fit(lincore.sample("passengers"), "lda")
        >>> model.confusion().frame()["rows"].tolist()
        [207, 11, 33, 19]
        >>> model.at(0.2).confusion().frame()["rows"].tolist()
        [168, 50, 16, 36]
        >>> model.at(costs=[[0, 1], [4, 0]]).confusion().frame()["rows"].tolist()
        [168, 50, 16, 36]
        """
        if threshold is None and costs is None:
            return self
        n_classes = self.data.n_classes
        if not has_posteriors(self.results, self.name):
            raise DataError(
                f"{self.name} has no posteriors to decide by.",
                where="threshold or costs",
                remedy="Choose a model with posteriors, such as LDA.",
            )
        if costs is not None:
            table = np.asarray(costs, dtype=float)
            if table.shape != (n_classes,) * 2 or not (table >= 0).all() or np.isinf(table).any():
                raise DataError(
                    f"The costs {costs} are not {n_classes} x {n_classes} nonnegative numbers.",
                    where="costs",
                    remedy="Give a row for each true class, with a cost for each predicted one.",
                )
            point = OperatingPoint(costs=tuple(map(tuple, table.tolist())))
        else:
            point = self._at_threshold(float(threshold or 0.0), code)
        results = at_operating_point(self.results, self.name, point)
        return replace(self, results=results, point=point, digest=f"{self.digest} {point}")

    def _at_threshold(self, threshold: float, code: int) -> OperatingPoint:
        if self.data.n_classes != 2:
            raise DataError(
                "A threshold needs two classes, and there are more.",
                where="threshold",
                remedy="Give costs of errors, or merge classes.",
            )
        if not (0 <= threshold <= 1 and code in (0, 1)):
            raise DataError(
                f"The threshold is {threshold}, for the class {code}.",
                where="threshold",
                remedy="Give a posterior from 0 to 1, such as 0.3, for the class 0 or 1.",
            )
        return OperatingPoint(threshold, code)

    def held_out(self, *, progress: Progress | None = None) -> Results:
        """Return predictions of the training rows, each by a model fitted without its fold.

        For choices that the test rows must not influence. Five folds, whole groups if rows are
        grouped, each with its own steps.

        Parameters
        ----------
        progress : callable, optional
            Called as ``progress(done, total, what)``; returning False stops after a fold.

        Raises
        ------
        DataError
            If the model cannot be fitted to a fold.

        Examples
        --------
        >>> import lincore
        >>> inner = lincore.fit(lincore.sample("iris"), "lda").held_out()
        >>> len(inner.rows), len(set(inner.fold))
        (105, 5)
        """
        scheme = "5-fold" if self.data.groups is None else "5-fold by group"
        return compare(
            self.data.take(self.split.train),
            {self.name: as_method(self.classifier).estimator},
            scheme,
            steps=self.preprocessing,
            progress=progress,
            preselection=False,
        )

    def steps(self) -> Any:
        """Return the preprocessing steps and the outcome of the fit: a `StepsDisplay`."""
        return display("StepsDisplay", self)

    def scores(self) -> Any:
        """Return every score with its interval and baseline: a `ModelScoresDisplay`."""
        return display("ModelScoresDisplay", self)

    def main_scores(self) -> Any:
        """Return the main scores with their intervals: a `MainScoresDisplay`."""
        return display("MainScoresDisplay", self)

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

    def operating_point(self, **settings: Any) -> Any:
        """Return scores, cost and gains at a threshold or at costs: an `OperatingPointDisplay`."""
        return display("OperatingPointDisplay", self, **settings)

    def reject_option(self, **settings: Any) -> Any:
        """Return for which rows the model abstains: a `RejectOptionDisplay`."""
        return display("RejectOptionDisplay", self, **settings)

    def decision_curve(self, **settings: Any) -> Any:
        """Return the net benefit at every threshold: a `DecisionCurveDisplay`."""
        return display("DecisionCurveDisplay", self, **settings)

    def error_slices(self, **settings: Any) -> Any:
        """Return errors by parts of the test rows: an `ErrorSlicesDisplay`."""
        return display("ErrorSlicesDisplay", self, **settings)

    def dropped_features(self, **settings: Any) -> Any:
        """Return the score without each feature: a `DroppedFeaturesDisplay`."""
        return display("DroppedFeaturesDisplay", self, **settings)

    def assumptions(self) -> Any:
        """Return checks of the classifier's assumptions: an `AssumptionsDisplay`."""
        return display("AssumptionsDisplay", self)

    def coefficients(self, **settings: Any) -> Any:
        """Return the coefficients of the features: a `CoefficientsDisplay`."""
        return display("CoefficientsDisplay", self, **settings)

    def coefficient_path(self, **settings: Any) -> Any:
        """Return coefficients by the strength of an L1 penalty: a `CoefficientPathDisplay`."""
        return display("CoefficientPathDisplay", self, **settings)

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
        """Return the prediction of a row with changed values: a `WhatIfDisplay`."""
        return display("WhatIfDisplay", self, **settings)

    def contributions(self, **settings: Any) -> Any:
        """Return what each feature adds to the score of a row: a `ContributionsDisplay`."""
        return display("ContributionsDisplay", self, **settings)

    def nearest_change(self, **settings: Any) -> Any:
        """Return the smallest change of a row to another class: a `NearestChangeDisplay`."""
        return display("NearestChangeDisplay", self, **settings)

    def convergence(self, **settings: Any) -> Any:
        """Return the error by iteration: a `ConvergenceDisplay`."""
        return display("ConvergenceDisplay", self, **settings)

    def solvers(self, **settings: Any) -> Any:
        """Return a comparison of solvers on the same training loss: a `SolversDisplay`."""
        return display("SolversDisplay", self, **settings)

    def tuning(self) -> Any:
        """Return the losses by which options were chosen: a `TuningDisplay`."""
        return display("TuningDisplay", self)

    def selection(self) -> Any:
        """Return the steps of stepwise selection: a `StepwiseDisplay`."""
        return display("StepwiseDisplay", self)

    def learned(self) -> Any:
        """Return rows, prior, mean of every class, and log likelihood: a `LearnedDisplay`."""
        return display("LearnedDisplay", self)

    def canonical(self) -> Any:
        """Return the canonical functions with Wilks' lambda: a `CanonicalDisplay`."""
        return display("CanonicalDisplay", self)

    def canonical_coefficients(self) -> Any:
        """Return coefficients and structure matrix: a `CanonicalCoefficientsDisplay`."""
        return display("CanonicalCoefficientsDisplay", self)

    def centroids(self) -> Any:
        """Return the mean canonical scores of every class: a `CentroidsDisplay`."""
        return display("CentroidsDisplay", self)

    def group_distances(self) -> Any:
        """Return Mahalanobis distances between classes with tests: a `GroupDistancesDisplay`."""
        return display("GroupDistancesDisplay", self)

    def classification_functions(self) -> Any:
        """Return a linear function for each class: a `ClassificationFunctionsDisplay`."""
        return display("ClassificationFunctionsDisplay", self)

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
    data: Dataset,
    method: Any,
    split: Split | None = None,
    *,
    steps: Steps = PLAIN,
    sample: TrainingSample | None = None,
) -> FittedClassifier:
    """Fit one classifier on the training rows, and predict the test rows.

    Parameters
    ----------
    method : str or classifier
        As for `lincore.compare`: a name, possibly with options in parentheses, or a classifier.
    split : Split, optional
        Default: that of `lincore.split`.
    steps : Steps
        Preprocessing.
    sample : TrainingSample, optional
        The training rows with what is known of them, to fit several classifiers to the same rows:
        see `lincore.model_selection.summarise_training_set` and
        `lincore.model_selection.fit_steps`.

    Raises
    ------
    DataError
        If the model cannot be fitted to the training rows, with the reason.

    Examples
    --------
    >>> import lincore
    >>> wine = lincore.sample("wine")
    >>> model = lincore.fit(wine, "lda", lincore.split(wine, seed=1), steps=lincore.Steps())
    >>> model.name, len(model.results.rows)
    ('LDA', 53)
    """
    split = split_rows(data) if split is None else split
    sample = summarise_training_set(data, split) if sample is None else sample
    chosen = as_method(method)
    outcome = _fit_methods(data, sample, split, [chosen], steps)[chosen.name]
    if isinstance(outcome, Failure):
        raise data_error(outcome.error, data) from outcome.error
    _warn_by_name(outcome, data)
    label = CLASSIFIER_LABELS[chosen.word] if chosen.word else chosen.label
    if RECALIBRATION in chosen.options:
        first = label[0] if label[1].isupper() else label[0].lower()
        label = f"Recalibrated {first}{label[1:]}"
    own = method_steps(chosen, data, steps)
    digest = _digest(data, split, chosen.name, own)
    results = results_of_fit(outcome, data, split, label)
    return FittedClassifier(outcome.pipeline, results, data, split, digest, (), steps)


class AlikeFits(NamedTuple):
    """Pipelines that differ only in their last step.

    Attributes
    ----------
    pipelines : mapping of str to Pipeline
        Fitted, by method name.
    labels : mapping of str to str
    missing : tuple of str
        Reasons why others are missing.
    data : Dataset
    split : Split
    digest : str
        Digest of data, split and settings.
    """

    pipelines: Mapping[str, Pipeline]
    labels: Mapping[str, str]
    missing: tuple[str, ...]
    data: Dataset
    split: Split
    digest: str

    def boundaries(self, **settings: Any) -> Any:
        """Return the decision regions in one common plane: a `BoundariesDisplay`."""
        return display("BoundariesDisplay", self, **settings)


def fit_alike(
    data: Dataset,
    split: Split,
    methods: Any,
    *,
    steps: Steps = PLAIN,
    seed: int = 0,
    progress: Progress | None = None,
) -> AlikeFits:
    """Fit several methods on the training set that share the most frequent steps.

    If cross-validation chooses the number of components, those share it with the first method.

    Parameters
    ----------
    methods : str, classifier, or several
        As for `lincore.compare`.
    progress : callable, optional
        Called as ``progress(done, total, what)``; returning False stops.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> list(fit_alike(iris, lincore.split(iris), ["lda", "qda"]).pipelines)
    ['lda', 'qda']
    """
    requested = as_methods(methods)
    steps_by_method = {
        method.name: (method, method_steps(method, data, steps)) for method in requested
    }
    all_steps = [own for _, own in steps_by_method.values()]
    common = max(all_steps, key=all_steps.count)
    chosen = [method for method, own in steps_by_method.values() if own == common]
    sample = summarise_training_set(data, split)
    outcomes = _fit_methods(data, sample, split, chosen, steps, seed, progress)
    pipelines: dict[str, Pipeline] = {}
    missing = []
    for name, (method, own) in steps_by_method.items():
        outcome = outcomes.get(name)
        if isinstance(outcome, Failure):
            missing.append(f"{method.label}: {outcome.reason}")
        elif own != common or (
            outcome is not None and _has_other_components(outcome.pipeline, pipelines)
        ):
            missing.append(f"{method.label} uses other coordinates and cannot be drawn here.")
        elif outcome is not None:
            pipelines[name] = outcome.pipeline
    digest = _digest(data, split, [*steps_by_method], common, seed)
    labels = {name: method.label for name, (method, _) in steps_by_method.items()}
    return AlikeFits(pipelines, labels, tuple(missing), data, split, digest)


def _has_other_components(pipeline: Pipeline, others: Mapping[str, Pipeline]) -> bool:
    """Return whether inner cross-validation chose another number of components than for others."""
    first = next(iter(others.values()), pipeline)
    return (
        "pca" in first.named_steps and first["pca"].n_components_ != pipeline["pca"].n_components_
    )


def _digest(data: Dataset, split: Split, *settings: Any) -> str:
    """Return the digest of data, split and settings."""
    row_bytes = b"".join(np.ascontiguousarray(rows).tobytes() for rows in split)
    made_from = repr((data.digest, len(split.train), settings)).encode() + row_bytes
    return blake2b(made_from, digest_size=16).hexdigest()


def _fit_methods(
    data: Dataset,
    sample: TrainingSample,
    split: Split,
    methods: Sequence[Method],
    steps: Steps,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, Outcome]:
    """Fit methods on the training set and predict the test set."""
    outcomes: dict[str, Outcome] = {}
    for step in run([Task(sample, split.test)], methods, data, steps=steps, seed=seed):
        outcomes |= step.outcomes
        if progress is not None and progress(step.done, step.total, step.label) is False:
            break
    return outcomes


def _warn_by_name(fit: Fit, data: Dataset) -> None:
    """Repeat the warnings of a classifier with the names of its features instead of numbers."""
    if not fit.warnings:
        return
    names = classifier_input_names(fit.pipeline, data)

    def named(match: re.Match[str]) -> str:
        number = int(match[1])
        return repr(names[number]) if number < len(names) else match[0]

    for warning in fit.warnings:
        # As estimators number unnamed features.
        message = re.sub(r"'?\b(?:column|feature) (\d+)\b'?", named, str(warning))
        warn(message, type(warning), stacklevel=3)


def results_of_fit(fit: Fit, data: Dataset, split: Split, name: str) -> Results:
    """Return the results of a method on the test set, under a name."""
    classifier, predicted = fit.pipeline.steps[-1][1], fit.predicted
    fold = Fold(0, 0, split.train, split.test)
    learns_from_blocks = hasattr(classifier, "fit_moments") or hasattr(classifier, "fit_blocks")
    streamed = n_learned_from_streamed(
        data, [fold], learns_from_blocks, fit.pipeline.named_steps.get("basis")
    )
    return Results(
        methods=(name,),
        classes=data.classes,
        rows=split.test,
        truth=data.codes[split.test],
        predicted=predicted.codes[None],
        log_proba=predicted.log_proba[None],
        decision={} if predicted.decision is None else {name: predicted.decision},
        seconds=np.array([fit.seconds]),
        n_train=np.full(len(split.test), len(split.train)),
        settings=replace(plan_settings(data, [fold]), scheme="holdout", streamed={name: streamed}),
    )
