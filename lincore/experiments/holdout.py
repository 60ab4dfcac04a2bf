"""One model, fitted on the training part and judged on the test part."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from lincore.datasets import Dataset, Split
from lincore.errors import DataError
from lincore.experiments.pipeline import fit_from_moments
from lincore.experiments.results import Results
from lincore.moments import Moments

# Moments by class of more values than this (400 MB) are not worth their memory: such data have
# few rows for their many features, or very many classes, and are fitted from the rows.
LARGEST_SCATTER = 50_000_000


class TrainingPart(NamedTuple):
    """What is learned once from the training rows and serves every choice of options.

    Attributes
    ----------
    imputer : SimpleImputer or None
        Fitted on the training rows where the data have gaps.
    moments : Moments or None
        By class, of the imputed training rows; None where the row space is the better way.
    """

    imputer: SimpleImputer | None
    moments: Moments | None


def summarise(data: Dataset, split: Split) -> TrainingPart:
    """Make the one pass over the training rows."""
    X = data.X[split.train]
    imputer = None
    if data.has_missing:
        imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        X = imputer.fit_transform(X)
    size = data.n_classes * data.n_features**2
    if len(X) < data.n_features or size > LARGEST_SCATTER:
        return TrainingPart(imputer, None)
    codes = data.codes[split.train]
    return TrainingPart(imputer, Moments.from_groups(X, codes, data.n_classes))


def fit(pipeline: Pipeline, data: Dataset, split: Split, part: TrainingPart) -> Pipeline:
    """Fit every step of a pipeline on the training rows, from their moments where there are any.

    The classifier learns codes, positions in `data.classes`, so that the order of its classes is
    that of the data whatever the labels are.

    Raises
    ------
    DataError
        When the training rows do not allow the model, with the reason.
    """
    try:
        if part.moments is None:
            return pipeline.fit(data.X[split.train], data.codes[split.train])
        if part.imputer is not None:
            pipeline.steps[0] = ("impute", part.imputer)
        return fit_from_moments(pipeline, part.moments, np.arange(data.n_classes))
    except ValueError as error:
        raise DataError(str(error), where=f"training part of {data.name}") from error


def evaluate(
    pipeline: Pipeline, data: Dataset, split: Split, *, method: str, seconds: float = np.nan
) -> Results:
    """Predict the test rows with a fitted pipeline.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted by `fit`.
    data, split
        As for `fit`.
    method : str
        What to call the model in the results.
    seconds : float
        How long the fit took.
    """
    log_proba = np.asarray(pipeline.predict_log_proba(data.X[split.test]))
    return Results(
        methods=(method,),
        classes=data.classes,
        rows=split.test,
        truth=data.codes[split.test],
        predicted=log_proba.argmax(axis=1)[None],
        log_proba=log_proba[None],
        seconds=np.array([seconds]),
        settings={"data": data.digest, "n_train": len(split.train), "n_test": len(split.test)},
    )


def holdout(
    data: Dataset, pipeline: Pipeline, split: Split, *, method: str = "model"
) -> tuple[Pipeline, Results]:
    """Fit on the training part and predict the test part.

    Examples
    --------
    >>> import lincore
    >>> from lincore.experiments.pipeline import build_pipeline
    >>> iris = lincore.sample("iris")
    >>> pipeline = build_pipeline(lincore.LinearDiscriminantAnalysis(), n_components=2)
    >>> _, results = holdout(iris, pipeline, lincore.split(iris, seed=1), method="lda")
    >>> int(results.truth.size)
    45
    """
    start = time.perf_counter()
    fitted = fit(pipeline, data, split, summarise(data, split))
    seconds = time.perf_counter() - start
    return fitted, evaluate(fitted, data, split, method=method, seconds=seconds)
