"""One model, fitted to the training set and evaluated on the test set."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import Fold
from lincore.errors import DataError
from lincore.metrics.results import Results
from lincore.model_selection.fitting import (
    LARGEST_SCATTER,
    fit_classifier,
    fit_preprocessor,
    predict_codes,
)
from lincore.model_selection.splitters import plan_settings
from lincore.model_selection.streamed_rows import (
    n_learned_from_streamed,
    streamed_moments,
    with_streamed,
)
from lincore.moments.moments import Moments
from lincore.preprocessing.tabular import Preparer, build_preparer
from lincore.utils.typing import Array


class TrainingSet(NamedTuple):
    """Summary of the training rows, computed once for every choice of options.

    Attributes
    ----------
    prepare : Preparer or None
        Fitted on the training rows where the data need it.
    moments : Moments or None
        By class, of the prepared training rows and of those beyond; None where the row space is
        the better way.
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
    return TrainingSet(prepare, Moments.from_groups(X, codes, data.n_classes))


def fit_pipeline(
    pipeline: Pipeline,
    data: Dataset,
    rows: NDArray[np.intp],
    *,
    class_weight: Array | None = None,
    moments: Moments | None = None,
) -> Pipeline:
    """Fit every step of a pipeline on some rows, from their moments where there are any.

    The classifier learns codes, positions in `data.classes`, so that the order of its classes is
    that of the data whatever the labels are.

    Parameters
    ----------
    pipeline : Pipeline
        As `lincore.model_selection.pipeline.pipeline_for` makes them, of any classifier or none.
    data : Dataset
    rows : ndarray
        Row numbers of the training set.
    class_weight : ndarray of shape (K,), optional
        What a row of each class counts wherever rows are summed: means, deviations and PCA of
        the steps included. Through `Moments.scale` for what is solved from moments, through
        `sample_weight` elsewhere.
    moments : Moments of shapes (K,), (K, p), (K, p, p), optional
        By class, not weighted, of the same rows behind the step "prepare", which must then have
        been fitted (see `summarise_training_set`).

    Returns
    -------
    Pipeline
        The same object.

    Raises
    ------
    DataError
        When the training rows do not allow the model, with the reason.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import pipeline_for
    >>> iris = lincore.sample("iris")
    >>> pipeline = pipeline_for(iris, lincore.LinearDiscriminantAnalysis())
    >>> weight = np.array([1.0, 1.0, 3.0])
    >>> fitted = fit_pipeline(pipeline, iris, np.arange(150), class_weight=weight)
    >>> fitted.named_steps["classify"].priors_
    array([0.2, 0.2, 0.6])
    """
    names = list(pipeline.named_steps)
    classifier = pipeline.named_steps.get("classify")
    by_moments = hasattr(classifier, "fit_moments")
    looks = classifier is not None and not by_moments
    enough = moments is not None and not looks and "basis" not in names
    try:
        training = fit_preprocessor(
            pipeline.steps[: len(names) - (classifier is not None)],
            None if enough else data.X[rows],
            data.codes[rows],
            data.n_classes,
            class_weight=class_weight,
            moments=moments,
            rows=looks,
            summary=by_moments,
        )
        if classifier is not None:
            fit_classifier(classifier, training)
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(str(error), where=f"training set of {data.name}") from error
    return pipeline


def fit_from_training_set(
    pipeline: Pipeline, data: Dataset, split: Split, part: TrainingSet
) -> Pipeline:
    """Fit a pipeline on the training set, with what was learned from it before.

    Raises
    ------
    DataError
        When the training rows do not allow the model, with the reason.
    """
    if part.moments is not None and part.prepare is not None:
        pipeline.steps[0] = ("prepare", part.prepare)
    return fit_pipeline(pipeline, data, split.train, moments=part.moments)


def evaluate_pipeline(
    pipeline: Pipeline, data: Dataset, split: Split, *, method: str, seconds: float = np.nan
) -> Results:
    """Predict the test rows with a fitted pipeline.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted by `fit_from_training_set`.
    data, split
        As for `fit_from_training_set`.
    method : str
        What to call the model in the results.
    seconds : float
        How long the fit took.
    """
    rows: Any = data.X[split.test]
    for _, step in pipeline.steps[:-1]:
        rows = step.transform(rows)
    predicted, log_proba, decision = predict_codes(pipeline.steps[-1][1], rows, data.n_classes)
    steps, classifier = pipeline.named_steps, pipeline.steps[-1][1]
    fold = Fold(0, 0, split.train, split.test)
    solved = hasattr(classifier, "fit_moments")
    streamed = n_learned_from_streamed(data, [fold], solved, steps.get("basis"))
    return Results(
        methods=(method,),
        classes=data.classes,
        rows=split.test,
        truth=data.codes[split.test],
        predicted=predicted[None],
        log_proba=log_proba[None],
        decision={} if decision is None else {method: decision},
        seconds=np.array([seconds]),
        n_train=np.full(len(split.test), len(split.train)),
        settings=replace(
            plan_settings(data, [fold]), scheme="holdout", streamed={method: streamed}
        ),
    )


def holdout(
    data: Dataset, pipeline: Pipeline, split: Split, *, method: str = "model"
) -> tuple[Pipeline, Results]:
    """Fit on the training set and predict the test set.

    Parameters
    ----------
    data : Dataset
    pipeline : Pipeline
        Not fitted, as `pipeline_for` returns it.
    split : Split
        Training and test rows.
    method : str
        Name of the model in the results.

    Returns
    -------
    pipeline : Pipeline
        Fitted.
    results : Results
        Of one method, for the test rows.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import Steps, pipeline_for
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
