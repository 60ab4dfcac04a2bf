"""Prediction of a single row: classes with posteriors and distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.model_selection.fitting import predict_codes
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.utils.formatting import percent, quoted
from lincore.utils.typing import Array


class RowPrediction(NamedTuple):
    """Prediction of one row by a fitted model.

    Attributes
    ----------
    label : str
        Predicted class.
    posterior : float
        NaN for a model without posteriors.
    table : DataFrame
        "class" and, if the model has them, "posterior" (per cent) or "score", and "distance"
        (Mahalanobis); the most likely class first.
    seen : ndarray of shape (q,)
        The row in the classifier's coordinates.
    """

    label: str
    posterior: float
    table: pd.DataFrame
    seen: Array

    @property
    def finding(self) -> str:
        """Prediction with its posterior, as a sentence."""
        posterior = "" if np.isnan(self.posterior) else f", at {percent(self.posterior)}"
        return f"Prediction: {quoted(self.label)}{posterior}."


def predict_row(
    pipeline: Pipeline, data: Dataset, row: Array, *, inputs: Mapping[int, float] | None = None
) -> RowPrediction:
    """Predict one row by a fitted model.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on codes.
    row : ndarray of shape (p,)
        In the form of ``Dataset.X``, without missing values.
    inputs : mapping of int to float, optional
        Classifier coordinates that replace those of the row.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.LinearDiscriminantAnalysis()
    >>> lda = lincore.model_selection.pipeline_for(iris, model).fit(iris.X, iris.codes)
    >>> predict_row(lda, iris, np.array([5.1, 3.5, 1.4, 0.2])).finding
    "Prediction: 'setosa', at 100.0 %."
    """
    classifier = pipeline.steps[-1][1]
    matrix: Any = csr_array(row[None]) if data.kind.is_sparse else row[None]
    seen: Any = transform_for_classifier(pipeline, matrix)
    if inputs:
        seen = np.array(seen, dtype=float)
        seen[0, list(inputs)] = list(inputs.values())
    predicted, log_proba, _ = predict_codes(classifier, seen, data.n_classes)
    table = pd.DataFrame({"class": [str(label) for label in data.classes]})
    posterior = float("nan")
    if not np.isnan(log_proba).any():
        table["posterior"] = 100 * np.exp(log_proba[0])
        posterior = float(np.exp(log_proba[0, predicted[0]]))
    elif hasattr(classifier, "decision_function"):
        scores = np.ravel(classifier.decision_function(seen))
        if len(scores) == data.n_classes:
            table["score"] = scores
    if hasattr(classifier, "densities_"):
        distances = np.full(data.n_classes, np.nan)
        squares = classifier.densities_.squared_distances(seen)[0]
        distances[classifier.classes_] = np.sqrt(squares)
        table["distance"] = distances
    order = next((name for name in ("posterior", "score") if name in table), None)
    if order is not None:
        table = table.sort_values(order, ascending=False)
    coordinates = np.asarray(seen.toarray() if hasattr(seen, "toarray") else seen, dtype=float)[0]
    return RowPrediction(str(data.classes[predicted[0]]), posterior, table, coordinates)
