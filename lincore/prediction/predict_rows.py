"""Prediction of the rows of a new file by the pipeline of a fitted model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from lincore.errors import DataError
from lincore.linalg.hotelling import ClassDistances
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.fitting import Predicted, predict_codes
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.model_selection.training_summary import class_distances
from lincore.prediction.new_rows import AS_DETECTED, NewRows, Reading, read_new_rows
from lincore.prediction.predictions import Evaluated, Predictions
from lincore.utils.threads import n_threads, part_mapper
from lincore.utils.typing import Progress

# Values predicted at a time, so that a block stays in cache and progress is reported often.
_BLOCK_VALUES, _LEAST_ROWS = 1_000_000, 1_000
_LEVEL = 0.01


def predict(
    model: FittedModel,
    rows: Any,
    *,
    priors: ArrayLike | Mapping[Any, float] | str | None = None,
    level: float = _LEVEL,
    reading: Reading = AS_DETECTED,
    progress: Progress | None = None,
) -> Predictions:
    r"""Predict new rows with the pipeline of a fitted model.

    Parameters
    ----------
    model : FittedModel
        As returned by ``results.model("lda")``.
    rows : DataFrame, path, bytes, open file, Table, Dataset, TestSet, array, or pairs
        A table with the columns of the training data in any order; other columns are ignored. Or a
        zip of images, or pairs of file name and content; images are resized to the training images.
    priors : array-like of shape (K,), mapping, "equal" or "estimate", optional
        Class priors in deployment, in class order or by label; "estimate" estimates them from these
        rows by the EM algorithm (`lincore.metrics.estimate_priors`). Default: those of training.
    level : float, default 0.01
        Share of the rows of a normal class that are flagged as unlike it; see `Predictions.far`.
    reading : Reading
        Name of the file and options for reading it.
    progress : callable, optional
        ``progress(done, total, what)``, called after each block of rows; returning False stops.

    Raises
    ------
    DataError
        If the rows cannot be read, a column is missing, or prediction was stopped.

    Examples
    --------
    >>> import lincore
    >>> results = lincore.compare(lincore.sample("passengers"), "lda", keep_models=True)
    >>> new = b"sex,age,cabin class,relatives,fare,port,deck\nfemale,30,first,0,80,Cherbourg,C\n"
    >>> predictions = predict(results.model("lda"), new, reading=Reading("new.csv"))
    >>> predictions
    <1 row of new.csv predicted by LDA: no 0, yes 1; none is unlike the training data>
    >>> predictions.to_frame().iloc[:, -5:].round(2)
      predicted survived  P(no)  P(yes)  distance unlike the training data
    0                yes   0.29    0.71      6.15                   no
    """
    new = read_new_rows(model, rows, reading, progress)
    training = model.training
    distances = None if training is None else class_distances(model.classifier, training)
    predictions = Predictions(
        model=model,
        name=reading.name or getattr(rows, "name", None) or "new rows",
        new=new,
        evaluated=_evaluate(model, new, distances, progress),
        distances=distances,
    )
    predictions = replace(predictions, made_from=_digest(predictions))
    predictions = predictions.at_level(level)
    return predictions if priors is None else predictions.with_priors(priors)


def _digest(predictions: Predictions) -> str:
    """Return a digest of the rows and a model's predictions."""
    model, new, evaluated = predictions.model, predictions.new, predictions.evaluated
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr((predictions.name, model.label, model.digest, new.findings)).encode())
    decision = (model.operating_point, model.abstains_below)
    digest.update(repr((new.frame.columns.tolist(), decision)).encode())
    digest.update(pd.util.hash_pandas_object(new.frame).to_numpy().tobytes())
    images = new.X if model.image_shape is not None else None
    for array in (*evaluated, new.truth, new.weights, images, model.priors):
        digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _evaluate(
    model: FittedModel, new: NewRows, distances: ClassDistances | None, progress: Progress | None
) -> Evaluated:
    """Apply the pipeline block by block."""
    n_rows, n_classes = new.X.shape[0], len(model.classes)
    length = max(_LEAST_ROWS, _BLOCK_VALUES // max(1, new.X.shape[1]))
    blocks = [slice(start, min(start + length, n_rows)) for start in range(0, n_rows, length)]
    codes, log_proba = np.empty(n_rows, dtype=np.intp), np.empty((n_rows, n_classes))
    decision = np.full((n_rows, n_classes), np.nan)
    squared = None if distances is None else np.empty((n_rows, n_classes))

    def evaluate(block: slice) -> Predicted:
        seen = transform_for_classifier(model.pipeline, new.X[block])
        if squared is not None and distances is not None:
            squared[block] = distances.squared(seen)
        return predict_codes(model.classifier, seen, n_classes)

    with part_mapper(np.size(new.X) if isinstance(new.X, np.ndarray) else n_rows) as mapper:
        for first in range(0, len(blocks), n_threads()):
            batch = blocks[first : first + n_threads()]
            for block, predicted in zip(batch, mapper(evaluate, batch), strict=True):
                codes[block], log_proba[block] = predicted.codes, predicted.log_proba
                if predicted.decision is not None:
                    decision[block] = predicted.decision
            done = batch[-1].stop
            if progress is not None and progress(done, n_rows, "rows predicted") is False:
                raise DataError("Prediction was stopped.", where="new rows")
    has_decision = n_rows and not np.isnan(decision).any()
    return Evaluated(codes, log_proba, decision if has_decision else None, squared)
