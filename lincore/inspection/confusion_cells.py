"""Rows in a cell of the confusion matrix, sorted by margin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.boundary_geometry import mahalanobis
from lincore.metrics.estimates import has_posteriors
from lincore.metrics.results import Results
from lincore.utils.typing import Array


class Cell(NamedTuple):
    """Rows of one true class that were predicted to be of another, or rightly of the same.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Of the data set, the least probable true class first.
    proba : ndarray of shape (m, K) or None
        Posteriors; None for a model without.
    distances : ndarray of shape (m, K) or None
        Mahalanobis distances from the classes, without units; None for a model that is not
        Gaussian. NaN for a class without training rows.
    """

    rows: NDArray[np.intp]
    proba: Array | None
    distances: Array | None


def confusion_cell(
    results: Results, pipeline: Pipeline, data: Dataset, true: int, predicted: int
) -> Cell:
    """Return the test rows of one cell.

    Parameters
    ----------
    results : Results
        Of one method.
    pipeline : Pipeline
        The fitted model behind them.
    data : Dataset
    true, predicted : int
        Codes of the two classes.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.hold_out import holdout
    >>> from lincore.model_selection.pipeline import pipeline_for
    >>> iris = lincore.sample("iris")
    >>> model = pipeline_for(iris, lincore.LinearDiscriminantAnalysis())
    >>> fitted, results = holdout(iris, model, lincore.split(iris))
    >>> found = confusion_cell(results, fitted, iris, 1, 1)
    >>> bool((np.diff(found.proba[:, 1]) >= 0).all()), found.distances.shape[1]
    (True, 3)
    """
    method = results.methods[0]
    chosen = np.flatnonzero((results.truth == true) & (results.predicted[0] == predicted))
    rows = results.rows[chosen]
    distances = _distances(pipeline, data, rows)
    if has_posteriors(results, method) and len(chosen):
        log_proba = results.log_proba[0][chosen]
        order = np.argsort(log_proba[:, true], kind="stable")
        proba = np.exp(log_proba[order])
    else:
        lead = _lead(pipeline, data, rows, true)
        order = np.argsort(lead, kind="stable")
        proba = None
    return Cell(rows[order], proba, None if distances is None else distances[order])


def _distances(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Array | None:
    model = pipeline.steps[-1][1]
    if not hasattr(model, "densities_") or not len(rows):
        return None
    distances = np.full((len(rows), data.n_classes), np.nan)
    distances[:, model.classes_] = mahalanobis(pipeline, data.X[rows])
    return distances


def _lead(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], true: int) -> Array:
    """Return by how much the true class leads, or trails, by the model's own scores, (m,)."""
    model: Any = pipeline.steps[-1][1]
    if not len(rows) or not hasattr(model, "decision_function"):
        return np.zeros(len(rows))
    scores = np.asarray(pipeline.decision_function(data.X[rows]), dtype=float)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores]) / 2
    places = np.flatnonzero(np.asarray(model.classes_) == true)
    if len(places) != 1 or scores.shape[1] != len(model.classes_):
        return np.full(len(rows), -np.inf)
    own = scores[:, places[0]].copy()
    scores[:, places[0]] = -np.inf
    return np.asarray(own - scores.max(axis=1))
