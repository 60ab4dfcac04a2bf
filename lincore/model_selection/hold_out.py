"""One model, fitted to the training set and evaluated on the test set."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import Fold
from lincore.errors import DataError
from lincore.metrics.results import Results
from lincore.model_selection.engine import (
    Failure,
    FitTask,
    TrainingSample,
    fit_one,
    fit_pipeline,
    fit_steps,
    fresh_model,
    method_steps,
    prepare_behind,
)
from lincore.model_selection.fitting import LARGEST_SCATTER, Predicted, predict_codes
from lincore.model_selection.methods import Method, as_methods
from lincore.model_selection.pipeline import (
    PLAIN,
    Steps,
    named_warnings,
    pipeline_for,
    transform_for_classifier,
)
from lincore.model_selection.splitters import plan_settings
from lincore.model_selection.streamed_rows import (
    n_learned_from_streamed,
    streamed_moments,
    with_streamed,
)
from lincore.moments.moments import Moments
from lincore.preprocessing.tabular import Preparer, build_preparer
from lincore.utils.displayed import display
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Progress


class TrainingSet(NamedTuple):
    """Summary of the training rows, computed once for every choice of options.

    Attributes
    ----------
    prepare : Preparer or None
        Fitted on the training rows, if the data need it.
    moments : Moments or None
        By class, of the prepared training rows and the streamed rows; None if the row space is
        better.
    """

    prepare: Preparer | None
    moments: Moments | None


def summarise_training_set(data: Dataset, split: Split) -> TrainingSet:
    """Make the one pass over the training rows."""
    if streamed_moments(data, *split) is not None:
        return TrainingSet(None, with_streamed(data, *split))
    X, prepare = data.X[split.train], build_preparer(data)
    if prepare is not None:
        X = prepare.fit_transform(X)
    n_rows, q = X.shape
    if data.kind.is_sparse or n_rows < q or data.n_classes * q**2 > LARGEST_SCATTER:
        return TrainingSet(prepare, None)
    codes = data.codes[split.train]
    weight = data.weights_of(split.train)
    return TrainingSet(prepare, Moments.from_groups(X, codes, data.n_classes, weight))


def fit_from_training_set(
    pipeline: Pipeline, data: Dataset, split: Split, part: TrainingSet
) -> Pipeline:
    """Fit a pipeline on the training set, reusing its summary.

    Raises
    ------
    DataError
        If the model cannot be fitted to the training rows, with the reason.
    """
    if part.moments is not None and part.prepare is not None:
        pipeline.steps[0] = ("prepare", part.prepare)
    return fit_pipeline(pipeline, data, split.train, moments=part.moments)


class FittedSteps(NamedTuple):
    """The steps before a classifier, fitted on the training set.

    Attributes
    ----------
    steps : tuple of (name, step)
    moments : Moments or None
        By class, of the training rows after the steps.
    """

    steps: tuple[tuple[str, Any], ...]
    moments: Moments | None


def fit_training_steps(data: Dataset, split: Split, part: TrainingSet, steps: Steps) -> FittedSteps:
    """Fit the steps before a classifier on the training set, shared by all classifiers.

    Parameters
    ----------
    data : Dataset
    split : Split
    part : TrainingSet
        The result of `summarise_training_set` for both.
    steps : Steps
        As returned by `method_steps`.

    Raises
    ------
    ValueError
        If they cannot be fitted to the training rows, with the reason.
    """
    preprocessor = pipeline_for(data, None, steps).steps
    if part.moments is not None and part.prepare is not None:
        preprocessor[0] = ("prepare", part.prepare)
    sample = TrainingSample(split.train, None, part.moments)
    training = fit_steps(data, sample, preprocessor, rows=False, summary=True)
    return FittedSteps(tuple(preprocessor), training.moments)


def fit_behind(
    data: Dataset, split: Split, before: FittedSteps, method: Method, *, name: str
) -> tuple[Pipeline, Results]:
    """Fit a method after fitted steps, and predict the test set.

    Parameters
    ----------
    data, split
        As for `fit_training_steps`.
    before : FittedSteps
    method : Method
    name : str
        Name of the model in the results.

    Returns
    -------
    pipeline : Pipeline
        Fitted; its classifier predicts codes.
    results : Results
        For the test rows, with one method.

    Raises
    ------
    ValueError
        If the model cannot be fitted to the training rows, with the reason.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.methods import as_method
    >>> iris, method = lincore.sample("iris"), as_method("qda")
    >>> split = lincore.split(iris)
    >>> part = summarise_training_set(iris, split)
    >>> before = fit_training_steps(iris, split, part, Steps(standardize=True))
    >>> fitted, results = fit_behind(iris, split, before, method, name="QDA")
    >>> [name for name, _ in fitted.steps], results.methods
    (['standardize', 'classify'], ('QDA',))
    """
    task = FitTask(data, TrainingSample(split.train), split.test, Steps(), 0)
    solved = method.from_moments and before.moments is not None
    prepared = prepare_behind(task, before.steps, before.moments if solved else None)
    with named_warnings(data) as fitted:
        outcome = fit_one(method, prepared)
        if isinstance(outcome, Failure):
            raise outcome.error
        fitted.append(outcome.pipeline)
    pipeline, seconds = outcome.pipeline, outcome.seconds
    return pipeline, _results(pipeline, outcome.predicted, data, split, name, seconds)


def evaluate_pipeline(
    pipeline: Pipeline, data: Dataset, split: Split, *, method: str, seconds: float = np.nan
) -> Results:
    """Predict the test rows with a fitted pipeline."""
    rows = transform_for_classifier(pipeline, data.X[split.test])
    predicted = predict_codes(pipeline.steps[-1][1], rows, data.n_classes)
    return _results(pipeline, predicted, data, split, method, seconds)


def holdout(
    data: Dataset, pipeline: Pipeline, split: Split, *, method: str = "model"
) -> tuple[Pipeline, Results]:
    """Fit on the training set and predict the test set.

    Parameters
    ----------
    data : Dataset
    pipeline : Pipeline
        Unfitted, as returned by `pipeline_for`.
    split : Split
        Training and test rows.
    method : str
        Name of the model in the results.

    Returns
    -------
    pipeline : Pipeline
        Fitted.
    results : Results
        For the test rows, with one method.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import Steps, pipeline_for, transform_for_classifier
    >>> iris = lincore.sample("iris")
    >>> pipeline = pipeline_for(iris, lincore.LinearDiscriminantAnalysis(), Steps(n_components=2))
    >>> _, results = holdout(iris, pipeline, lincore.split(iris, seed=1), method="lda")
    >>> int(results.truth.size)
    45
    """
    start = time.perf_counter()
    fitted = fit_pipeline(pipeline, data, split.train, moments=with_streamed(data, *split))
    seconds = time.perf_counter() - start
    return fitted, evaluate_pipeline(fitted, data, split, method=method, seconds=seconds)


class AlikeFits(NamedTuple):
    """Pipelines that differ only in their last step.

    Attributes
    ----------
    pipelines : mapping of str to Pipeline
        Fitted, by method name.
    labels : mapping of str to str
    missing : tuple of str
        Why others are missing.
    data : Dataset
    split : Split
    digest : str
        Of everything that they were fitted from.
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

    Parameters
    ----------
    data : Dataset
    split : Split
    methods : str, classifier, or several
        As for `lincore.compare`.
    steps : Steps
    seed : int
    progress : callable, optional
        Called as ``progress(done, total, what)``; returning False stops.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> list(fit_alike(iris, lincore.split(iris), ["lda", "qda"]).pipelines)
    ['lda', 'qda']
    """
    wanted = {one.name: (one, method_steps(one, data, steps)) for one in as_methods(methods)}
    all_steps = [own for _, own in wanted.values()]
    common = max(all_steps, key=all_steps.count)
    training = summarise_training_set(data, split)
    pipelines: dict[str, Pipeline] = {}
    missing = []
    for done, (name, (method, own)) in enumerate(wanted.items()):
        if progress is not None and progress(done, len(wanted), method.label) is False:
            break
        if own != common:
            missing.append(f"{method.label} uses other coordinates and cannot be drawn here.")
            continue
        try:
            with captured_warnings():
                model = fresh_model(method, data, seed)
                pipeline = pipeline_for(data, model, common, seed=seed)
                pipelines[name] = fit_from_training_set(pipeline, data, split, training)
        except DataError as error:
            missing.append(f"{method.label}: {error.notice.what}")
    made_from = repr((data.digest, split.train.tolist(), [*wanted], common, seed))
    digest = blake2b(made_from.encode(), digest_size=16).hexdigest()
    labels = {name: method.label for name, (method, _) in wanted.items()}
    return AlikeFits(pipelines, labels, tuple(missing), data, split, digest)


def _results(
    pipeline: Pipeline,
    predicted: Predicted,
    data: Dataset,
    split: Split,
    method: str,
    seconds: float,
) -> Results:
    steps, classifier = pipeline.named_steps, pipeline.steps[-1][1]
    fold = Fold(0, 0, split.train, split.test)
    solved = hasattr(classifier, "fit_moments")
    streamed = n_learned_from_streamed(data, [fold], solved, steps.get("basis"))
    return Results(
        methods=(method,),
        classes=data.classes,
        rows=split.test,
        truth=data.codes[split.test],
        predicted=predicted.codes[None],
        log_proba=predicted.log_proba[None],
        decision={} if predicted.decision is None else {method: predicted.decision},
        seconds=np.array([seconds]),
        n_train=np.full(len(split.test), len(split.train)),
        settings=replace(
            plan_settings(data, [fold]), scheme="holdout", streamed={method: streamed}
        ),
    )
